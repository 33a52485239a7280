// SPDX-License-Identifier: Apache-2.0
//
// Folders: making, listing, renaming and removing them so that a crash of the machine leaves either what was before or
// what is after. Every failure names the path, the system's reason and, where there is one, the remedy. Pure
// functions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/status.hpp"

namespace tidemark::core {

/// Creates the folder and its parents, and makes their names durable.
Status make_directories(const std::filesystem::path& path);
/// The names in a folder, sorted; none where there is no such folder.
Result<std::vector<std::string>> folder_entries(const std::filesystem::path& folder);
/// Makes its entries durable: files that were created, renamed or removed in it.
Status sync_folder(const std::filesystem::path& folder);
/// Gives a folder another name beside it, which must not be taken.
Status rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);
/// Swaps the names of two folders of one file system in one step. Code::unsupported where the file system cannot.
Status exchange_folders(const std::filesystem::path& one, const std::filesystem::path& other);
/// Removes a folder with all that is in it; one that is not there is fine.
Status remove_folder(const std::filesystem::path& folder);

}  // namespace tidemark::core
