// SPDX-License-Identifier: Apache-2.0
//
// A column is refused where it would change values without a word: fewer digits behind the point, single precision,
// another meaning of times, another charset. Where values may be out of a column's range, the server says so row by
// row, since sums have far wider types than their values need.
#include "core/sink/mysql_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::core {
namespace {

constexpr unsigned kDecimalDigitsMax = 65;
constexpr unsigned kScaleMax = 30;
constexpr std::array<std::string_view, 5> kIntegers = {"tinyint", "smallint", "mediumint", "int", "bigint"};
constexpr std::array<std::string_view, 6> kTexts = {"char", "varchar", "tinytext", "text", "mediumtext", "longtext"};
constexpr std::array<std::string_view, 5> kBytes = {"varbinary", "tinyblob", "blob", "mediumblob", "longblob"};
/// Written where the table has a column for them.
constexpr std::array<std::string_view, 4> kOptional = {"window_start", "window_end", "kind", "revision"};

template <size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Names of columns do not tell upper and lower case apart.
bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) { return same_name(one, name); });
}

std::string integer_type(ColumnType type) {
  const bool is_unsigned = type >= ColumnType::uint8;
  const auto width =
      static_cast<size_t>(type) - static_cast<size_t>(is_unsigned ? ColumnType::uint8 : ColumnType::int8);
  constexpr std::array<const char*, 4> kNames = {"TINYINT", "SMALLINT", "INT", "BIGINT"};
  return std::string(kNames[width]) + (is_unsigned ? " UNSIGNED" : "");
}

// The SQL type that holds the values of a column.
std::string fitting_type(const ColumnInfo& column, bool is_key) {
  switch (column.type) {
    case ColumnType::boolean:
      return "BOOLEAN";
    case ColumnType::float32:
      return "FLOAT";
    case ColumnType::float64:
      return "DOUBLE";
    case ColumnType::decimal64:
    case ColumnType::decimal128:
    case ColumnType::decimal256:
      // Sums have more digits than their values need; what is out of range is refused row by row.
      return column.scale <= kScaleMax
                 ? fmt::format("DECIMAL({},{})", std::min<unsigned>(column.precision, kDecimalDigitsMax), column.scale)
                 : "VARCHAR(80) CHARACTER SET utf8mb4";
    case ColumnType::date:
      return "DATE";
    case ColumnType::time:
      return "TIME(6)";
    case ColumnType::timestamp:
    case ColumnType::datetime:
      return "DATETIME(6)";
    case ColumnType::text:
      if (is_key) return "VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
      return column.name == "kind" ? "VARCHAR(16) CHARACTER SET utf8mb4" : "TEXT CHARACTER SET utf8mb4";
    case ColumnType::bytes:
      return is_key ? "VARBINARY(190)" : "BLOB";
    case ColumnType::json:
      return "JSON";
    default:
      return integer_type(column.type);
  }
}

std::string definition(const ColumnInfo& column, bool is_key) {
  return fmt::format("{} {}{}", quoted_name(column.name), fitting_type(column, is_key), is_key ? " NOT NULL" : "");
}

bool is_text(const TableColumn& target) {
  return is_one_of(target.type, kTexts);
}

// Why values of the column would not be the same in the target; empty when they would.
std::string misfit(const ColumnInfo& column, const TableColumn& target) {
  const auto expect = [](bool fits, const char* why) { return fits ? std::string() : std::string(why); };
  const bool is_number = is_one_of(target.type, kIntegers) || target.type == "decimal";
  switch (column.type) {
    case ColumnType::boolean:
      return expect(is_one_of(target.type, kIntegers), "it takes no truth values");
    case ColumnType::float32:
      return expect((target.type == "float" || target.type == "double") && !target.scale, "it would round");
    case ColumnType::float64:
      return expect(target.type == "double" && !target.scale, "it would round");
    case ColumnType::decimal64:
    case ColumnType::decimal128:
    case ColumnType::decimal256:
      if (is_text(target)) return {};
      if (!is_number) return "it takes no exact numbers";
      return expect(target.scale.value_or(0) >= column.scale, "it would round: it has fewer digits behind the point");
    case ColumnType::date:
      return expect(target.type == "date" || target.type == "datetime", "it takes no dates");
    case ColumnType::time:
      return expect(target.type == "time", "it takes no times");
    case ColumnType::timestamp:
      return expect(target.type == "datetime" || target.type == "timestamp", "it takes no points in time");
    case ColumnType::datetime:
      return expect(target.type == "datetime", "it takes no dates with times that have no zone");
    case ColumnType::text:
    case ColumnType::json:
      if (column.type == ColumnType::json && target.type == "json") return {};
      if (!is_text(target)) return "it takes no texts";
      return expect(target.charset == "utf8mb4", "its character set lacks characters");
    case ColumnType::bytes:
      return expect(is_one_of(target.type, kBytes), "it does not keep bytes as they are");
    default:
      return expect(is_number, "it takes no exact integers");
  }
}

class Linker {
 public:
  Linker(const TableShape& table, const BatchLayout& layout, const std::vector<std::string>& key)
      : table_(table), layout_(layout), key_(key) {}

  Result<std::vector<ColumnLink>> run() {
    if (!table_.transactional) {
      problem("its engine {} has no transactions: ALTER TABLE {} ENGINE = InnoDB", table_.engine, name());
    }
    for (uint32_t i = 0; i < layout_.columns.size(); ++i) link(i);
    for (const TableColumn& column : table_.columns) check_rest(column);
    check_indexes();
    if (problems_.empty()) return std::move(links_);
    return Status(Code::config,
                  fmt::format("table {} does not fit the results:\n  {}", table_.name, fmt::join(problems_, "\n  ")));
  }

 private:
  std::string name() const { return quoted_name(table_.name); }
  template <typename... T>
  void problem(fmt::format_string<T...> text, T&&... values) {
    problems_.push_back(fmt::format(text, std::forward<T>(values)...));
  }
  std::string modify(const ColumnInfo& column, bool is_key) const {
    return fmt::format("ALTER TABLE {} MODIFY {}", name(), definition(column, is_key));
  }

  void link(uint32_t index) {
    const ColumnInfo& column = layout_.columns[index];
    const bool is_key = has_name(key_, column.name);
    const auto found = std::find_if(table_.columns.begin(), table_.columns.end(),
                                    [&](const TableColumn& one) { return same_name(one.name, column.name); });
    if (found == table_.columns.end()) {
      if (!is_key && is_one_of(column.name, kOptional)) return;
      problem("it has no column {} ({} in the results): ALTER TABLE {} ADD {}", column.name, type_text(column), name(),
              definition(column, is_key));
      return;
    }
    const std::string why = misfit(column, *found);
    if (!why.empty()) {
      problem("column {} is {} and the results have {}: {}; {}", column.name, found->full_type, type_text(column), why,
              modify(column, is_key));
    } else if (found->generated) {
      problem("column {} is computed by the table; rename the result column", column.name);
    } else if (is_key && found->nullable) {
      problem("column {} of the key may be NULL, and NULL is no key: {}", column.name, modify(column, true));
    } else if (is_key && !found->tells_apart) {
      problem("column {} of the key has collation {}, which takes different texts for the same: {}", column.name,
              found->collation, modify(column, true));
    }
    links_.push_back({index, *found, is_key});
  }

  // What the results do not fill.
  void check_rest(const TableColumn& column) {
    const bool written = std::any_of(links_.begin(), links_.end(),
                                     [&](const ColumnLink& link) { return link.target.name == column.name; });
    if (written || column.nullable || column.has_default || column.auto_increment || column.generated) return;
    problem("column {} must have a value and the results have none for it; give it a default, or let it be NULL",
            column.name);
  }

  bool covers_key(const TableIndex& index) const {
    return std::all_of(key_.begin(), key_.end(), [&](const std::string& key) {
      return std::any_of(index.parts.begin(), index.parts.end(),
                         [&](const auto& part) { return !part.prefix && same_name(part.column, key); });
    });
  }

  // Its values never meet those of another row: the table numbers the rows by itself.
  bool numbers_rows(const TableIndex& index) const {
    return std::any_of(index.parts.begin(), index.parts.end(), [&](const auto& part) {
      return std::any_of(table_.columns.begin(), table_.columns.end(), [&](const TableColumn& column) {
        return column.auto_increment && column.name == part.column &&
               std::none_of(links_.begin(), links_.end(),
                            [&](const ColumnLink& link) { return link.target.name == column.name; });
      });
    });
  }

  void check_indexes() {
    bool found = false;
    for (const TableIndex& index : table_.indexes) {
      if (!index.unique) continue;
      if (covers_key(index)) {
        found |= index.parts.size() == key_.size();
      } else if (!numbers_rows(index)) {
        problem(
            "its unique index {} is not over the key ({}): a result could overwrite, or be refused for, the row of "
            "another key; ALTER TABLE {} DROP INDEX {}, or make it not unique",
            index.name, fmt::join(key_, ", "), name(), quoted_name(index.name));
      }
    }
    if (found) return;
    std::vector<std::string> columns;
    for (const std::string& key : key_) columns.push_back(quoted_name(key));
    problem("it has no unique index over exactly the key: ALTER TABLE {} ADD UNIQUE INDEX ({})", name(),
            fmt::join(columns, ", "));
  }

  const TableShape& table_;
  const BatchLayout& layout_;
  const std::vector<std::string>& key_;
  std::vector<ColumnLink> links_;
  std::vector<std::string> problems_;
};

}  // namespace

std::string quoted_name(const std::string& name) {
  std::string out = "`";
  for (const char c : name) {
    if (c == '`') out.push_back(c);
    out.push_back(c);
  }
  return out + "`";
}

std::string create_table_text(const std::string& table, const BatchLayout& layout,
                              const std::vector<std::string>& key) {
  std::string out = fmt::format("CREATE TABLE {} (", quoted_name(table));
  for (const ColumnInfo& column : layout.columns) out += definition(column, has_name(key, column.name)) + ", ";
  std::vector<std::string> columns;
  for (const std::string& one : key) columns.push_back(quoted_name(one));
  return out + fmt::format("PRIMARY KEY ({}))", fmt::join(columns, ", "));
}

Result<std::vector<ColumnLink>> link_columns(const TableShape& table, const BatchLayout& layout,
                                             const std::vector<std::string>& key) {
  return Linker(table, layout, key).run();
}

}  // namespace tidemark::core
