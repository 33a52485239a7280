// SPDX-License-Identifier: Apache-2.0
//
// The services of the host that plugins may use: a call to be polled again, the log, figures. Any thread.
#pragma once

#include <tidemark/abi.h>

#include <cstdint>
#include <string_view>

namespace tidemark {
inline namespace v1 {

enum class LogLevel : int32_t { debug = 0, info = 1, warning = 2, error = 3 };

/// Services of the host, for any thread. Copies are cheap; valid until the reader (source, generator) is destroyed.
class Host {
 public:
  explicit Host(const tidemark_host* host = nullptr) noexcept : host_(host) {}

  /// Poll this reader again: there may be something to read.
  void notify() const noexcept {
    if (host_ != nullptr) host_->notify(host_->self);
  }
  void log(LogLevel level, std::string_view message) const noexcept {
    if (host_ != nullptr) host_->log(host_->self, static_cast<int32_t>(level), {message.data(), message.size()});
  }
  void metric(std::string_view name, double value) const noexcept {
    if (host_ != nullptr) host_->metric(host_->self, {name.data(), name.size()}, value);
  }
  const tidemark_host* raw() const noexcept { return host_; }

 private:
  const tidemark_host* host_;
};

}  // namespace v1
}  // namespace tidemark
