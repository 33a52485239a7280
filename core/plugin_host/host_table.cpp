// SPDX-License-Identifier: Apache-2.0
//
// Messages are cut to a sane length, so that a plugin cannot flood a line of the log.
#include "core/plugin_host/host_table.hpp"

#include <algorithm>

#include "core/base/log.hpp"

namespace tidemark::core {
namespace {

constexpr size_t kMessageMax = 4096;

}  // namespace

std::string text_of(tidemark_str text) {
  return text.data == nullptr ? std::string() : std::string(text.data, text.size);
}

std::string short_text(tidemark_str text, std::string_view otherwise) {
  text.size = std::min<uint64_t>(text.size, kMessageMax);
  std::string out = text_of(text);
  return out.empty() ? std::string(otherwise) : out;
}

std::vector<tidemark_option> abi_options(const PluginOptions& options) {
  std::vector<tidemark_option> out;
  for (const auto& [name, value] : options) out.push_back({abi_str(name), abi_str(value)});
  return out;
}

void log_for_plugin(std::string_view prefix, int32_t level, tidemark_str message) {
  message.size = std::min<uint64_t>(message.size, kMessageMax);
  const std::string line = std::string(prefix) + ": " + text_of(message);
  if (level <= 0) return log_debug(line);
  if (level == 1) return log_info(line);
  if (level == 2) return log_warn(line);
  log_error(line);
}

void log_metric_of_plugin(std::string_view prefix, tidemark_str name, double value) {
  name.size = std::min<uint64_t>(name.size, kMessageMax);
  log_debug(std::string(prefix) + ": metric " + text_of(name) + " = " + std::to_string(value));
}

tidemark_host make_log_host(std::string& prefix) noexcept {
  tidemark_host out{};
  out.struct_size = sizeof out;
  out.abi_minor = TIDEMARK_ABI_MINOR;
  out.self = &prefix;
  out.notify = [](void*) noexcept {};
  out.acquire_async = [](void*, uint32_t, uint32_t) noexcept -> tidemark_batch* { return nullptr; };
  out.grow_heap_async = [](void*, tidemark_batch*, uint64_t) noexcept -> int32_t { return TIDEMARK_E_INTERNAL; };
  out.release_async = [](void*, tidemark_batch*) noexcept {};
  out.log = [](void* self, int32_t level, tidemark_str message) noexcept {
    log_for_plugin(*static_cast<std::string*>(self), level, message);
  };
  out.metric = [](void* self, tidemark_str name, double value) noexcept {
    log_metric_of_plugin(*static_cast<std::string*>(self), name, value);
  };
  return out;
}

}  // namespace tidemark::core
