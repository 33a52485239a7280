// SPDX-License-Identifier: Apache-2.0
// Writes encrypted binlogs and keyring files as a MySQL server does, by hand from the format: the block cipher and the
// hashes are libcrypto's, the modes, headers and files are made here, apart from the reader's code.
// One thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/binlog/binlog_builder.hpp"

namespace tidemark::binlog {

struct LogKey {
  std::string id = "MySQLReplicationKey_83019dc0-ec8a-11f1-946b-02fc00000001_1";
  std::array<uint8_t, 32> bytes{};
};

/// A key whose bytes follow from `seed`.
LogKey log_key(uint8_t seed);
/// The file as the server writes it with binlog_encryption=ON.
Bytes encrypted(const Bytes& log, const LogKey& key);
/// As component_keyring_file writes it.
std::string keyring_json(const std::vector<LogKey>& keys);
/// As the plugin keyring_file writes it; `version` 1 or 2.
std::string keyring_binary(const std::vector<LogKey>& keys, int version);

}  // namespace tidemark::binlog
