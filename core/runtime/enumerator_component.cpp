// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/runtime/enumerator_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/log.hpp"

namespace tidemark::core {

EnumeratorComponent::EnumeratorComponent(const JobPlan& plan, Wiring wiring) : plan_(plan), wiring_(std::move(wiring)) {
  const Micros now = wiring_.clock->monotonic_us();
  for (uint32_t source = 0; source < wiring_.sources.size(); ++source) {
    if (wiring_.complete[source]) continue;
    looking_.push_back({source, saturating_add(now, plan_.sources[source].discover_interval_us)});
  }
}

Micros EnumeratorComponent::next_wake_us() const {
  Micros next = kEndOfTime;
  for (const Looking& looking : looking_) next = std::min(next, looking.next_us);
  return next;
}

Result<Progress> EnumeratorComponent::step() {
  if (wiring_.coordinator->ended()) return Progress::done;
  if (wiring_.coordinator->stop_requested()) looking_.clear();
  const Micros now = wiring_.clock->monotonic_us();
  for (size_t i = 0; i < looking_.size(); ++i) {
    if (now < looking_[i].next_us) continue;
    bool complete = false;
    if (Status looked = look(looking_[i], complete); !looked) return looked;
    looking_[i].next_us =
        saturating_add(wiring_.clock->monotonic_us(), plan_.sources[looking_[i].source].discover_interval_us);
    if (!complete) return Progress::busy;
    for (Lane<SplitNews>* core : wiring_.cores) core->push(NoMoreSplits{looking_[i].source});
    looking_.erase(looking_.begin() + static_cast<std::ptrdiff_t>(i));
    return Progress::busy;
  }
  return Progress::idle;
}

// An error that this returns is one of opening a reader: the job's.
Status EnumeratorComponent::look(Looking& looking, bool& complete) {
  const std::string& id = plan_.sources[looking.source].id;
  auto found = wiring_.sources[looking.source]->discover();
  if (!found) {
    if (!looking.failed) log_warn(fmt::format("source {}: looking for new splits: {}", id, found.status().message()));
    looking.failed = true;
    return {};
  }
  if (looking.failed) log_info(fmt::format("source {}: looking for new splits works again", id));
  looking.failed = false;
  const std::set<std::string_view> known = known_of(looking.source);
  for (const FoundSplit& split : found->splits) {
    if (known.contains(split.id)) continue;
    if (wiring_.left_out.contains({looking.source, split.id})) {
      if (looking.told.insert(split.id).second) {
        log_warn(fmt::format("source {}: {} is there again; it is read on from its position when the job starts again",
                             id, split.id));
      }
      continue;
    }
    log_info(fmt::format("source {}: new split {}{}", id, split.id, split.note.empty() ? "" : " (" + split.note + ")"));
    if (Status assigned = assign(looking.source, split); !assigned) return assigned.with_context("source " + id);
  }
  complete = found->complete;
  return {};
}

std::set<std::string_view> EnumeratorComponent::known_of(uint32_t source) const {
  std::set<std::string_view> out;  // names in the table stay where they are
  const SplitTable& splits = *wiring_.splits;
  const SplitId count = splits.size();
  for (SplitId split = 0; split < count; ++split) {
    if (splits[split].source == source) out.insert(splits[split].name);
  }
  return out;
}

Status EnumeratorComponent::assign(uint32_t source, const FoundSplit& found) {
  std::vector<uint32_t> load(wiring_.cores.size(), 0);
  for (SplitId split = 0; split < wiring_.splits->size(); ++split) ++load[(*wiring_.splits)[split].core];
  const auto core = static_cast<uint32_t>(std::min_element(load.begin(), load.end()) - load.begin());
  NewSplit news{.source = source, .split = 0, .opened = {}};
  if (!wiring_.readers[core][source]) {
    auto opened = wiring_.open_reader(source, core);
    if (!opened) return opened.status();
    news.opened = std::move(*opened);
    wiring_.readers[core][source] = true;
  }
  news.split = wiring_.splits->add({found.id, found.note, source, core});
  wiring_.cores[core]->push(std::move(news));
  return {};
}

}  // namespace tidemark::core
