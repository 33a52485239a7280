// SPDX-License-Identifier: Apache-2.0
//
// `tidemark state ls | get | size | export`: what a job's state holds, as of its last epoch, of a stopped job and
// beside a running one. Nothing is changed. `get` and `export` decode values, so the job must mean what it meant when
// they were written; `ls` and `size` need the state's path alone. Main thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <system_error>

#include "config/job/nearest_name.hpp"
#include "config/job/render.hpp"
#include "core/base/files.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/inspect/entry_reader.hpp"
#include "core/inspect/entry_text.hpp"
#include "core/inspect/state_summary.hpp"
#include "core/inspect/summary_text.hpp"
#include "core/plan/job_record.hpp"
#include "core/state/epoch_reading.hpp"
#include "core/state/keys.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

struct StateOptions {
  std::string job;
  std::string format = "text";
  std::string aggregate;
  std::string window;
  std::vector<std::string> keys;
  std::string output;
  uint64_t limit = 0;
};

/// Lines to standard output, or into a file that has its name once it is whole.
class Lines {
 public:
  static Result<Lines> open(const std::filesystem::path& path) {
    Lines out;
    if (path.empty()) return out;
    out.path_ = path;
    out.part_ = path.string() + ".part";
    auto file = AppendFile::open(out.part_, 0);
    if (!file) return file.status();
    out.file_ = std::move(*file);
    return out;
  }

  std::string& buffer() noexcept { return buffer_; }
  /// After each line.
  Status write_full() { return buffer_.size() < kBufferBytes ? Status() : flush(); }
  Status finish() {
    Status status = flush();
    if (!status || path_.empty()) return status;
    if (status = file_.sync(); !status) return status;
    std::error_code error;
    std::filesystem::rename(part_, path_, error);
    if (!error) return {};
    return {Code::io, part_.string() + " cannot be renamed to " + path_.string() + ": " + error.message()};
  }

  /// Leaves no part of the file behind.
  void discard() {
    std::error_code error;
    if (!part_.empty()) std::filesystem::remove(part_, error);
  }

 private:
  Status flush() {
    Status status;
    if (!path_.empty()) {
      status = file_.append(buffer_);
    } else if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size() || std::fflush(stdout) != 0) {
      status = Status(Code::io, "standard output cannot be written to: " + std::generic_category().message(errno));
    }
    buffer_.clear();
    return status;
  }

  std::filesystem::path path_;
  std::filesystem::path part_;
  AppendFile file_;
  std::string buffer_;
};

int report_job(const LoadedJob& job) {
  std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
  return job.spec ? exit_code_of(job) : int{kExitConfig};
}

int finish(Lines& lines) {
  const Status written = lines.finish();
  return written ? int{kExitOk} : report(written);
}

/// Prints a document.
int print(const std::string& text) {
  Lines lines = Lines::open({}).value();
  lines.buffer() = text;
  return finish(lines);
}

std::filesystem::path folder_of(const config::JobSpec& spec) {
  return std::filesystem::path(spec.state.path.value) / "db";
}

Result<std::unique_ptr<EpochStore>> open_state(const config::JobSpec& spec) {
  auto store = open_epoch_store_to_read(folder_of(spec));
  if (!store) return store;
  auto stored = (*store)->get(Family::meta, kMetaJob);
  if (!stored) return stored.status();
  if (!*stored) return store;
  const auto record = decode_job_record(**stored);
  if (!record) return record.status();
  const JobRecord now{spec.name.value, {}, record->format_version, record->hash_seed};
  if (Status same = check_same_job(*record, now, spec.state.path.value); !same) return same;
  return store;
}

Result<std::string> standing_of(const config::JobSpec& spec) {
  const auto holder = lock_holder(std::filesystem::path(spec.state.path.value) / kStateLock);
  if (!holder) return holder.status();
  if (!*holder) return std::string("the job does not run");
  return (*holder)->pid > 0 ? fmt::format("the job runs (process {})", (*holder)->pid) : std::string("the job runs");
}

int list(const StateOptions& options) {
  const LoadedJob job = load_job_file(options.job, true);
  if (!job.spec || job.diagnostics.has_errors()) return report_job(job);
  auto store = open_state(*job.spec);
  if (!store) return report(store.status());
  const auto summary = summarise(**store);
  if (!summary) return report(summary.status());
  if (options.format == "json") return print(summary_json(*summary));
  const auto standing = standing_of(*job.spec);
  return standing ? print(summary_text(*summary, *standing)) : report(standing.status());
}

int size(const StateOptions& options) {
  const LoadedJob job = load_job_file(options.job, true);
  if (!job.spec || job.diagnostics.has_errors()) return report_job(job);
  auto store = open_state(*job.spec);
  if (!store) return report(store.status());
  const auto measured = measure(**store, folder_of(*job.spec));
  if (!measured) return report(measured.status());
  return print(options.format == "json" ? size_json(*measured) : size_text(*measured));
}

/// A state whose values may be decoded, with the job that says how.
struct OpenedState {
  LoadedJob job;
  std::unique_ptr<EpochStore> store;
  EpochRecord epoch;
};

// Sinks do not matter: what the state has of windows does not depend on them.
Status check_meaning(EpochStore& store, const JobPlan& plan) {
  auto stored = store.get(Family::meta, kMetaJob);
  if (!stored) return stored.status();
  if (!*stored) return {Code::state, "the record of the job is missing from the state"};
  const auto record = decode_job_record(**stored);
  if (!record) return record.status();
  JobRecord now = job_record(plan);
  std::erase_if(now.fingerprints, [](const auto& one) { return one.first.starts_with(kSinkComponent); });
  if (Status same = check_same_job(*record, now, plan.state_path); !same) return same;
  return check_same_plan(*record, now, plan.state_path);
}

/// Returns the exit code where it cannot be opened. The state comes before the sources, which may be far away.
int open_for_values(const StateOptions& options, OpenedState& out) {
  out.job = load_job_file(options.job, false);
  if (!out.job.spec || out.job.diagnostics.has_errors()) return report_job(out.job);
  auto store = open_state(*out.job.spec);
  if (!store) return report(store.status());
  out.store = std::move(*store);
  const auto epoch = read_epoch(*out.store);
  if (!epoch) return report(epoch.status());
  out.epoch = *epoch;
  plan_job(out.job, AbsentInput::is_error);
  if (!out.job.plan) return report_job(out.job);
  const Status meaning = check_meaning(*out.store, *out.job.plan);
  return meaning ? int{kExitOk} : report(meaning);
}

/// The aggregates that were asked for: one, or all of them.
Result<std::vector<const AggregatePlan*>> find_aggregates(const JobPlan& plan, const std::string& wanted) {
  std::vector<const AggregatePlan*> out;
  std::vector<std::string> names;
  for (const AggregatePlan& aggregate : plan.aggregates) {
    names.push_back(aggregate.spec.id);
    if (wanted.empty() || wanted == aggregate.spec.id) out.push_back(&aggregate);
  }
  if (!out.empty() || wanted.empty()) return out;
  return Status(Code::config, fmt::format("--aggregate {}: the job has no aggregate of that name; {}", wanted,
                                          config::suggest_name(wanted, names)));
}

Result<EntryFilter> filter_of(const StateOptions& options, const EntryReader& reader) {
  EntryFilter out;
  if (!options.window.empty()) {
    out.window_end = parse_rfc3339(options.window);
    if (!out.window_end) {
      return Status(Code::config, fmt::format("--window {}: not a time; write the window's end as `tidemark state ls` "
                                              "does: 2026-03-29T00:01:00Z",
                                              options.window));
    }
  }
  std::vector<std::string> names;
  for (uint32_t key = 0; key < reader.key_count(); ++key) names.push_back(reader.columns()[key].name);
  for (const std::string& text : options.keys) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      return Status(Code::config, fmt::format("--key {}: aggregate {} has no key `{}`; {}", text, reader.spec().id,
                                              name, config::suggest_name(name, names)));
    }
    const auto value = equals == std::string::npos ? std::nullopt : std::optional(text.substr(equals + 1));
    out.keys.emplace_back(static_cast<uint32_t>(found - names.begin()), value);
  }
  return out;
}

/// Entries of one aggregate as lines, `limit` at most (0 = all); returns how many.
Result<uint64_t> write_entries(EntryReader& reader, EpochStore& store, const EntryFilter& filter, uint64_t limit,
                               bool json, Lines& lines) {
  uint64_t count = 0;
  Status written;
  const Status visited = reader.visit(store, filter, [&](const StateEntry& entry) {
    (json ? append_entry_json : append_entry_text)(reader, entry, lines.buffer());
    written = lines.write_full();
    return ++count != limit && written;
  });
  if (!visited || !written) return visited ? written : visited;
  return count;
}

int get(const StateOptions& options) {
  OpenedState state;
  if (const int code = open_for_values(options, state); code != kExitOk) return code;
  const auto aggregates = find_aggregates(*state.job.plan, options.aggregate);
  if (!aggregates) return report(aggregates.status());
  if (aggregates->size() != 1) {
    std::string names;
    for (const AggregatePlan* one : *aggregates) names += (names.empty() ? "" : ", ") + one->spec.id;
    return report({Code::config, "the job has several aggregates; say which one with --aggregate: " + names});
  }
  auto reader = EntryReader::create(*state.job.plan, *aggregates->front());
  if (!reader) return report(reader.status());
  const auto filter = filter_of(options, **reader);
  if (!filter) return report(filter.status());
  auto lines = Lines::open({});
  if (!lines) return report(lines.status());
  const bool json = options.format == "ndjson";
  if (!json) lines->buffer() = entry_head();
  const auto count = write_entries(**reader, *state.store, *filter, options.limit, json, *lines);
  if (!count) return report(count.status());
  if (const int code = finish(*lines); code != kExitOk) return code;
  fmt::print(stderr, "{} {}, as of epoch {} of {}{}\n", *count, *count == 1 ? "entry" : "entries", state.epoch.epoch,
             format_rfc3339(state.epoch.wall_us),
             state.epoch.finished ? "; the job has finished, and its windows were given" : "");
  return kExitOk;
}

// The epoch, splits and operators, then the entries.
Status write_export(const OpenedState& state, const std::vector<const AggregatePlan*>& aggregates, Lines& lines,
                    uint64_t& count) {
  const auto splits = read_splits(*state.store);
  if (!splits) return splits.status();
  const auto operators = read_operators(*state.store);
  if (!operators) return operators.status();
  append_epoch_json(state.epoch, state.job.plan->name, lines.buffer());
  for (const SplitSummary& split : *splits) append_split_json(split, lines.buffer());
  for (const OperatorRecord& record : *operators) append_operator_json(record, lines.buffer());
  for (const AggregatePlan* aggregate : aggregates) {
    auto reader = EntryReader::create(*state.job.plan, *aggregate);
    if (!reader) return reader.status();
    const auto written = write_entries(**reader, *state.store, {}, 0, true, lines);
    if (!written) return written.status();
    count += *written;
  }
  return {};
}

int export_all(const StateOptions& options) {
  std::filesystem::path output;  // before loading: that goes to the job's folder
  std::error_code error;
  if (!options.output.empty()) output = std::filesystem::absolute(options.output, error);
  OpenedState state;
  if (const int code = open_for_values(options, state); code != kExitOk) return code;
  const auto aggregates = find_aggregates(*state.job.plan, options.aggregate);
  if (!aggregates) return report(aggregates.status());
  auto lines = Lines::open(output);
  if (!lines) return report(lines.status());
  uint64_t count = 0;
  Status written = write_export(state, *aggregates, *lines, count);
  if (written) written = lines->finish();
  if (!written) {
    lines->discard();
    return report(written);
  }
  fmt::print(stderr, "{} {} exported, as of epoch {}\n", count, count == 1 ? "entry" : "entries", state.epoch.epoch);
  return kExitOk;
}

using Run = int (*)(const StateOptions&);

CLI::App* add_one(CLI::App& command, const char* name, const char* about, const std::shared_ptr<StateOptions>& options,
                  Run run, Action& action) {
  CLI::App* sub = command.add_subcommand(name, about);
  sub->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  sub->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  return sub;
}

}  // namespace

void add_state_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("state", "What a job's state holds, as of its last epoch");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* about, Run run, std::initializer_list<const char*> formats) {
    const auto options = std::make_shared<StateOptions>();
    CLI::App* sub = add_one(*command, name, about, options, run, action);
    if (formats.size() > 0) {
      const std::vector<std::string> names(formats.begin(), formats.end());
      sub->add_option("--format", options->format, names[0] + " or " + names[1])->check(CLI::IsMember(names));
    }
    return std::pair(sub, options);
  };
  add("ls", "Splits, open panes, late rows and sinks", &list, {"text", "json"});
  add("size", "Entries and bytes, by family and aggregate, and files", &size, {"text", "json"});
  const auto [one, wanted] = add("get", "Windows, keys and values of an aggregate", &get, {"text", "ndjson"});
  one->add_option("--aggregate", wanted->aggregate, "Of this aggregate (needed where there are several)");
  one->add_option("--window", wanted->window, "Of the window that ends at this time (RFC 3339)");
  one->add_option("--key", wanted->keys, "Where this key has this value: name=value; name alone: NULL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  one->add_option("--limit", wanted->limit, "Entries to show at most (0 = all)");
  const auto [all, given] = add("export", "Everything as one JSON object per line", &export_all, {});
  all->add_option("--aggregate", given->aggregate, "Entries of this aggregate alone");
  all->add_option("--output", given->output, "Write to this file")->type_name("FILE");
}

}  // namespace tidemark::core
