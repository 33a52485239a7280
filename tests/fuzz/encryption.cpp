// SPDX-License-Identifier: Apache-2.0
// Fuzz target: keyring files, encryption headers and encrypted binlogs. The input's first byte chooses: a keyring file
// as it is; a header that is filled up to its size; a binlog that is encrypted here, then damaged where the next bytes
// say; a file as it is behind the magic. One thread.
#include <vector>

#include "binlog/file_reader.hpp"
#include "binlog/keyring_file.hpp"
#include "binlog/log_cipher.hpp"
#include "tests/fuzz/binlog_drive.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/unit/binlog/encrypted_log.hpp"

namespace tidemark::fuzz {
namespace {

void parse_keyring(std::span<const uint8_t> bytes) {
  const auto keyring = binlog::KeyringFile::parse(text_of(bytes), "keyring");
  if (!keyring) require(!keyring.error().text.empty(), "an error has a text");
}

void parse_header(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> header(binlog::kEncryptedMagic.begin(), binlog::kEncryptedMagic.end());
  header.insert(header.end(), bytes.begin(), bytes.end());
  header.resize(binlog::kEncryptionHeaderBytes);
  const auto parsed = binlog::parse_encryption_header(header);
  if (!parsed) return;
  require(!parsed->key_id.empty(), "a header names its key");
  require(binlog::LogCipher::create(*parsed, {}).ok(), "any password can be decrypted");
}

uint64_t read_events(const std::string& path, const std::string& keyring) {
  auto file = binlog::FileReader::open(path, keyring);
  if (!file) return 0;
  binlog::EventView event;
  uint64_t events = 0;
  while (true) {
    const auto state = file->next(event);
    if (!state || *state != binlog::ReadState::ready) return events;
    require(event.next_position == file->position(), "positions add up");
    ++events;
  }
}

void read_file(const std::vector<uint8_t>& bytes) {
  static MemoryFile file;
  static MemoryFile keyring;
  static const std::string json = binlog::keyring_json({binlog::log_key(1)});
  keyring.write({reinterpret_cast<const uint8_t*>(json.data()), json.size()});
  file.write(bytes);
  (void)read_events(file.path(), keyring.path());
}

void same_as_plain(std::span<const uint8_t> log) {
  static MemoryFile plain;
  static MemoryFile file;
  static MemoryFile keyring;
  const std::string binary = binlog::keyring_binary({binlog::log_key(1)}, 2);
  keyring.write({reinterpret_cast<const uint8_t*>(binary.data()), binary.size()});
  plain.write(log);
  file.write(binlog::encrypted({log.begin(), log.end()}, binlog::log_key(1)));
  require(read_events(plain.path(), {}) == read_events(file.path(), keyring.path()), "encryption changes nothing");
}

}  // namespace
}  // namespace tidemark::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  fuzz::Input input(data, size);
  const uint8_t kind = input.byte();
  switch (kind & 3) {
    case 0:
      fuzz::parse_keyring(input.rest());
      break;
    case 1:
      fuzz::parse_header(input.rest());
      break;
    case 2: {
      const auto place = static_cast<size_t>(input.number(2));
      const uint8_t change = input.byte();
      const auto log = input.rest();
      std::vector<uint8_t> bytes = binlog::encrypted({log.begin(), log.end()}, binlog::log_key(1));
      bytes[place % bytes.size()] ^= change;
      fuzz::read_file(bytes);
      break;
    }
    default:
      fuzz::same_as_plain(input.rest());
      break;
  }
  return 0;
}
