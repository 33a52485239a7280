// SPDX-License-Identifier: Apache-2.0
//
// See the header. A paused split's last poll says nothing about what it has by the time that it is read again.
#include "core/runtime/source_reader.hpp"

namespace tidemark::core {

Status SourceReader::pause_and_resume(Micros now) {
  const bool waited = waits_for_group;
  if (alignment) alignment->judge(*this, now);
  to_pause_.clear();
  to_resume_.clear();
  for (const auto& split : splits) {
    if (split->finished) continue;
    if (waited && !waits_for_group) expect_more(*split);
    const bool pause = can_pause && (split->waits_for_group || split->retry.waits(now));
    if (pause == split->paused) continue;
    split->paused = pause;
    (pause ? to_pause_ : to_resume_).push_back(split->id);
    if (!pause) expect_more(*split);
  }
  if (to_pause_.empty() && to_resume_.empty()) return {};
  return reader->pause_or_resume_splits(to_pause_, to_resume_);
}

}  // namespace tidemark::core
