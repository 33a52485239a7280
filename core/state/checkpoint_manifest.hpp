// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a retained checkpoint: which job and epoch it holds and the size and checksum of each of its files.
// A text that people can read, with a checksum of its own in its last line. It is the last file of a checkpoint that is
// written, so a folder without one is no checkpoint. Values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.hpp"
#include "core/base/status.hpp"
#include "core/base/time.hpp"

namespace tidemark::core {

struct CheckpointFile {
  std::string name;
  FileSum sum;

  bool operator==(const CheckpointFile&) const = default;
};

enum class MadeBy : uint8_t {
  schedule,  ///< goes when enough newer ones are there
  hand,      ///< stays until somebody removes it
};

struct CheckpointManifest {
  std::string job;
  uint64_t epoch = 0;
  Micros wall_us = kNoTime;  ///< when the epoch was committed
  MadeBy made_by = MadeBy::schedule;
  std::vector<CheckpointFile> files{};  ///< of its database, by name

  uint64_t bytes() const noexcept;
  bool operator==(const CheckpointManifest&) const = default;
};

std::string encode(const CheckpointManifest& manifest);
/// Code::damage, or Code::state when it is of a later version; the caller says of which checkpoint.
Result<CheckpointManifest> decode_checkpoint_manifest(std::string_view text);

}  // namespace tidemark::core
