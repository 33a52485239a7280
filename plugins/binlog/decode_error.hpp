// SPDX-License-Identifier: Apache-2.0
// Errors of the decoder, and the value-or-error type its functions return. An error always says what is wrong,
// in which file, at which 64-bit position, and what a person can do about it.
// Invariants: no exceptions; an Outcome holds either a value or an error, never both.
// Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tidemark::binlog {

enum class ErrorKind : uint8_t {
  torn_tail,    ///< The file ends inside an event or a group: a follower may wait for the rest.
  corrupt,      ///< Bytes that no server writes: bad checksum, bad size, a row body that does not add up.
  unsupported,  ///< Right, but not decoded (yet), or refused by rule.
  io,           ///< The operating system refused.
  schema        ///< The table's schema is unknown or does not fit the event.
};

/// "torn_tail", "corrupt", ...
const char* error_kind_name(ErrorKind kind);

struct DecodeError {
  ErrorKind kind = ErrorKind::corrupt;
  std::string text;
  std::string file;
  /// 64-bit offset of the event in `file`; for events inside a compressed transaction that of its payload event.
  uint64_t position = 0;
  /// What to do; may be empty.
  std::string remedy;

  /// "<file>:<position>: <text>; <remedy>"; without a position if it is 0, where no event can be.
  std::string to_string() const;
};

/// The error with file and position filled in where they were left to the caller.
DecodeError located(DecodeError error, std::string_view file, uint64_t position);

/// A value or a DecodeError.
template <class T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::in_place_index<0>, std::move(value)) {}            // NOLINT: implicit by design
  Outcome(DecodeError error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design
  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const DecodeError& error() const& { return std::get<1>(state_); }
  DecodeError&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, DecodeError> state_;
};

struct Done {};
using Checked = Outcome<Done>;

}  // namespace tidemark::binlog
