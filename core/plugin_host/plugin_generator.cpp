// SPDX-License-Identifier: Apache-2.0
//
// State: the kind, the plugin's name, the watermark, then the plugin's bytes; see GeneratorState.
#include "core/plugin_host/plugin_generator.hpp"

#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/check.hpp"
#include "core/plugin_host/abi_error.hpp"

namespace tidemark::core {

PluginGenerator::PluginGenerator(std::shared_ptr<const LoadedPlugin> plugin, std::string_view split)
    : plugin_(std::move(plugin)),
      prefix_("plugin " + plugin_->info.name + ", split " + std::string(split)),
      host_(make_log_host(prefix_)) {}

Result<std::unique_ptr<WatermarkGenerator>> PluginGenerator::create(std::shared_ptr<const LoadedPlugin> plugin,
                                                                    const PluginOptions& options,
                                                                    std::string_view split) {
  auto out = std::make_unique<PluginGenerator>(std::move(plugin), split);
  const std::vector<tidemark_option> given = abi_options(options);
  tidemark_error error = make_abi_error();
  out->generator_ = out->plugin_->generator.create(&out->host_, abi_str(split), given.data(), given.size(), &error);
  if (out->generator_ == nullptr) {
    return abi_status(error.code == 0 ? TIDEMARK_E_INTERNAL : error.code, error).with_context(out->prefix_);
  }
  return std::unique_ptr<WatermarkGenerator>(std::move(out));
}

PluginGenerator::~PluginGenerator() {
  if (generator_ != nullptr) plugin_->generator.destroy(generator_);
}

void PluginGenerator::note(int32_t code, const tidemark_error& error) const {
  if (code != TIDEMARK_OK) failure_ = abi_status(code, error).with_context(prefix_);
}

void PluginGenerator::on_batch(const RowTimes& rows) {
  if (!failure_) return;
  TIDEMARK_CHECK(rows.markers.empty() || rows.markers.size() == rows.event_times.size());
  const tidemark_row_times given{sizeof(tidemark_row_times), static_cast<uint32_t>(rows.event_times.size()),
                                 rows.event_times.data(), rows.markers.empty() ? nullptr : rows.markers.data()};
  tidemark_error error = make_abi_error();
  Micros watermark = watermark_;
  note(plugin_->generator.on_batch(generator_, &given, &watermark, &error), error);
  if (failure_) watermark_ = watermark;
}

void PluginGenerator::on_tick(Micros now) {
  if (!failure_) return;
  tidemark_error error = make_abi_error();
  Micros watermark = watermark_;
  note(plugin_->generator.on_tick(generator_, now, &watermark, &error), error);
  if (failure_) watermark_ = watermark;
}

std::string PluginGenerator::snapshot() const {
  if (!failure_) return {};
  std::string bytes;
  const auto write = [](void* self, const void* data, uint64_t size) noexcept {
    static_cast<std::string*>(self)->append(static_cast<const char*>(data), size);
  };
  tidemark_error error = make_abi_error();
  note(plugin_->generator.snapshot(generator_, {&bytes, write}, &error), error);
  std::string out;
  ByteWriter writer(out);
  writer.fixed(static_cast<char>(GeneratorState::plugin));
  writer.text(plugin_->info.name);
  writer.fixed(watermark_);
  writer.raw(bytes.data(), bytes.size());
  return out;
}

void PluginGenerator::restore(std::string_view state) {
  ByteReader reader(state);
  const bool mine =
      reader.fixed<char>() == static_cast<char>(GeneratorState::plugin) && reader.text() == plugin_->info.name;
  const auto watermark = reader.fixed<Micros>();
  if (!failure_ || !mine || !reader.ok()) return;
  watermark_ = watermark;
  tidemark_error error = make_abi_error();
  note(plugin_->generator.restore(generator_, abi_str(reader.rest()), &error), error);
}

}  // namespace tidemark::core
