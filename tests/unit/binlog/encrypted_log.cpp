// SPDX-License-Identifier: Apache-2.0
// See the header. One thread.
#include "tests/unit/binlog/encrypted_log.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace tidemark::binlog {
namespace {

using Block = std::array<uint8_t, 16>;

/// One block of AES-256, without any mode.
class Aes {
 public:
  explicit Aes(const uint8_t* key) : context_(EVP_CIPHER_CTX_new()) {
    if (EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ecb(), nullptr, key, nullptr) != 1) throw std::bad_alloc();
  }
  Block of(const Block& block) {
    Block out;
    int bytes = 0;
    if (EVP_EncryptUpdate(context_.get(), out.data(), &bytes, block.data(), 16) != 1) throw std::bad_alloc();
    return out;
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

std::string le64(uint64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}

}  // namespace

LogKey log_key(uint8_t seed) {
  LogKey key;
  for (size_t i = 0; i < key.bytes.size(); ++i) key.bytes[i] = static_cast<uint8_t>(seed * 37 + i * 11);
  return key;
}

Bytes encrypted(const Bytes& log, const LogKey& key) {
  std::array<uint8_t, 32> password;
  for (size_t i = 0; i < password.size(); ++i) password[i] = static_cast<uint8_t>(200 - i * 3);
  Block iv;
  for (size_t i = 0; i < iv.size(); ++i) iv[i] = static_cast<uint8_t>(7 * i + 1);

  Bytes out{0xfd, 'b', 'i', 'n', 1};
  out.push_back(1);
  out.push_back(static_cast<uint8_t>(key.id.size()));
  out.insert(out.end(), key.id.begin(), key.id.end());
  out.push_back(2);
  Aes of_key(key.bytes.data());
  Block previous = iv;
  for (size_t begin = 0; begin < password.size(); begin += 16) {
    Block block;
    for (size_t i = 0; i < 16; ++i) block[i] = static_cast<uint8_t>(password[begin + i] ^ previous[i]);
    previous = of_key.of(block);
    out.insert(out.end(), previous.begin(), previous.end());
  }
  out.push_back(3);
  out.insert(out.end(), iv.begin(), iv.end());
  out.resize(512);

  std::array<uint8_t, 64> derived;
  SHA512(password.data(), password.size(), derived.data());
  Aes of_file(derived.data());
  for (size_t at = 0; at < log.size(); ++at) {
    static thread_local Block stream;
    if (at % 16 == 0) {
      Block counter{};
      std::memcpy(counter.data(), derived.data() + 32, 8);
      for (size_t i = 0; i < 8; ++i) counter[8 + i] = static_cast<uint8_t>(at / 16 >> (56 - 8 * i));
      stream = of_file.of(counter);
    }
    out.push_back(static_cast<uint8_t>(log[at] ^ stream[at % 16]));
  }
  return out;
}

std::string keyring_json(const std::vector<LogKey>& keys) {
  std::string out = "{\"version\":\"1.0\",\"elements\":[";
  out += "{\"user\":\"\",\"data_id\":\"INNODBKey-1\",\"data_type\":\"AES\",\"data\":\"00\",\"extension\":[]}";
  for (const LogKey& key : keys) {
    out += ",{\"user\":\"\",\"data_id\":\"" + key.id + "\",\"data_type\":\"AES\",\"data\":\"";
    for (const uint8_t byte : key.bytes) {
      out += "0123456789ABCDEF"[byte >> 4];
      out += "0123456789ABCDEF"[byte & 15];
    }
    out += "\",\"extension\":[]}";
  }
  return out + "]}";
}

std::string keyring_binary(const std::vector<LogKey>& keys, int version) {
  const std::string over = "*305=Ljt0*!@$Hnm(*-9-w;:";
  std::string body;
  for (const LogKey& key : keys) {
    std::string fields = key.id + "AES";
    for (size_t i = 0; i < key.bytes.size(); ++i) fields += static_cast<char>(key.bytes[i] ^ over[i % over.size()]);
    fields.resize((fields.size() + 7) / 8 * 8);
    body += le64(40 + fields.size()) + le64(key.id.size()) + le64(3) + le64(0) + le64(key.bytes.size()) + fields;
  }
  std::string out = "Keyring file version:" + std::to_string(version) + ".0" + body + "EOF";
  if (version == 2) {
    std::array<unsigned char, 32> digest;
    SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), digest.data());
    out.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  return out;
}

}  // namespace tidemark::binlog
