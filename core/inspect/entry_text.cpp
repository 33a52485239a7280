// SPDX-License-Identifier: Apache-2.0
//
// JSON of entries is written piece by piece, since an export has one line per group.
#include "core/inspect/entry_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/batch/cell_text.hpp"
#include "core/batch/json_text.hpp"
#include "core/observe/json_values.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kPositionMax = 96;

// In quotes where it could be taken for something else, or would break the line.
void append_word(std::string_view text, std::string& out) {
  const auto plain = [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte > 0x20 && byte != 0x7f && c != '"' && c != '=' && c != '|';
  };
  if (!text.empty() && text != "NULL" && std::all_of(text.begin(), text.end(), plain)) {
    out += text;
  } else {
    append_json_string(text, out);
  }
}

void append_cells(const EntryReader& reader, const StateEntry& entry, size_t first, size_t past, std::string& out) {
  std::string text;
  for (size_t at = first; at < past; ++at) {
    out += fmt::format(" {}=", reader.columns()[at].name);
    if (!entry.cells->column(at).is_valid(0)) {
      out += "NULL";
      continue;
    }
    text.clear();
    append_cell_text(*entry.cells, at, 0, text);
    append_word(text, out);
  }
}

void append_cells_json(const EntryReader& reader, const StateEntry& entry, size_t first, size_t past,
                       std::string& out) {
  for (size_t at = first; at < past; ++at) {
    out += at == first ? "{" : ",";
    append_json_string(reader.columns()[at].name, out);
    out += ':';
    append_json_cell(*entry.cells, at, 0, out);
  }
  out += first == past ? "{}" : "}";
}

void append_time_json(const char* name, Micros time, std::string& out) {
  const bool bounded = time != kNoTime && time != kEndOfTime;
  out += bounded ? fmt::format(",\"{}\":\"{}\"", name, format_rfc3339(time)) : fmt::format(",\"{}\":null", name);
}

// Of a global window: none.
std::string bound_text(Micros time) {
  return time == kNoTime || time == kEndOfTime ? "-" : format_rfc3339(time);
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string entry_head() {
  return fmt::format("{:<8} {:<27} {:<27} {:>8}  KEY | VALUES\n", "KIND", "START", "END", "ROWS");
}

void append_entry_text(const EntryReader& reader, const StateEntry& entry, std::string& out) {
  out += fmt::format("{:<8} {:<27} {:<27} {:>8} ", kind_name(entry.kind), bound_text(entry.range.start),
                     bound_text(entry.range.end), entry.rows);
  append_cells(reader, entry, 0, reader.key_count(), out);
  if (entry.kind != StateEntry::Kind::gone) {
    out += " |";
    append_cells(reader, entry, reader.key_count(), reader.columns().size(), out);
  }
  if (entry.emission != nullptr) {
    const Emission& given = *entry.emission;
    out += fmt::format(" | revision {}{}{}", given.revision, given.present ? ", stands" : "",
                       given.pending ? fmt::format(", {} rows since", given.rows_since) : "");
  }
  if (!entry.has_base) out += "  # more was taken back than came";
  if (!entry.problem.empty()) out += fmt::format("  # {}", entry.problem);
  out += '\n';
}

void append_entry_json(const EntryReader& reader, const StateEntry& entry, std::string& out) {
  out += "{\"type\":\"entry\",\"aggregate\":";
  append_json_string(reader.spec().id, out);
  out += fmt::format(",\"kind\":\"{}\"", kind_name(entry.kind));
  append_time_json("window_start", entry.range.start, out);
  append_time_json("window_end", entry.range.end, out);
  out += ",\"key\":";
  append_cells_json(reader, entry, 0, reader.key_count(), out);
  out += fmt::format(",\"rows\":{}", entry.rows);
  if (entry.kind != StateEntry::Kind::gone) {
    out += ",\"values\":";
    append_cells_json(reader, entry, reader.key_count(), reader.columns().size(), out);
  }
  if (entry.emission != nullptr) {
    out += fmt::format(",\"revision\":{},\"stands\":{},\"pending\":{},\"rows_since\":{}", entry.emission->revision,
                       entry.emission->present, entry.emission->pending, entry.emission->rows_since);
  }
  if (!entry.has_base) out += ",\"has_base\":false";
  if (!entry.problem.empty()) {
    out += ",\"problem\":";
    append_json_string(entry.problem, out);
  }
  out += "}\n";
}

std::string printable(std::string_view bytes, size_t most) {
  std::string out;
  for (const char c : bytes.substr(0, most)) {
    const auto byte = static_cast<uint8_t>(c);
    out += byte >= 0x20 && byte < 0x7f && c != '\\' ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return bytes.size() > most ? out + "..." : out;
}

const char* split_state(const SplitSummary& split) noexcept {
  if (split.is_left_out) return "left out";
  const SplitProgressState& progress = split.record.progress;
  return progress.finished ? "finished" : state_word(progress.times.state);
}

void append_split_json(const SplitSummary& summary, std::string& out) {
  const SplitRecord& split = summary.record;
  const SplitProgressState& progress = split.progress;
  Json json = {{"type", "split"},
               {"source", split.source},
               {"split", split.split},
               {"state", split_state(summary)},
               {"watermark", json_time(progress.watermark)},
               {"max_event_time", json_time(progress.max_event_time)},
               {"rows_read", split.rows_read},
               {"rows_set_aside", split.rows_set_aside},
               {"rows_filtered", split.rows_filtered},
               {"rows_truncated", split.rows_truncated},
               {"position", printable(split.position, kPositionMax)},
               {"position_bytes", split.position.size()}};
  if (split.truncation) json["truncation_rows"] = split.truncation->rows;
  out += line_of(json);
}

void append_operator_json(const OperatorRecord& record, std::string& out) {
  const WindowCounters& counters = record.counters;
  Json json = {{"type", "operator"},
               {"aggregate", record.aggregate},
               {"watermark", json_time(record.watermark)},
               {"fired", json_time(record.fired)},
               {"rows_in", record.input.rows_in},
               {"rows_filtered", record.input.rows_filtered},
               {"rows_set_aside", record.input.rows_set_aside + counters.rows_no_base},
               {"rows_aggregated", counters.rows_aggregated},
               {"rows_late", counters.rows_late},
               {"results", counters.results}};
  if (!record.holder_source.empty()) {
    json["held_by"] = {{"source", record.holder_source}, {"split", record.holder_split}};
  }
  out += line_of(json);
}

void append_epoch_json(const EpochRecord& epoch, const std::string& job, std::string& out) {
  out += line_of({{"type", "epoch"},
                  {"job", job},
                  {"epoch", epoch.epoch},
                  {"committed", json_time(epoch.wall_us)},
                  {"finished", epoch.finished},
                  {"rows_read", epoch.rows_read},
                  {"results", epoch.results}});
}

}  // namespace tidemark::core
