// SPDX-License-Identifier: Apache-2.0
// A shared library with a plugin's metadata and no code: what elf_info.cpp starts from. Never loaded.
// No thread.
#include <tidemark/source.hpp>

extern "C" {
__attribute__((visibility("default"))) extern const tidemark_plugin_info tidemark_plugin_info_v1;
}
__attribute__((section(TIDEMARK_INFO_SECTION), used)) constinit const tidemark_plugin_info tidemark_plugin_info_v1 =
    tidemark::detail::make_info(TIDEMARK_PROVIDES_SOURCE, "seed", "0.1.0",
                                {{"path", "text", "", "File to read"}, {"limit", "size", "64MiB", "At most"}});
