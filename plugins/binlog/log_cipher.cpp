// SPDX-License-Identifier: Apache-2.0
// See the header. The stream's key and the first half of its counter block are the SHA-512 of the password; the second
// half is the number of the 16-byte block, big-endian.
// One thread at a time.
#include "binlog/log_cipher.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <climits>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {
namespace {

constexpr uint8_t kHeaderVersion = 1;
constexpr size_t kBlockBytes = 16;

enum Field : uint8_t { kEndOfFields = 0, kKeyId = 1, kEncryptedPassword = 2, kPasswordIv = 3 };

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

DecodeError corrupt(std::string text) {
  return {ErrorKind::corrupt, "the file's encryption header " + std::move(text), {}, 0, "copy the file again"};
}

bool decrypt_password(const EncryptionHeader& header, const SecretKey& key, SecretKey& password) {
  const Context context(EVP_CIPHER_CTX_new());
  int bytes = 0;
  return context &&
         EVP_DecryptInit_ex(context.get(), EVP_aes_256_cbc(), nullptr, key.bytes.data(), header.iv.data()) == 1 &&
         EVP_CIPHER_CTX_set_padding(context.get(), 0) == 1 &&
         EVP_DecryptUpdate(context.get(), password.bytes.data(), &bytes, header.encrypted_password.data(),
                           static_cast<int>(header.encrypted_password.size())) == 1 &&
         bytes == static_cast<int>(password.bytes.size());
}

}  // namespace

Outcome<EncryptionHeader> parse_encryption_header(std::span<const uint8_t> bytes) {
  if (bytes.size() != kEncryptionHeaderBytes ||
      !std::equal(kEncryptedMagic.begin(), kEncryptedMagic.end(), bytes.begin())) {
    return corrupt("is cut short");
  }
  ByteCursor cursor(bytes.subspan(kEncryptedMagic.size()));
  if (const uint8_t version = cursor.u8(); version != kHeaderVersion) {
    return DecodeError{ErrorKind::unsupported,
                       "the file's encryption header has version " + std::to_string(version),
                       {},
                       0,
                       "only version 1 is known: read the binlogs from the server over the network"};
  }
  EncryptionHeader header;
  bool has_password = false;
  bool has_iv = false;
  for (uint8_t field = cursor.u8(); cursor.ok() && field != kEndOfFields; field = cursor.u8()) {
    if (field == kKeyId) {
      header.key_id = cursor.text(cursor.u8());
    } else if (field == kEncryptedPassword) {
      const auto password = cursor.bytes(header.encrypted_password.size());
      std::copy(password.begin(), password.end(), header.encrypted_password.begin());
      has_password = true;
    } else if (field == kPasswordIv) {
      const auto iv = cursor.bytes(header.iv.size());
      std::copy(iv.begin(), iv.end(), header.iv.begin());
      has_iv = true;
    } else {
      return corrupt("has an unknown field " + std::to_string(field));
    }
  }
  if (!cursor.ok()) return corrupt("is damaged");
  if (header.key_id.empty() || !has_password || !has_iv) return corrupt("lacks the key's name, the password or its IV");
  return header;
}

struct LogCipher::State {
  Context context{EVP_CIPHER_CTX_new()};
  std::array<uint8_t, SHA512_DIGEST_LENGTH> derived{};

  ~State() { OPENSSL_cleanse(derived.data(), derived.size()); }
};

LogCipher::LogCipher(std::unique_ptr<State> state) : state_(std::move(state)) {}
LogCipher::LogCipher(LogCipher&&) noexcept = default;
LogCipher& LogCipher::operator=(LogCipher&&) noexcept = default;
LogCipher::~LogCipher() = default;

Outcome<LogCipher> LogCipher::create(const EncryptionHeader& header, const SecretKey& key) {
  auto state = std::make_unique<State>();
  SecretKey password;
  if (!state->context || !decrypt_password(header, key, password)) {
    return DecodeError{ErrorKind::unsupported, "libcrypto refuses AES-256", {}, 0, "check its configuration"};
  }
  SHA512(password.bytes.data(), password.bytes.size(), state->derived.data());
  return LogCipher(std::move(state));
}

bool LogCipher::decrypt(uint64_t offset, std::span<uint8_t> bytes) {
  constexpr size_t kKeyBytes = 32;
  EVP_CIPHER_CTX* context = state_->context.get();
  std::array<uint8_t, kBlockBytes> counter;
  std::copy_n(state_->derived.begin() + kKeyBytes, kBlockBytes, counter.begin());
  const uint64_t block = offset / kBlockBytes;
  for (size_t i = 0; i < 8; ++i) counter[15 - i] = static_cast<uint8_t>(block >> (8 * i));
  if (EVP_DecryptInit_ex(context, EVP_aes_256_ctr(), nullptr, state_->derived.data(), counter.data()) != 1)
    return false;
  std::array<uint8_t, kBlockBytes> before{};
  int done = 0;
  const auto skipped = static_cast<int>(offset % kBlockBytes);
  if (skipped > 0 && EVP_DecryptUpdate(context, before.data(), &done, before.data(), skipped) != 1) return false;
  while (!bytes.empty()) {
    const auto step = static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX));
    if (EVP_DecryptUpdate(context, bytes.data(), &done, bytes.data(), step) != 1 || done != step) return false;
    bytes = bytes.subspan(static_cast<size_t>(step));
  }
  return true;
}

}  // namespace tidemark::binlog
