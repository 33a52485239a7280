// SPDX-License-Identifier: Apache-2.0
//
// Coding of pane pages. The CRC is checked before anything else is believed; all lengths are checked all the
// same, since a page may come from another version or a copied file.
#include "core/state/page_format.hpp"

#include <algorithm>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/check.hpp"
#include "core/base/compression.hpp"

namespace tidemark::core {
namespace {

constexpr uint32_t kMagic = 0x50504d54;  // "TMPP"
constexpr uint8_t kVersion = 1;
constexpr size_t kCompressFrom = size_t{16} * 1024;  // smaller ones wait for RocksDB's own compression
constexpr int kLevel = 1;
constexpr uint8_t kMore = 0x80;  // with the codec

Status damaged(const char* what) {
  return {Code::damage, std::string("the page is damaged (") + what +
                            "); restore the state path from a copy, or start over with an empty one"};
}

}  // namespace

void PanePageBuilder::add(const EntryView& entry) {
  TIDEMARK_DCHECK(rows_ == 0 || entry.key > previous_key_);
  const size_t limit = std::min(entry.key.size(), previous_key_.size());
  size_t shared = 0;
  while (shared < limit && entry.key[shared] == previous_key_[shared]) ++shared;
  ByteWriter keys(keys_);
  keys.varint(shared);
  keys.text(entry.key.substr(shared));
  keys.varint(entry.removed ? 0 : entry.accumulators.size() + 1);
  if (!entry.removed) accumulators_ += entry.accumulators;
  previous_key_.assign(entry.key);
  ++rows_;
}

std::string PanePageBuilder::finish(bool more) {
  const size_t keys_size = keys_.size();
  keys_ += accumulators_;
  std::string page;
  ByteWriter writer(page);
  const auto header = [&](PageCodec codec) {
    page.clear();
    writer.fixed(kMagic);
    writer.fixed(kVersion);
    writer.fixed(static_cast<uint8_t>(static_cast<uint8_t>(codec) | (more ? kMore : 0)));
    writer.fixed(rows_);
    writer.varint(keys_size);
    writer.varint(keys_.size() - keys_size);
  };
  bool packed = false;
  if (keys_.size() >= kCompressFrom) {
    header(PageCodec::zstd);
    const size_t begin = page.size();
    packed = zstd_compress(keys_, kLevel, page) && page.size() - begin < keys_.size() - keys_.size() / 8;
  }
  if (!packed) {
    header(PageCodec::none);
    page.reserve(page.size() + keys_.size() + sizeof(uint32_t));
    page += keys_;
  }
  writer.fixed(crc32(page));
  keys_.clear();
  accumulators_.clear();
  previous_key_.clear();
  rows_ = 0;
  return page;
}

Status PageEntries::open(std::string page) {
  rows_left_ = 0;
  if (page.size() < sizeof(uint32_t)) return damaged("too short");
  const std::string_view checked = std::string_view(page).substr(0, page.size() - sizeof(uint32_t));
  if (ByteReader(std::string_view(page).substr(checked.size())).fixed<uint32_t>() != crc32(checked)) {
    return damaged("checksum differs");
  }
  ByteReader reader(checked);
  if (reader.fixed<uint32_t>() != kMagic) return damaged("not a page");
  if (const auto version = reader.fixed<uint8_t>(); version != kVersion) {
    return {Code::state, "the page has version " + std::to_string(version) +
                             ", this program reads 1; use the program that wrote it, or a newer one"};
  }
  const auto codec = reader.fixed<uint8_t>();
  const auto rows = reader.fixed<uint32_t>();
  const uint64_t keys_size = reader.varint();
  const uint64_t accumulators_size = reader.varint();
  if (!reader.ok() || keys_size > UINT32_MAX || accumulators_size > UINT64_C(1) << 40) return damaged("header");
  const uint64_t raw_size = keys_size + accumulators_size;
  std::string_view raw = reader.rest();
  if ((codec & ~kMore) == static_cast<uint8_t>(PageCodec::zstd)) {
    std::string unpacked;
    if (!zstd_decompress(raw, raw_size, unpacked)) return damaged("does not unpack");
    raw_.swap(unpacked);
    raw = raw_;
  } else if ((codec & ~kMore) == static_cast<uint8_t>(PageCodec::none)) {
    const size_t begin = static_cast<size_t>(raw.data() - page.data());
    raw_.swap(page);
    raw = std::string_view(raw_).substr(begin, raw.size());
  } else {
    return damaged("unknown codec");
  }
  if (raw.size() != raw_size) return damaged("sizes do not add up");
  keys_ = ByteReader(raw.substr(0, keys_size));
  accumulators_ = ByteReader(raw.substr(keys_size));
  bytes_ = raw.size();
  rows_left_ = rows;
  is_first_ = true;
  more_ = (codec & kMore) != 0;
  key_.clear();
  return {};
}

Result<bool> PageEntries::next() {
  if (rows_left_ == 0) {
    if (!keys_.at_end() || !accumulators_.at_end()) return damaged("bytes left over");
    return false;
  }
  --rows_left_;
  const uint64_t shared = keys_.varint();
  const std::string_view rest = keys_.text();
  const uint64_t size = keys_.varint();
  if (!keys_.ok() || shared > key_.size()) return damaged("keys end early");
  const bool ascending = std::exchange(is_first_, false) || rest > std::string_view(key_).substr(shared);
  if (!ascending) return damaged("keys out of order");
  key_.resize(shared);
  key_ += rest;
  entry_ = EntryView{key_, {}, size == 0};
  if (size > 0) entry_.accumulators = accumulators_.raw(size - 1);
  if (!accumulators_.ok()) return damaged("accumulators end early");
  return true;
}

Status decode_pane_page(std::string_view page, const std::function<Status(const EntryView&)>& visit) {
  PageEntries entries;
  if (Status opened = entries.open(std::string(page)); !opened) return opened;
  for (auto more = entries.next();; more = entries.next()) {
    if (!more) return more.status();
    if (!*more) return {};
    if (Status visited = visit(entries.entry()); !visited) return visited;
  }
}

}  // namespace tidemark::core
