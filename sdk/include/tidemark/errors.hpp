// SPDX-License-Identifier: Apache-2.0
//
// How a source reports what went wrong. Authors throw SourceError (or any std::exception); guard() is the only
// place that catches, and turns it into the ABI's code and text before the boundary. Without exceptions
// (-fno-exceptions) the same SourceError is kept per thread until guard() picks it up, and calls return
// Status::failed. Values; each error belongs to the thread that made it.
#pragma once

#include <tidemark/abi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemark {
inline namespace v1 {

/// Where a failure comes from; decides what the host does. `unset` takes the kind that fits the call it was
/// thrown from: config while a source is made, io while a split is opened, data while rows are read.
enum class ErrorKind : int32_t {
  unset = 0,
  config = TIDEMARK_E_CONFIG,            ///< an option is wrong
  io = TIDEMARK_E_IO,                    ///< a file or connection failed
  data = TIDEMARK_E_DATA,                ///< this row or event cannot be read
  state = TIDEMARK_E_STATE,              ///< a stored position does not fit
  unsupported = TIDEMARK_E_UNSUPPORTED,  ///< known, but not handled
  internal = TIDEMARK_E_INTERNAL,        ///< a bug in the plugin
};

/// What a source throws: cause, object, and where they help a remedy and a position.
/// `throw SourceError("cannot open", path).kind(ErrorKind::io).retryable();`
class SourceError : public std::exception {
 public:
  explicit SourceError(std::string_view cause, std::string_view object = {}, std::string_view remedy = {},
                       std::string_view position = {}) {
    text_ = cause;
    if (!object.empty()) text_.append(": '").append(object.substr(0, kObjectMax)).append("'");
    if (!position.empty()) text_.append(" at ").append(position);
    if (!remedy.empty()) text_.append("; ").append(remedy);
  }
  SourceError&& kind(ErrorKind kind) && noexcept {
    kind_ = kind;
    return std::move(*this);
  }
  /// The same call may succeed later: the host calls again, with pauses that grow, and until then the split (the whole
  /// reader, where the error is of no split or splits cannot be paused) counts as disconnected. Else the job fails.
  SourceError&& retryable() && noexcept {
    retryable_ = true;
    return std::move(*this);
  }
  /// The split it is about; the easy layer fills it in.
  SourceError&& split(uint32_t split) && noexcept {
    split_ = split;
    return std::move(*this);
  }

  const char* what() const noexcept override { return text_.c_str(); }
  ErrorKind kind() const noexcept { return kind_; }
  bool is_retryable() const noexcept { return retryable_; }
  uint32_t split() const noexcept { return split_; }

 private:
  static constexpr size_t kObjectMax = 400;
  std::string text_;
  ErrorKind kind_ = ErrorKind::unset;
  bool retryable_ = false;
  uint32_t split_ = UINT32_MAX;
};

/// What a call found.
enum class Status : int32_t {
  more = TIDEMARK_OK,          ///< call again soon
  nothing = TIDEMARK_NOTHING,  ///< nothing to read now
  end = TIDEMARK_END,          ///< there is no more, ever
  failed = -100,               ///< fail() was called (only without exceptions)
};

namespace detail {

/// Copies as much of `text` as fits into a NUL-terminated array.
template <size_t N>
void copy_text(char (&out)[N], std::string_view text) noexcept {
  const size_t size = std::min(text.size(), N - 1);
  if (size != 0) std::memcpy(out, text.data(), size);
  out[size] = '\0';
}

inline int32_t fill_error(tidemark_error* error, int32_t code, std::string_view text, bool retryable = false,
                          uint32_t split = UINT32_MAX) noexcept {
  if (error != nullptr && error->struct_size >= sizeof(tidemark_error)) {
    error->code = code;
    error->retryable = retryable ? 1 : 0;
    error->split = split;
    copy_text(error->message, text);
  }
  return code;
}

inline int32_t fill_error(tidemark_error* error, const SourceError& e, int32_t code_if_unset) noexcept {
  const int32_t code = e.kind() == ErrorKind::unset ? code_if_unset : static_cast<int32_t>(e.kind());
  return fill_error(error, code, e.what(), e.is_retryable(), e.split());
}

#ifndef __cpp_exceptions
inline constexpr int32_t kUnsetCode = INT32_MIN;  // of a SourceError without a kind, until guard() knows better

/// The failure of this thread that guard() has not seen yet.
inline tidemark_error& pending_error() noexcept {
  static thread_local tidemark_error error{sizeof(tidemark_error), 0, 0, UINT32_MAX, {}};
  return error;
}
#endif

/// Calls `body` and turns what it throws into a code; what it returns otherwise is the result. The only `try`.
/// `code_if_unset` is the code of a SourceError without a kind.
template <typename Body>
int32_t guard(tidemark_error* error, int32_t code_if_unset, Body&& body) noexcept {
#ifdef __cpp_exceptions
  try {
    return body();
  } catch (const SourceError& e) {
    return fill_error(error, e, code_if_unset);
  } catch (const std::bad_alloc&) {
    return fill_error(error, TIDEMARK_E_NO_MEMORY, "out of memory");
  } catch (const std::system_error& e) {
    return fill_error(error, TIDEMARK_E_IO, e.what());
  } catch (const std::exception& e) {
    return fill_error(error, TIDEMARK_E_INTERNAL, e.what());
  } catch (...) {
    return fill_error(error, TIDEMARK_E_INTERNAL, "an exception that is not a std::exception was thrown");
  }
#else
  pending_error().code = 0;
  const int32_t code = body();
  const tidemark_error pending = pending_error();
  pending_error().code = 0;
  if (pending.code == 0) return code;
  const int32_t pending_code = pending.code == kUnsetCode ? code_if_unset : pending.code;
  return fill_error(error, pending_code, pending.message, pending.retryable != 0, pending.split);
#endif
}

}  // namespace detail

/// Reports a failure: throws it, or without exceptions keeps it for the host and returns Status::failed.
inline Status fail(const SourceError& error) {
#ifdef __cpp_exceptions
  throw error;
#else
  if (detail::pending_error().code == 0) detail::fill_error(&detail::pending_error(), error, detail::kUnsetCode);
  return Status::failed;
#endif
}

}  // namespace v1
}  // namespace tidemark
