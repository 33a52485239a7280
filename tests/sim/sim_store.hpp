// SPDX-License-Identifier: Apache-2.0
//
// SimStore: the memory epoch store with a crash in it: at a chosen commit the process "dies" just before or just
// after the write, or at a chosen write ahead, which a caller sees as an error. Somebody may look at the store after
// each commit. It can also forget what is written to one family: the planted fault that shows that the checks see
// something. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/state/epoch_store.hpp"

namespace tidemark::test {

class SimStore final : public core::EpochStore {
 public:
  SimStore() : inner_(core::make_memory_epoch_store()) {}
  /// The same content in another process.
  explicit SimStore(const SimStore& before, int)
      : on_commit(before.on_commit),
        forgets(before.forgets),
        inner_(core::make_memory_epoch_store(before.inner_.get())) {}

  core::Status commit(const core::EpochWrites& writes) override {
    const bool dies = dies_at_commit != 0 && --dies_at_commit == 0;
    if (dies && !dies_after_write) return died_now();
    if (core::Status done = inner_->commit(forgets ? without(writes, *forgets) : writes); !done) return done;
    if (on_commit) on_commit(*this);
    return dies ? died_now() : core::Status();
  }
  core::Status write_ahead(const core::EpochWrites& writes) override {
    ++written_ahead;
    if (dies_at_write_ahead != 0 && --dies_at_write_ahead == 0) return died_now();
    return inner_->write_ahead(forgets ? without(writes, *forgets) : writes);
  }
  core::Status link_copy(const std::filesystem::path& path) override { return inner_->link_copy(path); }
  core::Result<std::optional<std::string>> get(core::Family family, std::string_view key) override {
    return inner_->get(family, key);
  }
  core::Status scan_from(core::Family family, std::string_view prefix, std::string_view begin,
                         const Visit& visit) override {
    return inner_->scan_from(family, prefix, begin, visit);
  }

  bool has_died() const noexcept { return died_; }

  std::function<void(core::EpochStore&)> on_commit{};  ///< after each write
  std::optional<core::Family> forgets{};               ///< writes to it are lost
  uint64_t dies_at_commit = 0;                         ///< counts down; 0 = never
  bool dies_after_write = false;
  uint64_t dies_at_write_ahead = 0;  ///< as dies_at_commit
  uint64_t written_ahead = 0;        ///< writes

 private:
  static core::EpochWrites without(const core::EpochWrites& writes, core::Family family) {
    using Kind = core::EpochWrites::Write::Kind;
    core::EpochWrites out;
    for (const core::EpochWrites::Write& write : writes.writes()) {
      if (write.family == family) continue;
      if (write.kind == Kind::put) out.put(write.family, write.key, write.value);
      if (write.kind == Kind::remove) out.remove(write.family, write.key);
      if (write.kind == Kind::remove_range) out.remove_range(write.family, write.key, write.value);
      if (write.kind == Kind::drop_range) out.drop_range(write.family, write.key, write.value);
    }
    return out;
  }
  core::Status died_now() {
    died_ = true;
    return {core::Code::io, "simulated crash"};
  }

  std::unique_ptr<core::EpochStore> inner_;
  bool died_ = false;
};

}  // namespace tidemark::test
