// SPDX-License-Identifier: Apache-2.0
// MySQL's encrypted binlogs (binlog_encryption=ON): a header of 512 bytes with the name of a key and a password that
// this key encrypts, then the binlog as a stream of AES-256-CTR, readable from any offset.
//
// Invariants: offsets are those of the stream, the header not counted: what the server shows as positions. Neither keys
// nor passwords get into messages.
// One thread at a time. Source: MySQL manual "Binary Log File Encryption"; format of Rpl_encryption_header_v1.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "binlog/decode_error.hpp"
#include "binlog/keyring_file.hpp"

namespace tidemark::binlog {

inline constexpr uint64_t kEncryptionHeaderBytes = 512;
inline constexpr std::array<uint8_t, 4> kEncryptedMagic{0xfd, 'b', 'i', 'n'};

struct EncryptionHeader {
  std::string key_id;
  std::array<uint8_t, 32> encrypted_password{};
  std::array<uint8_t, 16> iv{};
};

/// `bytes`: the whole header, its magic included. Errors without file.
Outcome<EncryptionHeader> parse_encryption_header(std::span<const uint8_t> bytes);

class LogCipher {
 public:
  /// Decrypts the header's password with the key. ErrorKind::unsupported only if the library refuses.
  static Outcome<LogCipher> create(const EncryptionHeader& header, const SecretKey& key);

  LogCipher(LogCipher&&) noexcept;
  LogCipher& operator=(LogCipher&&) noexcept;
  ~LogCipher();

  /// Decrypts, in place, bytes that stand at `offset`. False if the library fails.
  bool decrypt(uint64_t offset, std::span<uint8_t> bytes);

 private:
  struct State;
  explicit LogCipher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemark::binlog
