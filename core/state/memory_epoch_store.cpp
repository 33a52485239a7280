// SPDX-License-Identifier: Apache-2.0
//
// EpochStore in maps: the simulator's store, and the model that the RocksDB store is tested against. A commit is
// applied as a whole or, when a fail point stops it before, not at all. Nothing survives the process.
#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "core/base/fail_point.hpp"
#include "core/state/epoch_store.hpp"

namespace tidemark::core {
namespace {

class MemoryEpochStore final : public EpochStore {
 public:
  explicit MemoryEpochStore(const MemoryEpochStore* copy_of) {
    if (copy_of == nullptr) return;
    const std::shared_lock lock(copy_of->mutex_);
    families_ = copy_of->families_;
  }

  Status commit(const EpochWrites& writes) override {
    if (Status before = fail_point("epoch_before_write"); !before) return before;
    {
      const std::unique_lock lock(mutex_);
      for (const EpochWrites::Write& write : writes.writes()) apply(write);
    }
    return fail_point("epoch_after_write");
  }

  Status write_ahead(const EpochWrites& writes) override {
    const std::unique_lock lock(mutex_);
    for (const EpochWrites::Write& write : writes.writes()) apply(write);
    return {};
  }

  Status link_copy(const std::filesystem::path& path) override {
    return {Code::unsupported, "a store in memory has no files to make " + path.string() + " of"};
  }

  Result<std::optional<std::string>> get(Family family, std::string_view key) override {
    const std::shared_lock lock(mutex_);
    const auto& map = families_[static_cast<size_t>(family)];
    const auto found = map.find(key);
    if (found == map.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }

  Status scan_from(Family family, std::string_view prefix, std::string_view begin, const Visit& visit) override {
    const std::shared_lock lock(mutex_);
    const auto& map = families_[static_cast<size_t>(family)];
    for (auto at = map.lower_bound(begin); at != map.end() && at->first.starts_with(prefix); ++at) {
      if (!visit(at->first, at->second)) break;
    }
    return {};
  }

 private:
  void apply(const EpochWrites::Write& write) {
    auto& map = families_[static_cast<size_t>(write.family)];
    switch (write.kind) {
      case EpochWrites::Write::Kind::put:
        map.insert_or_assign(write.key, write.value);
        break;
      case EpochWrites::Write::Kind::remove:
        map.erase(write.key);
        break;
      case EpochWrites::Write::Kind::remove_range:
      case EpochWrites::Write::Kind::drop_range:
        map.erase(map.lower_bound(write.key), map.lower_bound(write.value));
        break;
    }
  }

  mutable std::shared_mutex mutex_;
  std::array<std::map<std::string, std::string, std::less<>>, kFamilies> families_;
};

}  // namespace

std::unique_ptr<EpochStore> make_memory_epoch_store(const EpochStore* copy_of) {
  const auto* memory = dynamic_cast<const MemoryEpochStore*>(copy_of);
  TIDEMARK_CHECK(copy_of == nullptr || memory != nullptr);
  return std::make_unique<MemoryEpochStore>(memory);
}

}  // namespace tidemark::core
