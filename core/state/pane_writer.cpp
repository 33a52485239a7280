// SPDX-License-Identifier: Apache-2.0
//
// The rules of when a base is rewritten and addends are merged, and where pages go. Removals name the runs that they
// are of, never what may come after them: they are applied when the epoch is, and newer pages are there before.
#include "core/state/pane_writer.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/base/fail_point.hpp"
#include "core/state/keys.hpp"
#include "core/state/run_stream.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kDeltasMax = 8;        // of a small group
constexpr size_t kDeltasMaxLarge = 64;  // of one whose base takes more time to write than it takes to read these
constexpr uint64_t kSmallBaseBytes = 64 << 10;
constexpr size_t kRewrittenMax = size_t{32} << 10;  // entries of bases that need not be, in a seal: rows wait for it
constexpr size_t kAddendsMax = 8;
constexpr double kRewriteAtOnce = 4;
constexpr size_t kPartBytes = size_t{16} << 10;      // before it is packed; a stream over a run holds one
constexpr size_t kWritesBytesMax = size_t{4} << 20;  // of an epoch's write, from one worker
constexpr size_t kAheadBytes = size_t{256} << 10;    // at once

uint64_t bytes_of(const PaneDirectory::Runs& runs, PageKind kind) {
  uint64_t sum = 0;
  for (const PaneDirectory::Run& run : runs) sum += run.id.kind == kind ? run.bytes : 0;
  return sum;
}

size_t first_of(const PaneDirectory::Runs& runs, PageKind kind) {
  const auto at = std::find_if(runs.begin(), runs.end(), [kind](const auto& run) { return run.id.kind >= kind; });
  return static_cast<size_t>(at - runs.begin());
}

/// How much a base should be written anew: from 1 on it waits for a seal with little to do, up to kRewriteAtOnce. Where
/// that is differs a little from group to group, since all of a window's groups grow alike.
double rewrite_due(const PaneDirectory::Runs& runs, uint32_t key_group) {
  const auto base = static_cast<double>(bytes_of(runs, PageKind::base));
  const auto deltas = static_cast<double>(bytes_of(runs, PageKind::delta));
  const double most = base < kSmallBaseBytes ? kDeltasMax : kDeltasMaxLarge;
  const double share = 0.5 + 0.5 * (key_group % 16) / 16;
  return std::max(static_cast<double>(runs.size() - 1) / most, deltas / (base * share));
}

/// Where the addends begin that are merged with a new one: from the newest on, as long as the next is not much larger
/// than what there is, so that an entry is written again about as often as the group doubles.
size_t first_merged(const PaneDirectory::Runs& runs) {
  const size_t first = first_of(runs, PageKind::addend);
  size_t begin = runs.size();
  if (begin - first < kAddendsMax) return begin;
  uint64_t sum = runs[--begin].bytes;
  while (begin > first && runs[begin - 1].bytes <= 2 * sum) sum += runs[--begin].bytes;
  return begin;
}

}  // namespace

/// The parts of one run, in turn.
class PaneWriter::RunWriter {
 public:
  RunWriter(PaneWriter& pages, const PageKey& first, const Target& target)
      : pages_(pages),
        key_(first),
        target_(target),
        is_ahead_(pages.is_ahead_ || target.writes.bytes() > kWritesBytesMax) {
    key_.run.epoch = target.epoch;
    if (is_ahead_ || pages.ahead_runs_ > 0) key_.run.number = ++pages.ahead_runs_;
  }

  void add(const EntryView& entry) {
    if (pages_.builder_.bytes() >= kPartBytes) put(true);
    pages_.builder_.add(entry);
  }
  /// After the last one; Status: of all puts.
  Status finish() {
    put(false);
    return status_;
  }
  PaneDirectory::Run run() const { return {key_.run, bytes_, is_ahead_}; }
  bool is_empty() const { return key_.part == 0 && pages_.builder_.rows() == 0; }

 private:
  void put(bool more) {
    bytes_ += pages_.builder_.bytes();
    std::string page = pages_.builder_.finish(more);
    std::string name = encode_page_key(key_);
    ++key_.part;
    if (!is_ahead_) return target_.writes.put(Family::panes, std::move(name), std::move(page));
    pages_.ahead_.put(Family::meta, ahead_prefix(target_.epoch) + name, {});
    pages_.ahead_.put(Family::panes, std::move(name), std::move(page));
    if (status_ && pages_.ahead_.bytes() >= kAheadBytes) status_ = pages_.flush();
  }

  PaneWriter& pages_;
  PageKey key_;  // of the next part
  const Target& target_;
  const bool is_ahead_;
  uint64_t bytes_ = 0;
  Status status_;
};

Status PaneWriter::flush() {
  if (ahead_.writes().empty()) return {};
  return store_.write_ahead(std::exchange(ahead_, {}));
}

PageKey PaneWriter::key_of(Micros pane_end, uint32_t key_group, const PageRun& run) const {
  return {operator_id_, pane_end, static_cast<uint16_t>(key_group), run, 0};
}

Status PaneWriter::seal(WindowOperator& window, uint64_t epoch, uint32_t first_key_group, uint32_t last_key_group,
                        EpochWrites& out) {
  out.append(std::exchange(removals_, {}));
  for (const Micros pane_end : window.take_closed()) {  // first: a pane may be there anew
    close(pane_end, first_key_group, last_key_group, out);
  }
  Status status;
  window.seal([&](const PaneChange& change) {
    if (status) status = write(change, epoch, out);
  });
  if (status) status = flush();
  if (ahead_runs_ > 0) out.remove_range(Family::meta, std::string(kMetaAhead), ahead_prefix(epoch + 1));
  next_epoch_ = epoch + 1;
  rewritten_ = 0;
  ahead_runs_ = 0;
  return status;
}

Status PaneWriter::write(const PaneChange& change, uint64_t epoch, EpochWrites& out) {
  return write(change, Target{out, epoch, false});
}

Status PaneWriter::take(const PaneChange& change) {
  if (Status before = fail_point("before_groups_leave"); !before) return before;
  is_ahead_ = true;
  Status written = write(change, Target{removals_, next_epoch_, true});
  return written ? flush() : written;
}

// What went with the write of an epoch is there once that is.
bool PaneWriter::is_in_store(const PaneDirectory::Runs& runs) const {
  const uint64_t committed = committed_();
  return std::all_of(runs.begin(), runs.end(),
                     [committed](const auto& run) { return run.is_ahead || run.id.epoch <= committed; });
}

Status PaneWriter::write(const PaneChange& change, const Target& target) {
  const Micros pane_end = change.pane_end();
  const uint32_t group = change.key_group();
  PaneDirectory::Runs& runs = directory_.runs(pane_end, group);
  if (change.is_addend()) return write_addend(change, runs, target);
  if (change.entry_count() == 0) {
    remove_runs(pane_end, group, runs, 0, target.writes);
    directory_.forget(pane_end, group);
    return {};
  }
  if (change.dirty_count() == 0 && !runs.empty() && !(target.leaves && !is_in_store(runs))) return {};
  const bool whole = runs.empty() || change.dirty_count() >= change.entry_count() ||
                     (target.leaves && !is_in_store(runs)) || takes_rewrite(runs, change);
  if (whole) remove_runs(pane_end, group, runs, 0, target.writes);
  RunWriter out(*this, key_of(pane_end, group, {whole ? PageKind::base : PageKind::delta, 0, 0}), target);
  const auto add = [&out](const EntryView& entry) { out.add(entry); };
  if (whole) {
    change.visit_all(add);
  } else {
    change.visit_dirty(add);
  }
  Status status = out.finish();
  runs.push_back(out.run());
  return status;
}

bool PaneWriter::takes_rewrite(const PaneDirectory::Runs& runs, const PaneChange& change) {
  const double due = rewrite_due(runs, change.key_group());
  if (due < 1 || (due < kRewriteAtOnce && rewritten_ >= kRewrittenMax)) return false;
  rewritten_ += change.entry_count();
  return true;
}

Status PaneWriter::write_addend(const PaneChange& change, PaneDirectory::Runs& runs, const Target& target) {
  if (change.dirty_count() == 0) return {};
  const size_t begin = first_merged(runs);
  RunWriter out(*this, key_of(change.pane_end(), change.key_group(), {PageKind::addend, 0, 0}), target);
  const auto add = [&out](const EntryView& entry) { out.add(entry); };
  if (begin == runs.size()) {
    change.visit_dirty(add);
  } else {
    std::vector<StoredRun> merged;
    for (size_t i = begin; i < runs.size(); ++i) {
      const PageKey first = key_of(change.pane_end(), change.key_group(), runs[i].id);
      merged.push_back({std::make_unique<RunStream>(store_, first), true});
    }
    if (Status status = change.visit_merged(std::move(merged), add); !status) return status;
    remove_runs(change.pane_end(), change.key_group(), runs, begin, target.writes);
  }
  if (out.is_empty()) return {};
  Status status = out.finish();
  runs.push_back(out.run());
  return status;
}

// A range for each kind, since runs of a kind stand side by side.
void PaneWriter::remove_runs(Micros pane_end, uint32_t key_group, PaneDirectory::Runs& runs, size_t begin,
                             EpochWrites& out) const {
  for (size_t first = begin; first < runs.size();) {
    size_t last = first;
    while (last + 1 < runs.size() && runs[last + 1].id.kind == runs[first].id.kind) ++last;
    out.remove_range(Family::panes, run_begin(key_of(pane_end, key_group, runs[first].id)),
                     run_end(key_of(pane_end, key_group, runs[last].id)));
    first = last + 1;
  }
  runs.resize(begin);
}

void PaneWriter::close(Micros pane_end, uint32_t first_key_group, uint32_t last_key_group, EpochWrites& out) {
  if (!directory_.forget_range(pane_end, first_key_group, last_key_group)) return;
  out.drop_range(Family::panes, group_prefix(operator_id_, pane_end, first_key_group),
                 group_prefix(operator_id_, pane_end, last_key_group + 1));
}

Status PaneWriter::open(Micros pane_end, uint32_t key_group, std::vector<StoredRun>& runs) {
  const PaneDirectory::Runs* stored = directory_.find(pane_end, key_group);
  if (stored == nullptr) return {};
  for (const PaneDirectory::Run& run : *stored) {
    runs.push_back(
        {std::make_unique<RunStream>(store_, key_of(pane_end, key_group, run.id)), run.id.kind == PageKind::addend});
  }
  return {};
}

Status drop_pages_ahead(EpochStore& store) {
  EpochWrites writes;
  Status scanned = store.scan(Family::meta, kMetaAhead, [&](std::string_view mark, std::string_view) {
    writes.remove(Family::panes, std::string(mark.substr(std::min(mark.size(), ahead_prefix(0).size()))));
    writes.remove(Family::meta, std::string(mark));
    return true;
  });
  if (!scanned || writes.writes().empty()) return scanned;
  return store.write_ahead(writes);  // what is not durable before the next crash is dropped after it
}

}  // namespace tidemark::core
