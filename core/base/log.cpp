// SPDX-License-Identifier: Apache-2.0
//
// Wraps one spdlog logger on standard error, so that the rest of core does not compile spdlog's headers.
// Created at first use, never destroyed (threads may log while the process ends).
#include "core/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "core/base/check.hpp"

namespace tidemark::core {
namespace {

spdlog::logger& logger() {
  static spdlog::logger& instance = []() -> spdlog::logger& {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    static const auto owner = new std::shared_ptr<spdlog::logger>(  // lives to the end of the process on purpose
        std::make_shared<spdlog::logger>("tidemark", std::move(sink)));
    (*owner)->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    (*owner)->set_level(spdlog::level::warn);
    return **owner;
  }();
  return instance;
}

const LogCapture::Take* capture = nullptr;

bool captured(LogLevel level, std::string_view message) {
  if (capture == nullptr) return false;
  (*capture)(level, message);
  return true;
}

}  // namespace

LogCapture::LogCapture(Take take) : take_(std::move(take)) {
  TIDEMARK_CHECK(capture == nullptr);
  capture = &take_;
}

LogCapture::~LogCapture() {
  capture = nullptr;
}

void set_log_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      logger().set_level(spdlog::level::debug);
      return;
    case LogLevel::info:
      logger().set_level(spdlog::level::info);
      return;
    case LogLevel::warning:
      logger().set_level(spdlog::level::warn);
      return;
    case LogLevel::error:
      logger().set_level(spdlog::level::err);
      return;
    case LogLevel::off:
      logger().set_level(spdlog::level::off);
      return;
  }
}

void log_debug(std::string_view message) {
  if (captured(LogLevel::debug, message)) return;
  logger().debug("{}", message);
}
void log_info(std::string_view message) {
  if (captured(LogLevel::info, message)) return;
  logger().info("{}", message);
}
void log_warn(std::string_view message) {
  if (captured(LogLevel::warning, message)) return;
  logger().warn("{}", message);
}
void log_error(std::string_view message) {
  if (captured(LogLevel::error, message)) return;
  logger().error("{}", message);
}

}  // namespace tidemark::core
