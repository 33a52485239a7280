// SPDX-License-Identifier: Apache-2.0
//
// Passwords and their like. A Secret is a text that nothing prints by accident: whoever needs it says reveal(). A
// SecretSource says where one comes from; a file is read anew each time, so that a changed password needs no restart.
// Values.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/base/status.hpp"

namespace tidemark::core {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  /// The text itself: for the call that needs it, never for a message.
  const std::string& reveal() const noexcept { return text_; }
  bool is_empty() const noexcept { return text_.empty(); }

 private:
  std::string text_;
};

struct SecretSource {
  Secret text;                 ///< where there is no file
  std::filesystem::path file;  ///< absolute; empty: `text` it is

  /// The secret; a file's without its last line end. The error names the file.
  Result<Secret> read() const;
};

}  // namespace tidemark::core
