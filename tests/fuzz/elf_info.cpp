// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the metadata of a plugin out of the bytes of an ELF file. One thread.
#include "core/plugin_host/elf_info.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tidemark;
  const auto info = core::parse_plugin_info(fuzz::text_of({data, size}));
  if (!info) {
    fuzz::require(!info.status().message().empty(), "an error has a text");
    return 0;
  }
  fuzz::require(!info->name.empty(), "a plugin has a name");
  for (const auto& option : info->options) {
    fuzz::require(info->find_option(option.name) == &option, "each option is found by its name");
  }
  return 0;
}
