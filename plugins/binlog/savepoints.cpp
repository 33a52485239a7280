// SPDX-License-Identifier: Apache-2.0
// See the header. Any thread.
#include "binlog/savepoints.hpp"

#include <algorithm>

#include "binlog/ascii_text.hpp"

namespace tidemark::binlog {

std::vector<Savepoints::Savepoint>::iterator Savepoints::find(const std::string& name) {
  return std::ranges::find_if(all_,
                              [wanted = ascii_lowered(name)](const Savepoint& one) { return one.name == wanted; });
}

void Savepoints::declare(std::string name, uint64_t row_events) {
  const auto found = find(name);
  if (found != all_.end()) all_.erase(found);
  all_.push_back({ascii_lowered(std::move(name)), row_events});
}

void Savepoints::release(const std::string& name) {
  all_.erase(find(name), all_.end());
}

bool Savepoints::roll_back_to(const std::string& name, uint64_t row_events) {
  const auto found = find(name);
  if (found == all_.end()) return row_events == 0;
  all_.erase(found + 1, all_.end());
  return found->row_events == row_events;
}

}  // namespace tidemark::binlog
