// SPDX-License-Identifier: Apache-2.0
// The keyring file of a MySQL server, from which encrypted binlogs get their keys: that of component_keyring_file
// (JSON) or of the older plugin keyring_file (binary, versions 1.0 and 2.0, as 64-bit little-endian servers write it).
//
// Invariants: only replication keys (MySQLReplicationKey_<server uuid>_<number>, AES, 32 bytes) are kept; key bytes
// never get into messages and are wiped when the object ends.
// Plain value; any thread. Source: MySQL manual "The MySQL Keyring", "Binary Log Encryption Keys".
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "binlog/decode_error.hpp"

namespace tidemark::binlog {

/// Bytes that are wiped when they are no longer needed.
class SecretKey {
 public:
  SecretKey() = default;
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  std::array<uint8_t, 32> bytes{};
};

class KeyringFile {
 public:
  /// ErrorKind::io where it cannot be read; `corrupt` or `unsupported` where it is no keyring file.
  static Outcome<KeyringFile> open(const std::string& path);
  /// Of bytes read from `path`, which is for messages.
  static Outcome<KeyringFile> parse(std::string_view bytes, const std::string& path);

  /// nullptr = no such replication key.
  const SecretKey* find(std::string_view key_id) const;
  size_t size() const { return keys_.size(); }

 private:
  std::map<std::string, SecretKey, std::less<>> keys_;
};

}  // namespace tidemark::binlog
