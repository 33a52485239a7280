// SPDX-License-Identifier: Apache-2.0
//
// The text may come from a plugin in any language: it is taken up to its NUL or the end of the array.
#include "core/plugin_host/abi_error.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace tidemark::core {
namespace {

Code code_of(int32_t code) {
  switch (code) {
    case TIDEMARK_E_CONFIG:
      return Code::config;
    case TIDEMARK_E_IO:
      return Code::io;
    case TIDEMARK_E_DATA:
      return Code::data;
    case TIDEMARK_E_STATE:
      return Code::state;
    case TIDEMARK_E_UNSUPPORTED:
      return Code::unsupported;
    default:
      return Code::plugin;
  }
}

}  // namespace

tidemark_error make_abi_error() noexcept {
  tidemark_error out{};
  out.struct_size = sizeof out;
  out.split = UINT32_MAX;
  return out;
}

Status abi_status(int32_t code, const tidemark_error& error) {
  std::string text(error.message, strnlen(error.message, sizeof error.message));
  if (text.empty()) text = "it gave no reason";
  if (code == TIDEMARK_E_NO_MEMORY) text = "out of memory: " + text;
  if (code > TIDEMARK_END || code < TIDEMARK_E_INTERNAL) {
    text = "it answered with the unknown code " + std::to_string(code) + ": " + text;
  }
  Status out(code_of(code), std::move(text));
  return error.retryable != 0 ? std::move(out).set_retryable() : out;
}

}  // namespace tidemark::core
