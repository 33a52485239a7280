// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: any.
#include "binlog_file/read_error.hpp"

#include <tidemark/source.hpp>

namespace tidemark::binlog_file {

void raise(const binlog::DecodeError& error) {
  ErrorKind kind = ErrorKind::data;
  if (error.kind == binlog::ErrorKind::io) kind = ErrorKind::io;
  if (error.kind == binlog::ErrorKind::unsupported) kind = ErrorKind::unsupported;
  fail(SourceError(error.to_string()).kind(kind));
  __builtin_unreachable();
}

}  // namespace tidemark::binlog_file
