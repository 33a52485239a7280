// SPDX-License-Identifier: Apache-2.0
//
// `tidemark checkpoint ls | show | create | restore | prune`: the checkpoints that are retained beside a job's state.
// A running job is asked to make one itself, by a file in its state folder; everything else changes only what no job
// holds. Main thread.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "config/job/render.hpp"
#include "core/base/clock.hpp"
#include "core/batch/json_text.hpp"
#include "core/cli/commands.hpp"
#include "core/cli/exit_code.hpp"
#include "core/cli/job_state.hpp"
#include "core/cli/loaded_job.hpp"
#include "core/observe/explanation.hpp"
#include "core/observe/status_json.hpp"
#include "core/observe/stored_status.hpp"
#include "core/runtime/waker.hpp"
#include "core/state/checkpoints.hpp"
#include "core/state/keys.hpp"

namespace tidemark::core {
namespace {

constexpr uint64_t kMemory = uint64_t{64} << 20;  // of a store that is opened to be copied
constexpr Micros kLook = 100 * kMicrosPerMilli;   // between two looks for what a running job makes

struct CheckpointOptions {
  std::string job;
  std::string format = "text";
  std::optional<uint64_t> epoch;
  bool verify = false;
  int64_t keep = -1;
  int64_t wait_seconds = 120;
};

/// What the job file says.
struct Place {
  config::JobSpec spec;
  std::filesystem::path state;
  Checkpoints checkpoints;
};

std::optional<Place> find_place(const CheckpointOptions& options) {
  LoadedJob job = load_job_file(options.job, true);
  if (!job.spec || job.diagnostics.has_errors()) {
    std::fputs(config::render_text(job.diagnostics).c_str(), stderr);
    return std::nullopt;
  }
  Checkpoints checkpoints(job.spec->name.value, job.spec->checkpoint.path.value);
  std::filesystem::path state = job.spec->state.path.value;
  return Place{std::move(*job.spec), std::move(state), std::move(checkpoints)};
}

// The one of --epoch, else the newest.
Result<Checkpoint> chosen(const Place& place, const CheckpointOptions& options) {
  auto all = place.checkpoints.list();
  if (!all) return all.status();
  const auto found = std::find_if(all->begin(), all->end(), [&](const Checkpoint& one) {
    return options.epoch ? one.damage && one.manifest.epoch == *options.epoch : !one.is_abandoned;
  });
  if (found != all->end()) return std::move(*found);
  const std::string& folder = place.spec.checkpoint.path.value;
  if (!options.epoch) return Status(Code::state, "there are no checkpoints in " + folder);
  return Status(Code::state,
                fmt::format("there is no checkpoint of epoch {} in {}; `tidemark checkpoint ls` lists them",
                            *options.epoch, folder));
}

const char* made_word(const Checkpoint& one) {
  if (one.is_abandoned) return "abandoned";
  return one.manifest.made_by == MadeBy::hand ? "by hand" : "by schedule";
}

void print_row(const Checkpoint& one, const Status& intact) {
  if (!one.damage) {
    fmt::print("{:>10} {:<27} {:>10} {:<12} {}\n", "-", "-", "-", "damaged", one.damage.message());
    return;
  }
  fmt::print("{:>10} {:<27} {:>10} {:<12} {}{}\n", one.manifest.epoch, format_rfc3339(one.manifest.wall_us),
             bytes_text(one.manifest.bytes()), made_word(one), one.path.string(),
             intact ? "" : "  # " + intact.message());
}

void print_json(const Checkpoint& one, const Status& intact) {
  std::string out = "{\"path\":";
  append_json_string(one.path.string(), out);
  if (one.damage) {
    out += fmt::format(",\"epoch\":{},\"time\":\"{}\",\"bytes\":{},\"made_by\":\"{}\"", one.manifest.epoch,
                       format_rfc3339(one.manifest.wall_us), one.manifest.bytes(),
                       one.manifest.made_by == MadeBy::hand ? "hand" : "schedule");
    if (one.is_abandoned) out += ",\"abandoned\":true";
  }
  if (!intact) {
    out += ",\"damage\":";
    append_json_string(intact.message(), out);
  }
  fmt::print("{}}}\n", out);
}

int list(const CheckpointOptions& options) {
  const auto place = find_place(options);
  if (!place) return kExitConfig;
  auto all = place->checkpoints.list();
  if (!all) return report(all.status());
  const bool text = options.format == "text";
  if (text) fmt::print("{:>10} {:<27} {:>10} {:<12} {}\n", "EPOCH", "TIME", "SIZE", "MADE", "PATH");
  bool damaged = false;
  for (const Checkpoint& one : *all) {
    const Status intact = options.verify ? Checkpoints::verify(one) : one.damage;
    damaged |= !intact;
    if (text) {
      print_row(one, intact);
    } else {
      print_json(one, intact);
    }
  }
  return damaged ? kExitState : kExitOk;
}

int show(const CheckpointOptions& options) {
  const auto place = find_place(options);
  if (!place) return kExitConfig;
  const auto one = chosen(*place, options);
  if (!one) return report(one.status());
  if (Status intact = Checkpoints::verify(*one); !intact) return report(intact);
  auto store = open_rocks_epoch_store(Checkpoints::database_of(*one), {.memory_bytes = kMemory, .read_only = true});
  if (!store) return report(store.status());
  auto status = stored_status(place->spec, **store);
  if (!status) return report(status.status());
  if (options.format == "json") {
    fmt::print("{}", status_to_json(*status));
    return kExitOk;
  }
  fmt::print("checkpoint {}\nepoch {}, committed {}, made {}, {} in {} files, intact\n", one->path.string(),
             one->manifest.epoch, format_rfc3339(one->manifest.wall_us), made_word(*one),
             bytes_text(one->manifest.bytes()), one->manifest.files.size());
  for (const SplitView& split : status->splits) {
    fmt::print("split {}/{}: watermark {}, {} rows read\n", split.source, split.name,
               format_rfc3339(split.status.watermark), split.rows_read);
  }
  for (const AggregateView& aggregate : status->aggregates) {
    fmt::print("aggregate {}: watermark {}, {} open windows, {} rows aggregated, {} late, {} results\n", aggregate.id,
               format_rfc3339(aggregate.watermark), aggregate.open_windows, aggregate.rows_aggregated,
               aggregate.rows_late, aggregate.results);
  }
  return kExitOk;
}

void print_made(const Checkpoint& one) {
  fmt::print("checkpoint {} holds epoch {}, {}\n", one.path.string(), one.manifest.epoch,
             bytes_text(one.manifest.bytes()));
}

// Of a job that does not run.
int create_here(const Place& place, JobState& state) {
  if (Status opened = state.open(kMemory); !opened) return report(opened);
  auto bytes = state.store().get(Family::meta, kMetaEpoch);
  if (!bytes) return report(bytes.status());
  if (!*bytes) return report(Status(Code::state, "the job has not completed an epoch yet; there is nothing to keep"));
  const auto epoch = decode_epoch_record(**bytes);
  if (!epoch) return report(epoch.status());
  const auto made = place.checkpoints.create(state.store(), *epoch, MadeBy::hand);
  if (!made) return report(made.status());
  print_made(*made);
  return kExitOk;
}

Result<std::optional<Checkpoint>> newest_by_hand(const Place& place) {
  auto all = place.checkpoints.list();
  if (!all) return all.status();
  for (Checkpoint& one : *all) {
    if (one.manifest.made_by == MadeBy::hand) return std::optional<Checkpoint>(std::move(one));
  }
  return std::optional<Checkpoint>();
}

// Of a job that runs: it makes it with its next epoch, and takes the request away once it has.
int create_there(const Place& place, const LockHolder& holder, const CheckpointOptions& options) {
  const auto request = checkpoint_request_in(place.state);
  const auto before = newest_by_hand(place);
  if (!before) return report(before.status());
  if (Status asked = replace_file(request, ""); !asked) return report(asked);
  const SystemClock clock;
  Waker pause;
  const Micros until = clock.monotonic_us() + options.wait_seconds * kMicrosPerSecond;
  while (clock.monotonic_us() < until) {
    pause.wait(kLook);
    const auto waits = file_exists(request);
    if (!waits) return report(waits.status());
    if (*waits) continue;
    const auto made = newest_by_hand(place);
    if (!made) return report(made.status());
    if (!*made || (*before && (*made)->manifest.wall_us == (*before)->manifest.wall_us)) {
      return report(Status(Code::io, fmt::format("process {} could not make it; its log says why", holder.pid)));
    }
    print_made(**made);
    return kExitOk;
  }
  if (Status removed = remove_file(request); !removed) return report(removed);
  return report(Status(Code::io, fmt::format("process {} has not made it within {} s; the request is withdrawn; is an "
                                             "epoch held up by a sink? (tidemark watermark explain)",
                                             holder.pid, options.wait_seconds)));
}

int create(const CheckpointOptions& options) {
  const auto place = find_place(options);
  if (!place) return kExitConfig;
  const auto holder = lock_holder(place->state / kStateLock);
  if (!holder) return report(holder.status());
  if (*holder) return create_there(*place, **holder, options);
  auto there = file_exists(database_in(place->state));
  if (!there) return report(there.status());
  if (!*there) return report(Status(Code::state, "there is no state in " + place->state.string() + " yet"));
  auto state = JobState::lock(place->state);
  if (!state) return report(state.status());
  return create_here(*place, *state);
}

int restore(const CheckpointOptions& options) {
  const auto place = find_place(options);
  if (!place) return kExitConfig;
  auto state = JobState::lock(place->state);
  if (!state) return report(state.status());
  const auto one = chosen(*place, options);
  if (!one) return report(one.status());
  if (Status restored = restore_checkpoint(*one, place->state); !restored) return report(restored);
  if (Status marked = place->checkpoints.abandon_after(*one); !marked) return report(marked);
  fmt::print("the state is that of epoch {} ({}) again; what it replaces is in {}, remove that when it is not needed\n",
             one->manifest.epoch, format_rfc3339(one->manifest.wall_us), (place->state / "db.replaced").string());
  return kExitOk;
}

int prune(const CheckpointOptions& options) {
  const auto place = find_place(options);
  if (!place) return kExitConfig;
  const auto state = JobState::lock(place->state);  // a running job does this itself
  if (!state) return report(state.status());
  if (options.epoch) {
    const auto one = chosen(*place, options);
    if (!one) return report(one.status());
    if (Status removed = place->checkpoints.remove(*one); !removed) return report(removed);
    fmt::print("removed {}\n", one->path.string());
    return kExitOk;
  }
  const auto keep = options.keep >= 0 ? options.keep : place->spec.checkpoint.retain.value;
  const auto gone = place->checkpoints.prune(static_cast<size_t>(keep));
  if (!gone) return report(gone.status());
  for (const Checkpoint& one : *gone) fmt::print("removed {}\n", one.path.string());
  fmt::print("{} removed\n", gone->size());
  return kExitOk;
}

CLI::App* add_one(CLI::App& command, const char* name, const char* about, int (*run)(const CheckpointOptions&),
                  const std::shared_ptr<CheckpointOptions>& options, Action& action) {
  CLI::App* one = command.add_subcommand(name, about);
  one->add_option("job", options->job, "Job file (TOML)")->required()->type_name("FILE");
  one->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
  return one;
}

}  // namespace

void add_checkpoint_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckpointOptions>();
  CLI::App* command = app.add_subcommand("checkpoint", "The checkpoints that are retained beside a job's state");
  command->require_subcommand(1);
  CLI::App* ls = add_one(*command, "ls", "List them, newest first", list, options, action);
  CLI::App* shown =
      add_one(*command, "show", "What one holds; the newest, if no epoch is given", show, options, action);
  CLI::App* made =
      add_one(*command, "create", "Make one that stays until it is pruned by its epoch", create, options, action);
  CLI::App* restored =
      add_one(*command, "restore", "Set the state of a stopped job back to one", restore, options, action);
  CLI::App* pruned =
      add_one(*command, "prune", "Remove all but the newest of those made by schedule, or one", prune, options, action);
  ls->add_flag("--verify", options->verify, "Read every file and compare its checksum");
  for (CLI::App* one : {ls, shown}) {
    one->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  }
  for (CLI::App* one : {shown, restored, pruned}) one->add_option("--epoch", options->epoch, "The one of this epoch");
  made->add_option("--wait", options->wait_seconds, "Seconds to wait for a running job (default 120)")
      ->check(CLI::Range(1, 86'400));
  pruned->add_option("--keep", options->keep, "How many stay (default: `retain` of the job)")
      ->check(CLI::Range(0, 10'000));
}

}  // namespace tidemark::core
