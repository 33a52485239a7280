// SPDX-License-Identifier: Apache-2.0
//
// PluginGenerator: a plugin's watermark generator as the core's WatermarkGenerator, one per split. The last watermark
// that the plugin gave is kept here and stored beside the plugin's own state. The first error of a call is kept with
// plugin and split in its text; after it the plugin is called no more, but for its destructor.
// Threads: as core/event_time/watermark_generator.hpp says.
#pragma once

#include <tidemark/abi.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/event_time/watermark_generator.hpp"
#include "core/plugin_host/host_table.hpp"
#include "core/plugin_host/plugin_loader.hpp"

namespace tidemark::core {

class PluginGenerator final : public WatermarkGenerator {
 public:
  /// Only for create().
  PluginGenerator(std::shared_ptr<const LoadedPlugin> plugin, std::string_view split);
  /// Creates the plugin's generator for the split of that id. Errors are the plugin's own words about its options.
  static Result<std::unique_ptr<WatermarkGenerator>> create(std::shared_ptr<const LoadedPlugin> plugin,
                                                            const PluginOptions& options, std::string_view split);
  ~PluginGenerator() override;

  void on_batch(const RowTimes& rows) override;
  void on_tick(Micros now) override;
  Micros periodic() const override { return watermark_; }
  std::string snapshot() const override;
  void restore(std::string_view state) override;
  Status failure() const override { return failure_; }

 private:
  void note(int32_t code, const tidemark_error& error) const;

  std::shared_ptr<const LoadedPlugin> plugin_;
  std::string prefix_;  // what host_.self points to
  tidemark_host host_;
  void* generator_ = nullptr;
  Micros watermark_ = kNoTime;
  mutable Status failure_;  // snapshot() may fail too
};

}  // namespace tidemark::core
