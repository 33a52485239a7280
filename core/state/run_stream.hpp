// SPDX-License-Identifier: Apache-2.0
//
// RunStream: the entries of a run of pages, read from the store a part at a time. One part is in memory. One thread.
#pragma once

#include "core/state/epoch_store.hpp"
#include "core/state/keys.hpp"
#include "core/state/page_format.hpp"
#include "core/window/stored_groups.hpp"

namespace tidemark::core {

class RunStream final : public EntryStream {
 public:
  /// `first`: the key of the first part. `store` outlives the stream.
  RunStream(EpochStore& store, const PageKey& first) : store_(store), key_(first) {}

  /// Errors name the page; Code::damage when one is damaged or missing.
  Result<bool> next() override;
  const EntryView& entry() const override { return page_.entry(); }

 private:
  Status open_part();

  EpochStore& store_;
  PageKey key_;
  PageEntries page_;
  bool has_begun_ = false;
};

}  // namespace tidemark::core
