// SPDX-License-Identifier: Apache-2.0
// Parses TABLE_MAP and its optional metadata. Which columns a metadata field counts differs between the servers; the
// rules here were checked against files of both.
// One thread at a time.
#include "binlog/table_map.hpp"

#include <algorithm>

#include "binlog/byte_cursor.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint32_t kColumnsMax = 4096;

enum class Tag : uint8_t {
  signedness = 1,
  default_charset = 2,
  column_charset = 3,
  column_name = 4,
  set_strings = 5,
  enum_strings = 6,
  geometry_type = 7,
  simple_primary_key = 8,
  prefixed_primary_key = 9,
  enum_set_default_charset = 10,
  enum_set_column_charset = 11,
  visibility = 12,
  vector_dimension = 13
};

DecodeError corrupt(std::string text) {
  return {ErrorKind::corrupt, std::move(text), {}, 0, {}};
}

// Columns that the signedness bits cover, YEAR and DECIMAL included.
bool is_numeric(const ColumnType& column) {
  switch (column.type) {
    case WireType::decimal_old:
    case WireType::tiny:
    case WireType::short_:
    case WireType::int24:
    case WireType::long_:
    case WireType::longlong:
    case WireType::float_:
    case WireType::double_:
    case WireType::newdecimal:
    case WireType::year:
      return true;
    default:
      return false;
  }
}

// Columns that the charset fields cover. MariaDB also counts GEOMETRY and compressed columns, MySQL 9 VECTOR.
bool is_character(const ColumnType& column, Flavor flavor) {
  switch (column.type) {
    case WireType::string:
    case WireType::varchar:
    case WireType::var_string:
    case WireType::tiny_blob:
    case WireType::medium_blob:
    case WireType::long_blob:
    case WireType::blob:
      return true;
    case WireType::vector:
      return flavor == Flavor::mysql;
    case WireType::geometry:
    case WireType::blob_compressed:
    case WireType::varchar_compressed:
      return flavor == Flavor::mariadb;
    default:
      return false;
  }
}

bool is_enum_or_set(const ColumnType& column) {
  return column.type == WireType::enum_ || column.type == WireType::set_;
}

class MetadataParser {
 public:
  explicit MetadataParser(TableMap& map) : map_(map) {}

  Checked parse(std::span<const uint8_t> bytes) {
    ByteCursor cursor(bytes);
    while (cursor.ok() && !cursor.at_end()) {
      const auto tag = static_cast<Tag>(cursor.u8());
      const auto field = cursor.bytes(cursor.length_encoded());
      if (!cursor.ok()) break;
      if (!parse_field(tag, field)) {
        return corrupt("metadata field " + std::to_string(static_cast<int>(tag)) + " of TABLE_MAP for " +
                       map_.full_name() + " does not fit its columns");
      }
    }
    if (!cursor.ok()) return corrupt("metadata of TABLE_MAP for " + map_.full_name() + " is cut short");
    return Done{};
  }

 private:
  template <class Predicate>
  std::vector<uint32_t> columns_where(Predicate predicate) const {
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < map_.columns.size(); ++i) {
      if (predicate(map_.columns[i])) out.push_back(i);
    }
    return out;
  }
  std::vector<uint32_t> character_columns() const {
    return columns_where([this](const ColumnType& c) { return is_character(c, map_.flavor); });
  }

  bool parse_field(Tag tag, std::span<const uint8_t> field) {
    switch (tag) {
      case Tag::signedness:
        return parse_signedness(field);
      case Tag::default_charset:
        return parse_default_charset(field, character_columns());
      case Tag::column_charset:
        return parse_column_charset(field, character_columns());
      case Tag::enum_set_default_charset:
        return parse_default_charset(field, columns_where(is_enum_or_set));
      case Tag::enum_set_column_charset:
        return parse_column_charset(field, columns_where(is_enum_or_set));
      case Tag::column_name:
        return parse_names(field);
      case Tag::set_strings:
        return parse_members(field, WireType::set_);
      case Tag::enum_strings:
        return parse_members(field, WireType::enum_);
      case Tag::geometry_type:
        return parse_numbers(field, WireType::geometry, &ColumnMetadata::geometry_type);
      case Tag::vector_dimension:
        return parse_numbers(field, WireType::vector, &ColumnMetadata::vector_dimension);
      case Tag::simple_primary_key:
      case Tag::prefixed_primary_key:
        return parse_key(field, tag == Tag::prefixed_primary_key);
      case Tag::visibility:
        return parse_visibility(field);
    }
    return true;  // a field of a newer server: nothing here depends on it
  }

  // Bits are the most significant first.
  bool parse_signedness(std::span<const uint8_t> field) {
    const auto numeric = columns_where(is_numeric);
    if (field.size() * 8 < numeric.size()) return false;
    for (size_t i = 0; i < numeric.size(); ++i) {
      map_.metadata[numeric[i]].is_unsigned = (field[i / 8] >> (7 - i % 8) & 1) != 0;
    }
    map_.has_signedness = true;
    return true;
  }

  bool parse_default_charset(std::span<const uint8_t> field, const std::vector<uint32_t>& columns) {
    ByteCursor cursor(field);
    const auto collation = static_cast<uint32_t>(cursor.length_encoded());
    for (const uint32_t column : columns) map_.metadata[column].collation = collation;
    while (cursor.ok() && !cursor.at_end()) {
      const uint64_t index = cursor.length_encoded();
      const auto own = static_cast<uint32_t>(cursor.length_encoded());
      if (index >= columns.size()) return false;
      map_.metadata[columns[static_cast<size_t>(index)]].collation = own;
    }
    return cursor.ok();
  }

  bool parse_column_charset(std::span<const uint8_t> field, const std::vector<uint32_t>& columns) {
    ByteCursor cursor(field);
    for (const uint32_t column : columns) {
      map_.metadata[column].collation = static_cast<uint32_t>(cursor.length_encoded());
    }
    return cursor.ok() && cursor.at_end();
  }

  bool parse_names(std::span<const uint8_t> field) {
    ByteCursor cursor(field);
    for (auto& column : map_.metadata) column.name = cursor.text(cursor.length_encoded());
    map_.has_names = cursor.ok() && cursor.at_end();
    return map_.has_names;
  }

  bool parse_members(std::span<const uint8_t> field, WireType type) {
    ByteCursor cursor(field);
    for (uint32_t i = 0; i < map_.columns.size(); ++i) {
      if (map_.columns[i].type != type) continue;
      const uint64_t count = cursor.length_encoded();
      if (count > cursor.left()) return false;
      auto& members = map_.metadata[i].members;
      members.reserve(static_cast<size_t>(count));
      for (uint64_t k = 0; k < count; ++k) members.emplace_back(cursor.text(cursor.length_encoded()));
    }
    return cursor.ok() && cursor.at_end();
  }

  bool parse_numbers(std::span<const uint8_t> field, WireType type, std::optional<uint32_t> ColumnMetadata::*member) {
    ByteCursor cursor(field);
    for (uint32_t i = 0; i < map_.columns.size(); ++i) {
      if (map_.columns[i].type == type && !cursor.at_end()) {
        map_.metadata[i].*member = static_cast<uint32_t>(cursor.length_encoded());
      }
    }
    return cursor.ok() && cursor.at_end();
  }

  bool parse_key(std::span<const uint8_t> field, bool prefixed) {
    ByteCursor cursor(field);
    while (cursor.ok() && !cursor.at_end()) {
      KeyPart part;
      part.column = static_cast<uint32_t>(cursor.length_encoded());
      if (prefixed) part.prefix = static_cast<uint32_t>(cursor.length_encoded());
      if (part.column >= map_.columns.size()) return false;
      map_.primary_key.push_back(part);
    }
    return cursor.ok();
  }

  bool parse_visibility(std::span<const uint8_t> field) {
    if (field.size() * 8 < map_.columns.size()) return false;
    for (size_t i = 0; i < map_.metadata.size(); ++i) {
      map_.metadata[i].visible = (field[i / 8] >> (7 - i % 8) & 1) != 0;
    }
    return true;
  }

  TableMap& map_;
};

Checked parse_columns(ByteCursor& cursor, TableMap& map) {
  const std::string name = map.full_name();
  const uint64_t count = cursor.length_encoded();
  if (!cursor.ok() || count == 0 || count > kColumnsMax)
    return corrupt("TABLE_MAP for " + name + " has no legal column count");
  const auto types = cursor.bytes(count);
  ByteCursor meta(cursor.bytes(cursor.length_encoded()));
  const auto null_bits = cursor.bytes((count + 7) / 8);
  if (!cursor.ok()) return corrupt("TABLE_MAP for " + name + " is cut short");
  map.columns.reserve(types.size());
  for (uint32_t i = 0; i < types.size(); ++i) {
    const int meta_bytes = metadata_bytes(types[i]);
    if (meta_bytes < 0) {
      map.undecodable = "column " + std::to_string(i + 1) + " of " + name + " has type code " +
                        std::to_string(types[i]) + " (" + wire_type_name(static_cast<WireType>(types[i])) +
                        "), whose cells cannot even be skipped";
      map.columns.clear();
      return Done{};
    }
    const uint8_t first = meta_bytes > 0 ? meta.u8() : uint8_t{0};
    const uint8_t second = meta_bytes > 1 ? meta.u8() : uint8_t{0};
    map.columns.push_back(describe_column(types[i], first, second, (null_bits[i >> 3] >> (i & 7) & 1) != 0));
  }
  if (!meta.ok() || !meta.at_end())
    return corrupt("type metadata of TABLE_MAP for " + name + " does not fit its columns");
  map.metadata.resize(map.columns.size());
  return Done{};
}

}  // namespace

Outcome<TableMap> parse_table_map(const EventView& event, const FormatDescription& format) {
  TableMap map;
  map.flavor = format.flavor;
  ByteCursor cursor(event.body);
  map.table_id = cursor.le(format.table_id_bytes());
  map.flags = cursor.u16();
  map.database = cursor.text(cursor.length_encoded());
  cursor.skip(1);
  map.table = cursor.text(cursor.length_encoded());
  cursor.skip(1);
  if (!cursor.ok()) return corrupt("TABLE_MAP is cut short");
  if (auto done = parse_columns(cursor, map); !done) return std::move(done).error();
  if (!map.undecodable.empty()) return map;
  if (auto done = MetadataParser(map).parse(cursor.rest()); !done) return std::move(done).error();
  return map;
}

Outcome<std::shared_ptr<const TableMap>> TableMapCache::add(const EventView& event, const FormatDescription& format) {
  ByteCursor cursor(event.body);
  const uint64_t id = cursor.le(format.table_id_bytes());
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.map->table_id == id; });
  if (entry != entries_.end() && std::ranges::equal(entry->body, event.body)) {
    entry->active = true;
    return entry->map;
  }
  auto parsed = parse_table_map(event, format);
  if (!parsed) return std::move(parsed).error();
  if (entry == entries_.end()) {
    // Ids grow without end on a busy server: forget those of past statements once there are many.
    constexpr size_t kEntriesMax = 1024;
    if (entries_.size() >= kEntriesMax) std::erase_if(entries_, [](const Entry& e) { return !e.active; });
    entry = entries_.emplace(entries_.end());
  }
  entry->body.assign(event.body.begin(), event.body.end());
  entry->map = std::make_shared<const TableMap>(std::move(parsed).value());
  entry->active = true;
  return entry->map;
}

std::shared_ptr<const TableMap> TableMapCache::find(uint64_t table_id) const {
  for (const auto& entry : entries_) {
    if (entry.active && entry.map->table_id == table_id) return entry.map;
  }
  return nullptr;
}

void TableMapCache::end_statement() {
  for (auto& entry : entries_) entry.active = false;
}

}  // namespace tidemark::binlog
