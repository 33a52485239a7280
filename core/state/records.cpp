// SPDX-License-Identifier: Apache-2.0
//
// One frame for all records: kind, version, fields, CRC. A change of the fields is a new version of that kind;
// older versions are read, and a reader refuses versions it does not know instead of guessing.
#include "core/state/records.hpp"

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

enum class RecordKind : uint8_t { split = 1, op = 2, job = 3, epoch = 4 };

/// What is written. Version 2 of a split: the generator's state is bytes, no longer one time. Version 3: truncations.
constexpr uint8_t version_of(RecordKind kind) {
  return kind == RecordKind::split ? 3 : 1;
}

const char* kind_name(RecordKind kind) {
  switch (kind) {
    case RecordKind::split:
      return "split";
    case RecordKind::op:
      return "operator";
    case RecordKind::job:
      return "job";
    case RecordKind::epoch:
      return "epoch";
  }
  return "?";
}

template <typename Fields>
std::string encode_record(RecordKind kind, const Fields& fields) {
  std::string out;
  ByteWriter writer(out);
  writer.fixed(static_cast<uint8_t>(kind));
  writer.fixed(version_of(kind));
  fields(writer);
  writer.fixed(crc32(out));
  return out;
}

Status damaged(RecordKind kind, const std::string& what) {
  return {Code::damage, std::string("the ") + kind_name(kind) + " record is damaged (" + what +
                            "); restore the state path from a copy, or start over with an empty one"};
}

template <typename Record, typename Fields>
Result<Record> decode_record(RecordKind kind, std::string_view bytes, const Fields& fields) {
  if (bytes.size() < 2 + sizeof(uint32_t)) return damaged(kind, "too short");
  const std::string_view checked = bytes.substr(0, bytes.size() - sizeof(uint32_t));
  if (ByteReader(bytes.substr(checked.size())).fixed<uint32_t>() != crc32(checked)) {
    return damaged(kind, "checksum differs");
  }
  ByteReader reader(checked);
  if (reader.fixed<uint8_t>() != static_cast<uint8_t>(kind)) return damaged(kind, "it is of another kind");
  const auto version = reader.fixed<uint8_t>();
  if (version == 0 || version > version_of(kind)) {
    return Status(Code::state, std::string("the ") + kind_name(kind) + " record has version " +
                                   std::to_string(version) + ", this program reads versions up to " +
                                   std::to_string(version_of(kind)) +
                                   "; use the program that wrote it, or a newer one");
  }
  Record record;
  fields(reader, record, version);
  if (!reader.ok() || !reader.at_end()) return damaged(kind, "fields do not add up");
  return record;
}

void write_history(ByteWriter& writer, const SplitProgressState& progress) {
  const StateTimesState& times = progress.times;
  for (const Micros ended : times.ended_us) writer.fixed(ended);
  writer.fixed(times.stay_us);
  writer.fixed(static_cast<uint8_t>(times.state));
  writer.varint(times.idle_count);
  writer.varint(times.return_count);
  for (const Micros point : times.last_returns) writer.fixed(point);
  writer.text(progress.arrivals.gaps.encode());
  writer.text(progress.arrivals.periods.encode());
}

void read_history(ByteReader& reader, SplitProgressState& progress) {
  StateTimesState& times = progress.times;
  for (Micros& ended : times.ended_us) ended = reader.fixed<Micros>();
  times.stay_us = reader.fixed<Micros>();
  const auto state = reader.fixed<uint8_t>();
  times.state = static_cast<SplitState>(state);
  times.idle_count = reader.varint();
  times.return_count = reader.varint();
  for (Micros& point : times.last_returns) point = reader.fixed<Micros>();
  const auto gaps = GapHistogram::decode(reader.text());
  const auto periods = GapHistogram::decode(reader.text());
  if (gaps && periods && state < kSplitStates) {
    progress.arrivals = {*gaps, *periods};
  } else {
    reader.raw(UINT64_MAX);  // fails
  }
}

/// Version 1 had one time for every kind of generator: the largest event time of those that judge by rows, else the
/// source's own watermark.
std::string state_of_version_1(Micros time, Micros max_event_time) {
  return encode_time(time == max_event_time ? GeneratorState::rows : GeneratorState::source, time);
}

void write_truncation(ByteWriter& writer, const std::optional<Truncation>& truncation) {
  writer.fixed(static_cast<uint8_t>(truncation ? 1 : 0));
  if (!truncation) return;
  for (const std::string* text : {&truncation->database, &truncation->table, &truncation->gtid, &truncation->file}) {
    writer.text(*text);
  }
  writer.fixed(truncation->position);
  writer.fixed(truncation->schema_version);
  writer.fixed(truncation->commit_time_us);
  writer.fixed(truncation->event_time_us);
  writer.fixed(truncation->sequence);
  writer.fixed(truncation->rows);
}

void read_truncation(ByteReader& reader, std::optional<Truncation>& truncation) {
  if (reader.fixed<uint8_t>() == 0) return;
  truncation.emplace();
  for (std::string* text : {&truncation->database, &truncation->table, &truncation->gtid, &truncation->file}) {
    *text = reader.text();
  }
  truncation->position = reader.fixed<uint64_t>();
  truncation->schema_version = reader.fixed<uint64_t>();
  truncation->commit_time_us = reader.fixed<Micros>();
  truncation->event_time_us = reader.fixed<Micros>();
  truncation->sequence = reader.fixed<uint64_t>();
  truncation->rows = reader.fixed<uint64_t>();
}

void read_split(ByteReader& reader, SplitRecord& record, uint8_t version) {
  record.source = reader.text();
  record.split = reader.text();
  record.position = reader.text();
  SplitProgressState& progress = record.progress;
  progress.watermark = reader.fixed<Micros>();
  const Micros one_time = version == 1 ? reader.fixed<Micros>() : kNoTime;
  if (version > 1) progress.generator = reader.text();
  progress.progress = reader.fixed<Micros>();
  progress.max_event_time = reader.fixed<Micros>();
  if (version == 1) progress.generator = state_of_version_1(one_time, progress.max_event_time);
  progress.silent_us = reader.fixed<Micros>();
  progress.activity_age_us = reader.fixed<Micros>();
  progress.idle = reader.fixed<uint8_t>() != 0;
  progress.idle_by_source = reader.fixed<uint8_t>() != 0;
  progress.finished = reader.fixed<uint8_t>() != 0;
  record.rows_read = reader.fixed<uint64_t>();
  record.rows_set_aside = reader.fixed<uint64_t>();
  record.rows_filtered = reader.fixed<uint64_t>();
  if (version > 1) read_history(reader, progress);
  if (version < 3) return;
  record.rows_truncated = reader.fixed<uint64_t>();
  read_truncation(reader, record.truncation);
}

}  // namespace

std::string encode(const SplitRecord& record) {
  return encode_record(RecordKind::split, [&](ByteWriter& writer) {
    writer.text(record.source);
    writer.text(record.split);
    writer.text(record.position);
    const SplitProgressState& progress = record.progress;
    writer.fixed(progress.watermark);
    writer.text(progress.generator);
    writer.fixed(progress.progress);
    writer.fixed(progress.max_event_time);
    writer.fixed(progress.silent_us);
    writer.fixed(progress.activity_age_us);
    writer.fixed(static_cast<uint8_t>(progress.idle ? 1 : 0));
    writer.fixed(static_cast<uint8_t>(progress.idle_by_source ? 1 : 0));
    writer.fixed(static_cast<uint8_t>(progress.finished ? 1 : 0));
    writer.fixed(record.rows_read);
    writer.fixed(record.rows_set_aside);
    writer.fixed(record.rows_filtered);
    write_history(writer, progress);
    writer.fixed(record.rows_truncated);
    write_truncation(writer, record.truncation);
  });
}

Result<SplitRecord> decode_split_record(std::string_view bytes) {
  return decode_record<SplitRecord>(RecordKind::split, bytes, read_split);
}

std::string encode(const OperatorRecord& record) {
  return encode_record(RecordKind::op, [&](ByteWriter& writer) {
    writer.fixed(record.operator_id);
    writer.text(record.aggregate);
    writer.fixed(record.watermark);
    writer.fixed(record.counters.rows_aggregated);
    writer.fixed(record.counters.rows_late);
    writer.fixed(record.counters.panes_fired);
    writer.fixed(record.counters.results);
    writer.fixed(record.counters.groups_without_base);
    writer.fixed(record.fired);
    writer.fixed(record.idle_age_us);
    writer.text(record.holder_source);
    writer.text(record.holder_split);
    writer.fixed(record.holder_us);
    writer.fixed(record.input.rows_in);
    writer.fixed(record.input.rows_filtered);
    writer.fixed(record.input.rows_set_aside);
    writer.fixed(record.input.rows_not_computable);
    writer.fixed(record.counters.rows_partly_late);
    writer.fixed(record.counters.windows_missed);
    writer.fixed(record.counters.rows_no_base);
    writer.varint(record.fired_ranges.size());
    for (const FiredRange& range : record.fired_ranges) {
      writer.fixed(range.first);
      writer.fixed(range.last);
      writer.fixed(range.fired);
    }
  });
}

Result<OperatorRecord> decode_operator_record(std::string_view bytes) {
  return decode_record<OperatorRecord>(RecordKind::op, bytes, [](ByteReader& reader, OperatorRecord& record, uint8_t) {
    record.operator_id = reader.fixed<uint16_t>();
    record.aggregate = reader.text();
    record.watermark = reader.fixed<Micros>();
    record.counters.rows_aggregated = reader.fixed<uint64_t>();
    record.counters.rows_late = reader.fixed<uint64_t>();
    record.counters.panes_fired = reader.fixed<uint64_t>();
    record.counters.results = reader.fixed<uint64_t>();
    record.counters.groups_without_base = reader.fixed<uint64_t>();
    record.fired = reader.fixed<Micros>();
    if (!reader.at_end()) record.idle_age_us = reader.fixed<Micros>();  // states of earlier versions lack these
    if (reader.at_end()) return;
    record.holder_source = reader.text();
    record.holder_split = reader.text();
    record.holder_us = reader.fixed<Micros>();
    if (reader.at_end()) return;
    record.input.rows_in = reader.fixed<uint64_t>();
    record.input.rows_filtered = reader.fixed<uint64_t>();
    record.input.rows_set_aside = reader.fixed<uint64_t>();
    record.input.rows_not_computable = reader.fixed<uint64_t>();
    record.counters.rows_partly_late = reader.fixed<uint64_t>();
    record.counters.windows_missed = reader.fixed<uint64_t>();
    record.counters.rows_no_base = reader.fixed<uint64_t>();
    const uint64_t ranges = reader.varint();
    for (uint64_t i = 0; i < ranges && reader.ok(); ++i) {
      FiredRange& range = record.fired_ranges.emplace_back();
      range.first = reader.fixed<uint16_t>();
      range.last = reader.fixed<uint16_t>();
      range.fired = reader.fixed<Micros>();
    }
  });
}

std::string encode(const JobRecord& record) {
  return encode_record(RecordKind::job, [&](ByteWriter& writer) {
    writer.text(record.job);
    writer.fixed(record.format_version);
    writer.fixed(record.hash_seed);
    writer.varint(record.fingerprints.size());
    for (const auto& [component, text] : record.fingerprints) {
      writer.text(component);
      writer.text(text);
    }
  });
}

Result<JobRecord> decode_job_record(std::string_view bytes) {
  return decode_record<JobRecord>(RecordKind::job, bytes, [](ByteReader& reader, JobRecord& record, uint8_t) {
    record.job = reader.text();
    record.format_version = reader.fixed<uint32_t>();
    record.hash_seed = reader.fixed<uint64_t>();
    const uint64_t count = reader.varint();
    for (uint64_t i = 0; i < count && reader.ok(); ++i) {
      std::string component(reader.text());
      record.fingerprints.emplace_back(std::move(component), std::string(reader.text()));
    }
  });
}

std::string encode(const EpochRecord& record) {
  return encode_record(RecordKind::epoch, [&](ByteWriter& writer) {
    writer.fixed(record.epoch);
    writer.fixed(record.wall_us);
    writer.fixed(static_cast<uint8_t>(record.finished));
    writer.fixed(record.rows_read);
    writer.fixed(record.rows_aggregated);
    writer.fixed(record.rows_late);
    writer.fixed(record.rows_set_aside);
    writer.fixed(record.rows_filtered);
    writer.fixed(record.results);
    writer.fixed(record.groups_without_base);
  });
}

Result<EpochRecord> decode_epoch_record(std::string_view bytes) {
  return decode_record<EpochRecord>(RecordKind::epoch, bytes, [](ByteReader& reader, EpochRecord& record, uint8_t) {
    record.epoch = reader.fixed<uint64_t>();
    record.wall_us = reader.fixed<Micros>();
    record.finished = reader.fixed<uint8_t>() != 0;
    record.rows_read = reader.fixed<uint64_t>();
    record.rows_aggregated = reader.fixed<uint64_t>();
    record.rows_late = reader.fixed<uint64_t>();
    record.rows_set_aside = reader.fixed<uint64_t>();
    record.rows_filtered = reader.fixed<uint64_t>();
    record.results = reader.fixed<uint64_t>();
    record.groups_without_base = reader.fixed<uint64_t>();
  });
}

}  // namespace tidemark::core
