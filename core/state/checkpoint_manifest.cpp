// SPDX-License-Identifier: Apache-2.0
//
// Lines of words: "tidemark checkpoint 1", "job NAME", "epoch N", "time T", "made by hand" or "made by schedule", "file
// CRC BYTES NAME" for each file, and "end CRC" over all that stands before it.
#include "core/state/checkpoint_manifest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/base/bytes.hpp"

namespace tidemark::core {
namespace {

constexpr std::string_view kFirstLine = "tidemark checkpoint 1";
constexpr std::string_view kByHand = "by hand";
constexpr std::string_view kBySchedule = "by schedule";
constexpr std::string_view kAnyVersion = "tidemark checkpoint ";

template <typename Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return out;
}

// The first word of `rest`, which keeps what follows the space behind it.
std::string_view take_word(std::string_view& rest) {
  const size_t space = rest.find(' ');
  const std::string_view word = rest.substr(0, space);
  rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
  return word;
}

// False when the line is none that is known.
bool read_line(std::string_view line, CheckpointManifest& out) {
  const std::string_view name = take_word(line);
  if (name == "job") {
    out.job = std::string(line);
    return true;
  }
  if (name == "epoch") {
    const auto epoch = number_of<uint64_t>(line);
    out.epoch = epoch.value_or(0);
    return epoch.has_value();
  }
  if (name == "time") {
    const auto time = number_of<Micros>(line);
    out.wall_us = time.value_or(kNoTime);
    return time.has_value();
  }
  if (name == "made") {
    out.made_by = line == kByHand ? MadeBy::hand : MadeBy::schedule;
    return line == kByHand || line == kBySchedule;
  }
  if (name != "file") return false;
  const auto crc = number_of<uint32_t>(take_word(line), 16);
  const auto bytes = number_of<uint64_t>(take_word(line));
  if (!crc || !bytes || line.empty() || line.find('/') != std::string_view::npos) return false;
  out.files.push_back({std::string(line), {*bytes, *crc}});
  return true;
}

Status damaged(const char* why) {
  return {Code::damage, std::string("its manifest is damaged (") + why + ")"};
}

}  // namespace

uint64_t CheckpointManifest::bytes() const noexcept {
  uint64_t sum = 0;
  for (const CheckpointFile& file : files) sum += file.sum.bytes;
  return sum;
}

std::string encode(const CheckpointManifest& manifest) {
  std::string out = fmt::format("{}\njob {}\nepoch {}\ntime {}\nmade {}\n", kFirstLine, manifest.job, manifest.epoch,
                                manifest.wall_us, manifest.made_by == MadeBy::hand ? kByHand : kBySchedule);
  for (const CheckpointFile& file : manifest.files) {
    out += fmt::format("file {:08x} {} {}\n", file.sum.crc, file.sum.bytes, file.name);
  }
  out += fmt::format("end {:08x}\n", crc32(out));
  return out;
}

Result<CheckpointManifest> decode_checkpoint_manifest(std::string_view text) {
  const size_t last = text.rfind("\nend ");
  if (last == std::string_view::npos || !text.ends_with('\n')) return damaged("it has no end");
  const std::string_view checked = text.substr(0, last + 1);
  std::string_view end = text.substr(last + 1);
  end.remove_suffix(1);
  take_word(end);
  if (number_of<uint32_t>(end, 16) != crc32(checked)) return damaged("checksum differs");
  const std::string_view first = checked.substr(0, checked.find('\n'));
  if (first != kFirstLine) {
    if (!first.starts_with(kAnyVersion)) return damaged("it is another file");
    return Status(Code::state, "it was written by a later version; use the program that wrote it");
  }
  CheckpointManifest out;
  for (std::string_view rest = checked.substr(first.size() + 1); !rest.empty();) {
    const size_t line = rest.find('\n');
    if (!read_line(rest.substr(0, line), out)) return damaged("a line is not understood");
    rest.remove_prefix(line + 1);
  }
  return out;
}

}  // namespace tidemark::core
