// SPDX-License-Identifier: Apache-2.0
// From the decoder's errors to the SDK's: the text with file and position, and the kind the host decides by.
// Invariant: an error that came without a file gets that of the event it is about.
// Thread: any; no state.
#pragma once

#include <cstdint>

#include "binlog/decode_error.hpp"
#include "binlog/file_reader.hpp"

namespace tidemark::binlog_file {

/// Throws it as a SourceError.
[[noreturn]] void raise(const binlog::DecodeError& error);
[[noreturn]] inline void raise(const binlog::DecodeError& error, const binlog::FileReader& file, uint64_t position) {
  raise(located(error, file.path(), position));
}

}  // namespace tidemark::binlog_file
