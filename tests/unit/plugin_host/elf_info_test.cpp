// SPDX-License-Identifier: Apache-2.0
//
// Metadata out of ELF files without loading them; damaged files give errors and are never read past their end.
#include "core/plugin_host/elf_info.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <tidemark/abi.h>

#include <cstring>
#include <random>

#include "tests/unit/plugin_host/temporary_folder.hpp"

namespace tidemark::core {
namespace {

const std::filesystem::path kPlugins = TIDEMARK_TEST_PLUGINS;

/// The bytes of csv.so with one 32-bit word of its metadata changed.
std::string with_info_word(size_t offset, uint32_t value) {
  std::string elf = test::content_of(kPlugins / "csv.so");
  tidemark_plugin_info start{};
  start.magic = TIDEMARK_PLUGIN_MAGIC;
  start.struct_size = sizeof start;
  const size_t at = elf.find(std::string(reinterpret_cast<const char*>(&start), 8));
  EXPECT_NE(at, std::string::npos);
  std::memcpy(elf.data() + at + offset, &value, sizeof value);
  return elf;
}

TEST(ElfInfo, ReadsNameVersionAndOptions) {
  const auto info = read_plugin_info(kPlugins / "csv.so");
  ASSERT_TRUE(info.is_ok()) << info.status().message();
  EXPECT_EQ(info->name, "csv");
  EXPECT_EQ(info->version, "0.1.0");
  EXPECT_EQ(info->abi_major, TIDEMARK_ABI_MAJOR);
  EXPECT_TRUE(info->path.is_absolute());
  ASSERT_EQ(info->options.size(), 1u);
  EXPECT_EQ(info->options[0].name, "path");
  EXPECT_EQ(info->options[0].help, "File to read; each file is one split");
  EXPECT_NE(info->find_option("path"), nullptr);
  EXPECT_EQ(info->find_option("pat"), nullptr);
}

TEST(ElfInfo, OtherAbisAreRefusedWithBothVersions) {
  const auto major = parse_plugin_info(with_info_word(offsetof(tidemark_plugin_info, abi_major), 2));
  EXPECT_NE(major.status().message().find("built for plugin ABI 2.3, this tidemark has 1.3; rebuild"),
            std::string::npos)
      << major.status().message();
  const auto minor = parse_plugin_info(with_info_word(offsetof(tidemark_plugin_info, abi_minor), 7));
  EXPECT_NE(minor.status().message().find("plugin ABI 1.7, this tidemark has 1.3; upgrade tidemark"),
            std::string::npos);
}

TEST(ElfInfo, DamagedMetadataIsRefused) {
  for (const size_t offset : {offsetof(tidemark_plugin_info, struct_size), offsetof(tidemark_plugin_info, option_size),
                              offsetof(tidemark_plugin_info, option_count)}) {
    for (const uint32_t value : {1u, 1'000'000u, UINT32_MAX}) {
      if (offset == offsetof(tidemark_plugin_info, option_count) && value == 1) continue;  // that is the right one
      EXPECT_FALSE(parse_plugin_info(with_info_word(offset, value)).is_ok()) << offset << " " << value;
    }
  }
  EXPECT_FALSE(parse_plugin_info(with_info_word(offsetof(tidemark_plugin_info, name), 0x21212121)).is_ok());
  EXPECT_FALSE(parse_plugin_info(with_info_word(offsetof(tidemark_plugin_info, magic), 0)).is_ok());
}

TEST(ElfInfo, OtherMachinesAndKindsAreNamed) {
  std::string elf = test::content_of(kPlugins / "csv.so");
  const Elf64_Half other = EM_PPC64;
  std::memcpy(elf.data() + offsetof(Elf64_Ehdr, e_machine), &other, sizeof other);
  EXPECT_NE(parse_plugin_info(elf).status().message().find("another processor"), std::string::npos);
  elf = test::content_of(kPlugins / "csv.so");
  const Elf64_Half relocatable = ET_REL;
  std::memcpy(elf.data() + offsetof(Elf64_Ehdr, e_type), &relocatable, sizeof relocatable);
  EXPECT_NE(parse_plugin_info(elf).status().message().find("not a shared library"), std::string::npos);
}

TEST(ElfInfo, CutOffFilesAreErrorsAtEveryLength) {
  const std::string elf = test::content_of(kPlugins / "csv.so");
  for (size_t size = 0; size < elf.size(); size += size < 200 ? 1 : elf.size() / 200) {
    const std::string cut(elf.data(), size);  // of its own size, so that a read past it shows under ASan
    EXPECT_FALSE(parse_plugin_info(cut).is_ok()) << size;
  }
}

TEST(ElfInfo, FlippedBytesNeverCrash) {
  const std::string elf = test::content_of(kPlugins / "older.so");
  std::mt19937_64 random(7);
  const uint64_t table = reinterpret_cast<const Elf64_Ehdr*>(elf.data())->e_shoff;
  for (int i = 0; i < 2'000; ++i) {
    std::string changed = elf;
    // Where it matters: the header and the section table.
    const size_t range = i % 2 == 0 ? sizeof(Elf64_Ehdr) : changed.size() - table;
    const size_t at = (i % 2 == 0 ? 0 : table) + random() % range;
    changed[at] = static_cast<char>(random());
    const auto info = parse_plugin_info(changed);
    if (info) {
      EXPECT_EQ(info->name, "older");
    } else {
      EXPECT_FALSE(info.status().message().empty());
    }
  }
}

}  // namespace
}  // namespace tidemark::core
