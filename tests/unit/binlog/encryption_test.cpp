// SPDX-License-Identifier: Apache-2.0
// Encrypted binlogs of MySQL and keyring files, written by hand (encrypted_log.hpp). One thread.
#include <gtest/gtest.h>

#include <fstream>

#include "binlog/file_reader.hpp"
#include "binlog/keyring_file.hpp"
#include "binlog/log_cipher.hpp"
#include "binlog/transaction_reader.hpp"
#include "encrypted_log.hpp"
#include "group_reading.hpp"
#include "tests/corpora_files.hpp"

namespace tidemark::binlog {
namespace {

class Encryption : public ::testing::Test {
 protected:
  std::string write(const char* name, std::string_view bytes) const {
    test::write_bytes(folder_ / name, {bytes.begin(), bytes.end()});
    return (folder_ / name).string();
  }
  std::string write(const char* name, const Bytes& bytes) const {
    test::write_bytes(folder_ / name, bytes);
    return (folder_ / name).string();
  }

  std::filesystem::path folder_ =
      test::fresh_folder(std::string("encryption_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

// The cipher itself: a header and a stream of zeros, which show the key stream.
TEST_F(Encryption, AnyOffsetCanBeDecrypted) {
  const Bytes plain(5000, uint8_t{0x5a});
  Bytes file = encrypted(plain, log_key(1));
  const auto header = parse_encryption_header({file.data(), kEncryptionHeaderBytes});
  ASSERT_TRUE(header.ok()) << header.error().to_string();
  EXPECT_EQ(header->key_id, log_key(1).id);
  SecretKey key;
  key.bytes = log_key(1).bytes;
  auto cipher = LogCipher::create(*header, key);
  ASSERT_TRUE(cipher.ok());
  for (const size_t offset : {0u, 1u, 15u, 16u, 17u, 4096u, 4999u}) {
    Bytes part(file.begin() + 512 + static_cast<std::ptrdiff_t>(offset), file.end());
    ASSERT_TRUE(cipher->decrypt(offset, part));
    EXPECT_EQ(part, Bytes(plain.begin() + static_cast<std::ptrdiff_t>(offset), plain.end())) << offset;
  }
  // Beyond 4 GiB the block counter has more than 32 bits: two offsets 64 GiB apart differ.
  Bytes low(16), high(16);
  ASSERT_TRUE(cipher->decrypt(0, low) && cipher->decrypt(uint64_t{1} << 36, high));
  EXPECT_NE(low, high);
}

TEST_F(Encryption, FilesReadAsIfTheyWerePlain) {
  const Bytes plain = test::read_bytes(test::corpus("orders-mysql-9.7") / "shard-01" / "binlog.000001");
  const std::string plain_path = write("plain", plain);
  const std::string path = write("binlog.000001", encrypted(plain, log_key(1)));
  const Reading wanted = read_binlog(plain_path);
  for (const std::string& keyring :
       {keyring_json({log_key(9), log_key(1)}), keyring_binary({log_key(1)}, 1), keyring_binary({log_key(1)}, 2)}) {
    const Reading got = read_binlog(path, 0, true, nullptr, write("keyring", keyring));
    ASSERT_FALSE(got.error) << got.error->to_string();
    EXPECT_EQ(got.items, wanted.items);
    EXPECT_EQ(got.resume_position, wanted.resume_position) << "positions do not count the header";
  }
  // A position in the middle, as the server shows it.
  auto file = FileReader::open(path, (folder_ / "keyring").string());
  ASSERT_TRUE(file.ok());
  EventView event;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(*file->next(event), ReadState::ready);
  auto again = FileReader::open(path, (folder_ / "keyring").string());
  ASSERT_TRUE(again->seek(event.position).ok());
  EventView same;
  ASSERT_EQ(*again->next(same), ReadState::ready);
  EXPECT_EQ(same.header.end_position, event.header.end_position);
  EXPECT_EQ(same.header.end_position, static_cast<uint32_t>(event.next_position));
}

TEST_F(Encryption, WithoutTheKeyItIsRefusedWithTheWayOut) {
  const std::string path = write("f", encrypted(BinlogBuilder().bytes(), log_key(1)));
  const auto open = [&](const std::string& keyring) { return FileReader::open(path, keyring).error(); };
  EXPECT_EQ(open({}).kind, ErrorKind::unsupported);
  EXPECT_NE(open({}).text.find(log_key(1).id), std::string::npos);
  EXPECT_NE(open({}).remedy.find("--keyring"), std::string::npos);
  LogKey other = log_key(1);
  other.id.back() = '2';
  EXPECT_NE(open(write("k", keyring_json({other}))).text.find("is not in " + (folder_ / "k").string()),
            std::string::npos);
  other = log_key(2);
  const DecodeError wrong = open(write("k", keyring_json({other})));
  EXPECT_EQ(wrong.kind, ErrorKind::corrupt);
  EXPECT_NE(wrong.text.find("no binlog"), std::string::npos) << wrong.text;
  EXPECT_EQ(open((folder_ / "none").string()).kind, ErrorKind::io);
}

TEST_F(Encryption, ACutFileWaitsAndADamagedHeaderIsNamed) {
  BinlogBuilder builder;
  builder.query("CREATE TABLE t (a INT)");
  const Bytes whole = encrypted(builder.bytes(), log_key(1));
  const std::string keyring = write("k", keyring_json({log_key(1)}));
  const size_t first_event = 512 + builder.bytes().size() - 60;
  for (size_t size = 4; size < whole.size(); ++size) {
    const std::string path = write("f", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    auto file = FileReader::open(path, keyring);
    if (!file.ok()) {
      ASSERT_EQ(file.error().kind, ErrorKind::torn_tail) << size << ": " << file.error().to_string();
      ASSERT_LT(size, first_event);
      continue;
    }
    EventView event;
    const auto state = file->next(event);
    ASSERT_TRUE(state.ok()) << state.error().to_string();
    ASSERT_NE(*state, ReadState::ready);
  }
  for (const auto& [at, value] : std::vector<std::pair<size_t, uint8_t>>{{4, 2}, {5, 9}, {6, 0}, {6, 255}}) {
    Bytes damaged = whole;
    damaged[at] = value;
    const auto error = FileReader::open(write("f", damaged), keyring).error();
    EXPECT_NE(error.text.find("encryption header"), std::string::npos) << error.to_string();
  }
}

TEST_F(Encryption, KeyringFilesThatAreNoneAreRefused) {
  const auto parse = [](std::string_view bytes) { return KeyringFile::parse(bytes, "k"); };
  const std::string secret = "5A5B5C5D5E5F606162636465666768696A6B6C6D6E6F70717273747576777G";
  for (const std::string& bad :
       {std::string(), std::string("text"), std::string("{"), std::string("{}"),
        std::string("{\"version\":\"2.0\",\"elements\":[]}"), std::string("{\"version\":\"1.0\",\"elements\":{}}"),
        "{\"version\":\"1.0\",\"elements\":[{\"data_id\":\"MySQLReplicationKey_x_1\",\"data_type\":\"AES\",\"data\":"
        "\"" +
            secret + "00\"}]}",
        std::string("Keyring file version:3.0EOF"), std::string("Keyring file version:1.0"),
        std::string("Keyring file version:1.0abcEOF")}) {
    const auto keyring = parse(bad);
    ASSERT_FALSE(keyring.ok()) << bad;
    EXPECT_EQ(keyring.error().to_string().find(secret.substr(0, 8)), std::string::npos) << "a key in a message";
  }
  std::string damaged = keyring_binary({log_key(1)}, 2);
  damaged[100] = static_cast<char>(damaged[100] ^ 1);
  EXPECT_NE(parse(damaged).error().text.find("digest"), std::string::npos);
  for (const std::string& whole : {keyring_json({log_key(1)}), keyring_binary({log_key(1)}, 1)}) {
    EXPECT_EQ(parse(whole)->size(), 1u);
    for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(parse(whole.substr(0, size)).ok()) << size;
  }
  EXPECT_EQ(parse("{\"version\":\"1.0\",\"elements\":[1,null,{\"data_id\":7}]}")->size(), 0u);
}

}  // namespace
}  // namespace tidemark::binlog
