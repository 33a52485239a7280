// SPDX-License-Identifier: Apache-2.0
// See the header. Thread: any.
#include "binlog/keyring_file.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "binlog/ascii_text.hpp"
#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {
namespace {

constexpr std::string_view kKeyPrefix = "MySQLReplicationKey_";
constexpr std::string_view kKeyType = "AES";
constexpr std::string_view kVersion1 = "Keyring file version:1.0";
constexpr std::string_view kVersion2 = "Keyring file version:2.0";
constexpr std::string_view kEndTag = "EOF";
constexpr size_t kFileBytesMax = size_t{16} << 20;
/// The plugin stores keys with this laid over them.
constexpr std::string_view kObfuscation = "*305=Ljt0*!@$Hnm(*-9-w;:";

DecodeError refused(ErrorKind kind, const std::string& path, std::string text) {
  return {kind, "keyring file: " + std::move(text), path, 0,
          "name the file of the server's component_keyring_file or keyring_file plugin"};
}

bool is_replication_key(std::string_view id, std::string_view type, size_t bytes) {
  return id.starts_with(kKeyPrefix) && type == kKeyType && bytes == SecretKey().bytes.size();
}

bool read_hex(std::string_view text, SecretKey& key) {
  if (text.size() != 2 * key.bytes.size()) return false;
  for (size_t i = 0; i < key.bytes.size(); ++i) {
    const int high = hex_digit(text[2 * i]);
    const int low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    key.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

using Keys = std::map<std::string, SecretKey, std::less<>>;

Checked read_json(std::string_view bytes, const std::string& path, Keys& keys) {
  using nlohmann::json;
  const json document = json::parse(bytes, nullptr, false);
  if (!document.is_object()) return refused(ErrorKind::corrupt, path, "not valid JSON");
  const auto version = document.find("version");
  const auto elements = document.find("elements");
  if (version == document.end() || elements == document.end() || !elements->is_array()) {
    return refused(ErrorKind::corrupt, path, "it has no \"version\" and \"elements\"");
  }
  if (*version != "1.0") return refused(ErrorKind::unsupported, path, "its version is not 1.0");
  for (const json& element : *elements) {
    const auto text = [&](const char* name) -> std::string_view {
      const auto field = element.is_object() ? element.find(name) : element.end();
      return element.is_object() && field != element.end() && field->is_string()
                 ? std::string_view(field->get_ref<const std::string&>())
                 : std::string_view();
    };
    const std::string_view data = text("data");
    if (!is_replication_key(text("data_id"), text("data_type"), data.size() / 2)) continue;
    SecretKey key;
    if (!read_hex(data, key)) {
      return refused(ErrorKind::corrupt, path, "the data of key " + std::string(text("data_id")) + " are damaged");
    }
    keys.insert_or_assign(std::string(text("data_id")), key);
  }
  return Done{};
}

/// One key: five 64-bit lengths (all of it, id, type, user, key), then those, padded to 8 bytes.
bool take_key(ByteCursor& cursor, Keys& keys) {
  const size_t begin = cursor.offset();
  const uint64_t all = cursor.u64();
  const uint64_t id_bytes = cursor.u64();
  const uint64_t type_bytes = cursor.u64();
  const uint64_t user_bytes = cursor.u64();
  const uint64_t key_bytes = cursor.u64();
  const std::string_view id = cursor.text(id_bytes);
  const std::string_view type = cursor.text(type_bytes);
  cursor.skip(user_bytes);
  const std::span<const uint8_t> data = cursor.bytes(key_bytes);
  if (!cursor.ok()) return false;
  const size_t used = cursor.offset() - begin;
  if (all < used || all - used >= 8 || all % 8 != 0) return false;
  cursor.skip(all - used);
  if (!cursor.ok()) return false;
  if (!is_replication_key(id, type, data.size())) return true;
  SecretKey key;
  for (size_t i = 0; i < key.bytes.size(); ++i) {
    key.bytes[i] = static_cast<uint8_t>(data[i] ^ static_cast<uint8_t>(kObfuscation[i % kObfuscation.size()]));
  }
  keys.insert_or_assign(std::string(id), key);
  return true;
}

Checked read_binary(std::string_view bytes, const std::string& path, Keys& keys) {
  const bool with_digest = bytes.starts_with(kVersion2);
  const size_t tail = kEndTag.size() + (with_digest ? SHA256_DIGEST_LENGTH : 0);
  std::string_view rest = bytes.substr(kVersion1.size());
  if (rest.size() < tail || rest.substr(rest.size() - tail, kEndTag.size()) != kEndTag) {
    return refused(ErrorKind::corrupt, path, "its end mark is missing");
  }
  const std::string_view digest = rest.substr(rest.size() - tail + kEndTag.size());
  rest.remove_suffix(tail);
  if (with_digest && !rest.empty()) {
    std::array<uint8_t, SHA256_DIGEST_LENGTH> computed;
    SHA256(reinterpret_cast<const unsigned char*>(rest.data()), rest.size(), computed.data());
    if (std::memcmp(computed.data(), digest.data(), computed.size()) != 0) {
      return refused(ErrorKind::corrupt, path, "its digest is wrong");
    }
  }
  ByteCursor cursor({reinterpret_cast<const uint8_t*>(rest.data()), rest.size()});
  while (!cursor.at_end()) {
    if (!take_key(cursor, keys)) {
      return refused(ErrorKind::unsupported, path,
                     "its lengths do not add up: only files of 64-bit little-endian servers are read");
    }
  }
  return Done{};
}

}  // namespace

SecretKey::~SecretKey() {
  OPENSSL_cleanse(bytes.data(), bytes.size());
}

Outcome<KeyringFile> KeyringFile::open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  if (file) {
    bytes.resize(kFileBytesMax + 1);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<size_t>(file.gcount()));
  }
  if (!file.eof()) {
    if (bytes.size() > kFileBytesMax) return refused(ErrorKind::unsupported, path, "it is larger than 16 MiB");
    return DecodeError{ErrorKind::io, std::string("cannot read the keyring file: ") + std::strerror(errno), path, 0,
                       "check the path and its permissions"};
  }
  auto keyring = parse(bytes, path);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return keyring;
}

Outcome<KeyringFile> KeyringFile::parse(std::string_view bytes, const std::string& path) {
  KeyringFile keyring;
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  Checked done = Done{};
  if (bytes.starts_with(kVersion1) || bytes.starts_with(kVersion2)) {
    done = read_binary(bytes, path, keyring.keys_);
  } else if (first != std::string_view::npos && bytes[first] == '{') {
    done = read_json(bytes, path, keyring.keys_);
  } else {
    done = refused(ErrorKind::unsupported, path, "neither JSON nor a file of the keyring_file plugin");
  }
  if (!done) return std::move(done).error();
  return keyring;
}

const SecretKey* KeyringFile::find(std::string_view key_id) const {
  const auto found = keys_.find(key_id);
  return found == keys_.end() ? nullptr : &found->second;
}

}  // namespace tidemark::binlog
