// SPDX-License-Identifier: Apache-2.0
//
// PluginSource: a loaded plugin's source as the core's Source. It translates calls, lends batches without a copy,
// checks what comes back and turns codes into Status that name the plugin and the split.
// Threads: as core/ingest/reader.hpp says; a plugin's own threads reach it through tidemark_host only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ingest/reader.hpp"
#include "core/plugin_host/host_table.hpp"
#include "core/plugin_host/plugin_loader.hpp"

namespace tidemark::core {

class PluginSource final : public Source {
 public:
  /// Only for create().
  explicit PluginSource(std::shared_ptr<const LoadedPlugin> plugin);
  /// Creates the plugin's source. Errors are the plugin's own words about its options.
  static Result<std::unique_ptr<Source>> create(std::shared_ptr<const LoadedPlugin> plugin,
                                                const PluginOptions& options);
  ~PluginSource() override;

  Result<Schema> schema() override;
  Result<Discovery> discover() override;
  Result<std::unique_ptr<Reader>> open_reader(const Projection& projection, ReaderHost host) override;
  bool can_pause_splits() const noexcept override { return (features_ & TIDEMARK_CAN_PAUSE_SPLITS) != 0; }
  bool is_bounded() const noexcept override { return (features_ & TIDEMARK_BOUNDED) != 0; }
  bool has_header_time() const noexcept override { return (features_ & TIDEMARK_HAS_HEADER_TIME) != 0; }
  bool gives_truncates() const noexcept override { return (features_ & TIDEMARK_GIVES_TRUNCATES) != 0; }
  bool gives_partial_images() const noexcept override { return (features_ & TIDEMARK_GIVES_PARTIAL_IMAGES) != 0; }

 private:
  Status take_key(Schema& schema) const;

  std::shared_ptr<const LoadedPlugin> plugin_;
  std::string log_prefix_;  // what host_.self points to
  tidemark_host host_;
  void* source_ = nullptr;
  uint64_t features_ = 0;
};

}  // namespace tidemark::core
