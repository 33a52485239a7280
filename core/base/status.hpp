// SPDX-License-Identifier: Apache-2.0
//
// Status and Result: how core reports what went wrong. OK is a null pointer, so the good path costs a compare.
// An error carries a code and a text of four parts: cause, object, position and remedy, joined for people.
// Values; safe to move between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "core/base/check.hpp"

namespace tidemark::core {

/// What kind of failure it is: decides exit codes and whether a retry makes sense.
enum class Code : uint8_t {
  ok,
  config,       ///< the job file or an option is wrong (exit 78)
  io,           ///< a file, disk or connection failed
  data,         ///< input that cannot be decoded or applied
  state,        ///< the state directory is locked, of another job or version, or does not fit the job
  damage,       ///< what is in the state directory has been damaged
  unsupported,  ///< known, but not handled
  plugin,       ///< a plugin could not be loaded or misbehaved
  overflow,     ///< a number outgrew its type
  internal,     ///< a bug of ours
};

/// Text of a code for messages and metrics: "config", "io", ...
const char* code_name(Code code) noexcept;

/// Success (cheap) or an error with code and message.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Code code, std::string message) : rep_(std::make_unique<Rep>(Rep{code, false, std::move(message)})) {}
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  Status(const Status& other) : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}
  Status& operator=(const Status& other) {
    if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
    return *this;
  }
  ~Status() = default;

  static Status ok() noexcept { return {}; }

  bool is_ok() const noexcept { return rep_ == nullptr; }
  explicit operator bool() const noexcept { return is_ok(); }
  Code code() const noexcept { return rep_ ? rep_->code : Code::ok; }
  const std::string& message() const noexcept;
  /// True when the same call may succeed later (a lost connection, a full disk).
  bool retryable() const noexcept { return rep_ && rep_->retryable; }
  Status&& set_retryable() && {
    if (rep_) rep_->retryable = true;
    return std::move(*this);
  }
  /// The same error with `context` and ": " before its message; OK stays OK.
  Status with_context(const std::string& context) const;

 private:
  struct Rep {
    Code code;
    bool retryable;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

/// A value or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::in_place_index<0>, std::move(value)) {}        // NOLINT(google-explicit-constructor)
  Result(Status status) : value_(std::in_place_index<1>, std::move(status)) {  // NOLINT(google-explicit-constructor)
    TIDEMARK_CHECK(!std::get<1>(value_).is_ok());
  }

  bool is_ok() const noexcept { return value_.index() == 0; }
  explicit operator bool() const noexcept { return is_ok(); }
  T& value() & {
    TIDEMARK_CHECK(is_ok());
    return std::get<0>(value_);
  }
  const T& value() const& {
    TIDEMARK_CHECK(is_ok());
    return std::get<0>(value_);
  }
  T&& value() && {
    TIDEMARK_CHECK(is_ok());
    return std::get<0>(std::move(value_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// The error; OK when there is a value.
  Status status() const { return is_ok() ? Status::ok() : std::get<1>(value_); }

 private:
  std::variant<T, Status> value_;
};

}  // namespace tidemark::core
