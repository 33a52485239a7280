// SPDX-License-Identifier: Apache-2.0
//
// See the header.
#include "core/base/secret.hpp"

#include "core/base/files.hpp"

namespace tidemark::core {

Result<Secret> SecretSource::read() const {
  if (file.empty()) return text;
  auto content = read_file(file);
  if (!content) return content.status().with_context("the password");
  if (content->ends_with('\n')) content->pop_back();
  if (content->ends_with('\r')) content->pop_back();
  return Secret(std::move(*content));
}

}  // namespace tidemark::core
