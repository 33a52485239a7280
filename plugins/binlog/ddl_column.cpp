// SPDX-License-Identifier: Apache-2.0
// Column types by table of spellings, then attributes in any order.
//
// Invariants: lengths that pick another type (TEXT(n), VARCHAR above 65,535 bytes, FLOAT(p)) are applied here;
// an unknown word fails the cursor.
// Thread: any; no state.
#include "binlog/ddl_column.hpp"

#include <array>
#include <charconv>

#include "binlog/charset.hpp"
#include "binlog/sql_charset.hpp"

namespace tidemark::binlog {
namespace {

/// What may follow a type's name in parentheses.
enum class Arguments : uint8_t { kNone, kLength, kPrecisionScale, kFraction, kMembers, kFloat };

struct TypeSpelling {
  std::string_view word;
  SqlType type;
  Arguments arguments;
};

constexpr std::array kTypes = {
    TypeSpelling{"TINYINT", SqlType::tinyint, Arguments::kLength},
    TypeSpelling{"INT1", SqlType::tinyint, Arguments::kLength},
    TypeSpelling{"BOOL", SqlType::tinyint, Arguments::kNone},
    TypeSpelling{"BOOLEAN", SqlType::tinyint, Arguments::kNone},
    TypeSpelling{"SMALLINT", SqlType::smallint, Arguments::kLength},
    TypeSpelling{"INT2", SqlType::smallint, Arguments::kLength},
    TypeSpelling{"MEDIUMINT", SqlType::mediumint, Arguments::kLength},
    TypeSpelling{"MIDDLEINT", SqlType::mediumint, Arguments::kLength},
    TypeSpelling{"INT3", SqlType::mediumint, Arguments::kLength},
    TypeSpelling{"INT", SqlType::integer, Arguments::kLength},
    TypeSpelling{"INTEGER", SqlType::integer, Arguments::kLength},
    TypeSpelling{"INT4", SqlType::integer, Arguments::kLength},
    TypeSpelling{"BIGINT", SqlType::bigint, Arguments::kLength},
    TypeSpelling{"INT8", SqlType::bigint, Arguments::kLength},
    TypeSpelling{"SERIAL", SqlType::bigint, Arguments::kNone},
    TypeSpelling{"DECIMAL", SqlType::decimal, Arguments::kPrecisionScale},
    TypeSpelling{"DEC", SqlType::decimal, Arguments::kPrecisionScale},
    TypeSpelling{"NUMERIC", SqlType::decimal, Arguments::kPrecisionScale},
    TypeSpelling{"FIXED", SqlType::decimal, Arguments::kPrecisionScale},
    TypeSpelling{"FLOAT", SqlType::float_, Arguments::kFloat},
    TypeSpelling{"FLOAT4", SqlType::float_, Arguments::kFloat},
    TypeSpelling{"FLOAT8", SqlType::double_, Arguments::kFloat},
    TypeSpelling{"DOUBLE", SqlType::double_, Arguments::kFloat},
    TypeSpelling{"REAL", SqlType::double_, Arguments::kFloat},
    TypeSpelling{"BIT", SqlType::bit, Arguments::kLength},
    TypeSpelling{"YEAR", SqlType::year, Arguments::kLength},
    TypeSpelling{"DATE", SqlType::date, Arguments::kNone},
    TypeSpelling{"TIME", SqlType::time, Arguments::kFraction},
    TypeSpelling{"DATETIME", SqlType::datetime, Arguments::kFraction},
    TypeSpelling{"TIMESTAMP", SqlType::timestamp, Arguments::kFraction},
    TypeSpelling{"CHAR", SqlType::char_, Arguments::kLength},
    TypeSpelling{"CHARACTER", SqlType::char_, Arguments::kLength},
    TypeSpelling{"NCHAR", SqlType::char_, Arguments::kLength},
    TypeSpelling{"VARCHAR", SqlType::varchar, Arguments::kLength},
    TypeSpelling{"VARCHARACTER", SqlType::varchar, Arguments::kLength},
    TypeSpelling{"VARCHAR2", SqlType::varchar, Arguments::kLength},
    TypeSpelling{"NVARCHAR", SqlType::varchar, Arguments::kLength},
    TypeSpelling{"BINARY", SqlType::binary, Arguments::kLength},
    TypeSpelling{"VARBINARY", SqlType::varbinary, Arguments::kLength},
    TypeSpelling{"TINYTEXT", SqlType::tinytext, Arguments::kNone},
    TypeSpelling{"TEXT", SqlType::text, Arguments::kLength},
    TypeSpelling{"MEDIUMTEXT", SqlType::mediumtext, Arguments::kNone},
    TypeSpelling{"LONGTEXT", SqlType::longtext, Arguments::kNone},
    TypeSpelling{"TINYBLOB", SqlType::tinyblob, Arguments::kNone},
    TypeSpelling{"BLOB", SqlType::blob, Arguments::kLength},
    TypeSpelling{"MEDIUMBLOB", SqlType::mediumblob, Arguments::kNone},
    TypeSpelling{"LONGBLOB", SqlType::longblob, Arguments::kNone},
    TypeSpelling{"ENUM", SqlType::enum_, Arguments::kMembers},
    TypeSpelling{"SET", SqlType::set_, Arguments::kMembers},
    TypeSpelling{"JSON", SqlType::json, Arguments::kNone},
    TypeSpelling{"GEOMETRY", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"POINT", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"LINESTRING", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"POLYGON", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"MULTIPOINT", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"MULTILINESTRING", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"MULTIPOLYGON", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"GEOMETRYCOLLECTION", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"GEOMCOLLECTION", SqlType::geometry, Arguments::kNone},
    TypeSpelling{"VECTOR", SqlType::vector, Arguments::kLength},
    TypeSpelling{"UUID", SqlType::uuid, Arguments::kNone},
    TypeSpelling{"INET4", SqlType::inet4, Arguments::kNone},
    TypeSpelling{"INET6", SqlType::inet6, Arguments::kNone},
};

bool parse_number(SqlCursor& cursor, uint32_t& value) {
  const std::string_view text = cursor.peek().text;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return cursor.fail("a length expected");
  cursor.next();
  return true;
}

bool parse_members(SqlCursor& cursor, std::vector<std::string>& members) {
  if (!cursor.expect('(')) return false;
  do {
    // An introducer (_utf8mb4'x') or N'x' names the literal's charset; the column's own one decides later.
    if (cursor.peek().kind == TokenKind::kWord) return cursor.fail("a member with an introducer is not supported");
    if (cursor.peek().kind != TokenKind::kString && cursor.peek().kind != TokenKind::kDoubleQuoted) {
      return cursor.fail("a member string expected");
    }
    // Servers write CREATE TABLE ... SELECT into the log with escapes even where sql_mode has none; MariaDB's groups
    // tell such a text from a user's.
    if (!cursor.peek().backslashes && cursor.rules().dialect != SqlDialect::mariadb &&
        cursor.peek().text.find("\\\\") != std::string_view::npos) {
      return cursor.fail("a member with backslashes is ambiguous under NO_BACKSLASH_ESCAPES");
    }
    std::string member = cursor.peek().value();
    member.erase(member.find_last_not_of(' ') + 1);  // the server cuts trailing spaces
    members.push_back(std::move(member));
    cursor.next();
  } while (cursor.accept(','));
  return cursor.expect(')');
}

bool parse_arguments(SqlCursor& cursor, Arguments arguments, ColumnSchema& column) {
  if (arguments == Arguments::kMembers) return parse_members(cursor, column.members);
  if (!cursor.at('(') || arguments == Arguments::kNone) return true;
  cursor.next();
  switch (arguments) {
    case Arguments::kFraction:
      if (!parse_number(cursor, column.fsp)) return false;
      break;
    case Arguments::kPrecisionScale:
    case Arguments::kFloat:
      if (!parse_number(cursor, column.length)) return false;
      if (cursor.accept(',')) {
        if (!parse_number(cursor, column.scale)) return false;
      } else if (column.type == SqlType::float_ && arguments == Arguments::kFloat && column.length > 24) {
        column.type = SqlType::double_;
      }
      break;
    default:
      if (!parse_number(cursor, column.length)) return false;
      if (!cursor.at(')')) cursor.accept_any({"CHAR", "BYTE"});  // sql_mode=ORACLE: VARCHAR2(10 CHAR)
  }
  return cursor.expect(')');
}

/// TEXT(n) and BLOB(n) stand for the smallest type that holds so many bytes.
SqlType blob_type_for(uint64_t bytes, bool text) {
  if (bytes < 256) return text ? SqlType::tinytext : SqlType::tinyblob;
  if (bytes < 65536) return text ? SqlType::text : SqlType::blob;
  if (bytes < 16777216) return text ? SqlType::mediumtext : SqlType::mediumblob;
  return text ? SqlType::longtext : SqlType::longblob;
}

/// `given`: lengths stood there; CHAR(0) is not CHAR.
void apply_defaults(std::string_view word, bool given, ColumnDefinition& definition) {
  ColumnSchema& column = definition.column;
  switch (column.type) {
    case SqlType::decimal:
      if (column.length == 0) column.length = 10;
      break;
    case SqlType::bit:
      if (column.length == 0) column.length = 1;
      break;
    case SqlType::char_:
    case SqlType::binary:
      if (!given) column.length = 1;
      break;
    case SqlType::tinyint:
    case SqlType::smallint:
    case SqlType::mediumint:
    case SqlType::integer:
    case SqlType::bigint:
    case SqlType::year:
    case SqlType::float_:
    case SqlType::double_:
      column.length = 0;  // a display width, which says nothing about the values
      column.scale = 0;
      break;
    default:
      break;
  }
  if (word == "SERIAL") {
    column.is_unsigned = true;
    column.nullable = false;
  }
  if (word == "NCHAR" || word == "NVARCHAR") definition.charset = "utf8mb3";
}

/// LONG [VARCHAR | VARBINARY | CHAR VARYING ...], NATIONAL CHAR | VARCHAR; false = not one of these.
bool parse_phrase_type(SqlCursor& cursor, ColumnDefinition& definition) {
  ColumnSchema& column = definition.column;
  if (cursor.accept("LONG")) {
    column.type = cursor.accept("VARBINARY") ? SqlType::mediumblob : SqlType::mediumtext;
    if (!cursor.accept("CHAR", "VARYING") && !cursor.accept("CHARACTER", "VARYING")) {
      cursor.accept_any({"VARCHAR", "VARCHARACTER"});
    }
    return true;
  }
  if (!cursor.accept("NATIONAL")) return false;
  definition.charset = "utf8mb3";
  if (cursor.accept_any({"VARCHAR", "VARCHARACTER"})) {
    column.type = SqlType::varchar;
  } else if (cursor.accept_any({"CHAR", "CHARACTER"})) {
    column.type = cursor.accept("VARYING") ? SqlType::varchar : SqlType::char_;
  } else {
    return cursor.fail("NATIONAL is not followed by a character type");
  }
  if (column.type == SqlType::char_) column.length = 1;
  return parse_arguments(cursor, Arguments::kLength, column);
}

bool parse_type(SqlCursor& cursor, ColumnDefinition& definition) {
  if (parse_phrase_type(cursor, definition)) return true;
  if (cursor.failed()) return false;
  // MariaDB's sql_mode=ORACLE: DATE is DATETIME, BLOB is LONGBLOB, and there are NUMBER, RAW and CLOB. MySQL's is not.
  if (cursor.rules().oracle && cursor.at_any({"DATE", "BLOB"})) return cursor.fail("type under sql_mode=ORACLE");
  for (const TypeSpelling& spelling : kTypes) {
    if (!cursor.at(spelling.word)) continue;
    cursor.next();
    definition.column.type = spelling.type;
    if (spelling.word == "REAL" && cursor.rules().real_as_float) definition.column.type = SqlType::float_;
    if (spelling.word == "DOUBLE") cursor.accept("PRECISION");
    if (definition.column.type == SqlType::char_ && cursor.accept("VARYING")) definition.column.type = SqlType::varchar;
    if (spelling.word == "NCHAR" && cursor.accept("VARCHAR")) definition.column.type = SqlType::varchar;
    const bool given = cursor.at('(');
    if (!parse_arguments(cursor, spelling.arguments, definition.column)) return false;
    apply_defaults(spelling.word, given, definition);
    return true;
  }
  return cursor.fail("column type not known");
}

/// Words that end a DEFAULT expression.
bool at_attribute(const SqlCursor& cursor) {
  return cursor.at_any({"NOT",
                        "NULL",
                        "DEFAULT",
                        "ON",
                        "AUTO_INCREMENT",
                        "COMMENT",
                        "UNIQUE",
                        "PRIMARY",
                        "KEY",
                        "COLLATE",
                        "CHECK",
                        "CONSTRAINT",
                        "REFERENCES",
                        "GENERATED",
                        "AS",
                        "VIRTUAL",
                        "STORED",
                        "PERSISTENT",
                        "INVISIBLE",
                        "VISIBLE",
                        "FIRST",
                        "AFTER",
                        "PARTITION",
                        "REMOVE",
                        "SERIAL",
                        "COLUMN_FORMAT",
                        "STORAGE",
                        "SRID",
                        "COMPRESSED",
                        "WITH",
                        "WITHOUT",
                        "ENGINE_ATTRIBUTE",
                        "SECONDARY_ENGINE_ATTRIBUTE",
                        "CHARACTER",
                        "CHARSET",
                        "REF_SYSTEM_ID",
                        "ENFORCED"});
}

bool parse_default(SqlCursor& cursor) {
  do {
    if (cursor.at_end() || cursor.at(',') || cursor.at(')')) return cursor.fail("a default value expected");
    if (cursor.at('(')) {
      if (!cursor.skip_parentheses()) return false;
    } else {
      cursor.next();
    }
  } while (!cursor.at_end() && !cursor.at(',') && !cursor.at(')') && !at_attribute(cursor));
  return true;
}

bool parse_references(SqlCursor& cursor) {
  if (!cursor.name()) return false;
  if (cursor.accept('.') && !cursor.name(true)) return false;
  if (cursor.at('(') && !cursor.skip_parentheses()) return false;
  if (cursor.accept("MATCH")) cursor.next();
  while (cursor.at("ON")) {
    cursor.next();
    cursor.next();  // DELETE or UPDATE
    if (cursor.accept("SET")) {
      cursor.next();  // NULL or DEFAULT
    } else if (!cursor.accept("NO", "ACTION")) {
      cursor.next();  // CASCADE, RESTRICT
    }
  }
  return true;
}

bool parse_generated(SqlCursor& cursor, ColumnDefinition& definition) {
  ColumnSchema& column = definition.column;
  column.generated = true;
  if (cursor.accept("ROW")) {  // MariaDB: AS ROW START | END
    column.nullable = false;
    definition.row_end = cursor.at("END");
    definition.row_start = cursor.at("START");
    return cursor.accept_any({"START", "END"}) || cursor.fail("START or END expected");
  }
  if (!cursor.skip_parentheses()) return false;
  cursor.accept_any({"VIRTUAL", "STORED", "PERSISTENT"});
  return true;
}

/// Attributes without an effect on the row image. False = not one of these, or failed.
bool skip_attribute(SqlCursor& cursor) {
  if (cursor.accept_any({"AUTO_INCREMENT", "INVISIBLE", "VISIBLE", "ENFORCED"})) return true;
  if (cursor.accept("COMPRESSED")) {  // MariaDB: COMPRESSED or COMPRESSED=zlib
    if (cursor.accept('=')) cursor.next();
    return true;
  }
  if (cursor.accept_any({"COMMENT", "COLUMN_FORMAT", "STORAGE", "SRID", "REF_SYSTEM_ID", "ENGINE_ATTRIBUTE",
                         "SECONDARY_ENGINE_ATTRIBUTE"})) {
    cursor.accept('=');
    cursor.next();
    return true;
  }
  if (cursor.accept("ON", "UPDATE")) return parse_default(cursor);
  if (cursor.accept("CHECK")) return cursor.skip_parentheses();
  if (cursor.accept("CONSTRAINT")) {
    if (!cursor.at("CHECK") && !cursor.name()) return false;
    return cursor.expect("CHECK") && cursor.skip_parentheses();
  }
  if (cursor.peek(1).is('=')) {  // MariaDB: an engine's own attribute
    cursor.next();
    cursor.next();
    cursor.next();
    return true;
  }
  if (cursor.accept("REFERENCES")) return parse_references(cursor);
  if (cursor.accept("UNIQUE")) {
    cursor.accept("KEY");
    return true;
  }
  return false;
}

bool is_character_type(SqlType type) {
  return type == SqlType::char_ || type == SqlType::varchar || (type >= SqlType::tinytext && type <= SqlType::longtext);
}

/// One attribute; false = failed or not an attribute.
bool parse_attribute(SqlCursor& cursor, ColumnDefinition& definition) {
  ColumnSchema& column = definition.column;
  if (cursor.accept_any({"UNSIGNED", "ZEROFILL"})) {
    column.is_unsigned = true;
  } else if (cursor.accept("SIGNED")) {
  } else if (cursor.accept("NOT", "NULL")) {
    column.nullable = false;
  } else if (cursor.accept("NOT", "SECONDARY") || cursor.accept("NOT", "ENFORCED")) {
  } else if (cursor.accept("NULL")) {
    column.nullable = true;
  } else if (cursor.accept("SERIAL")) {  // SERIAL DEFAULT VALUE
    column.nullable = false;
    return cursor.expect("DEFAULT") && cursor.expect("VALUE");
  } else if (cursor.accept("DEFAULT")) {
    return parse_default(cursor);
  } else if (cursor.accept("PRIMARY", "KEY") || cursor.accept_any({"PRIMARY", "KEY"})) {
    definition.primary_key = true;
    column.nullable = false;
  } else if (cursor.accept("ASCII")) {
    definition.charset = "latin1";
  } else if (cursor.accept("UNICODE")) {
    definition.charset = "ucs2";
  } else if (cursor.accept("BYTE")) {
    definition.charset = "binary";
  } else if (cursor.accept("BINARY")) {  // the charset's binary collation
  } else if (parse_charset_clause(cursor, definition.charset)) {
  } else if (cursor.accept("GENERATED")) {
    return cursor.expect("ALWAYS") && cursor.expect("AS") && parse_generated(cursor, definition);
  } else if (cursor.accept("AS")) {
    return parse_generated(cursor, definition);
  } else if (cursor.at_any({"WITH", "WITHOUT"})) {
    definition.versioned = cursor.at("WITH");
    cursor.next();
    return cursor.expect("SYSTEM") && cursor.expect("VERSIONING");
  } else if (!skip_attribute(cursor)) {
    return cursor.fail("column attribute not known");
  }
  return true;
}

/// In ALTER TABLE: where the column goes, or partitioning, which needs no comma before it.
bool at_behind_column(const SqlCursor& cursor) {
  return cursor.at_any({"FIRST", "AFTER", "PARTITION"}) || (cursor.at("REMOVE") && cursor.peek(1).is("PARTITIONING"));
}

}  // namespace

bool parse_charset_clause(SqlCursor& cursor, std::string& charset) {
  size_t ahead = cursor.at("DEFAULT") ? 1 : 0;
  bool collate = false;
  if (SqlCursor::is_any(cursor.peek(ahead), {"CHARACTER", "CHAR"}) && cursor.peek(ahead + 1).is("SET")) {
    ahead += 2;
  } else if (SqlCursor::is_any(cursor.peek(ahead), {"CHARSET"})) {
    ahead += 1;
  } else if (cursor.peek(ahead).is("COLLATE")) {
    ahead += 1;
    collate = true;
  } else {
    return false;
  }
  if (cursor.peek(ahead).is('=')) ++ahead;
  const std::string written = cursor.peek(ahead).value();
  for (size_t i = 0; i <= ahead; ++i) cursor.next();
  if (charset_from_sql(written) == "default") {
    charset.clear();
  } else if (!collate) {
    charset = charset_from_sql(written);
  } else if (const std::string named = charset_of_collation_name(written); !named.empty()) {
    charset = named;
  }
  return true;
}

bool parse_column_definition(SqlCursor& cursor, ColumnDefinition& definition) {
  if (!parse_type(cursor, definition)) return false;
  while (!cursor.at_end() && !cursor.at(',') && !cursor.at(')') && !at_behind_column(cursor)) {
    if (!parse_attribute(cursor, definition)) return false;
  }
  return true;
}

bool has_charset(SqlType type) {
  return is_character_type(type) || type == SqlType::enum_ || type == SqlType::set_;
}

void resolve_charset(ColumnDefinition& definition, std::string_view table_charset) {
  ColumnSchema& column = definition.column;
  const bool as_blob = column.type == SqlType::blob || (column.type == SqlType::varbinary && column.length > 65535);
  if (as_blob && column.length > 0) column.type = blob_type_for(column.length, false);
  if (column.type == SqlType::json) column.charset = "utf8mb4";
  if (!has_charset(column.type)) return;
  column.charset = definition.charset.empty() ? std::string(table_charset) : definition.charset;
  const uint64_t width = column.charset == kUnknownCharset ? 0 : charset_max_bytes(column.charset);
  if (column.type == SqlType::text && column.length > 0) {
    column.type = width > 0 ? blob_type_for(column.length * width, true) : SqlType::unknown;
  } else if (column.type == SqlType::varchar && column.length * (width > 0 ? width : 1) > 65535) {
    column.type = width > 0 ? blob_type_for(column.length * width, true) : SqlType::unknown;
  }
  for (std::string& member : column.members) member = representable(column.charset, member);
  if (column.charset != "binary") return;
  column.charset.clear();
  switch (column.type) {
    case SqlType::char_:
      column.type = SqlType::binary;
      break;
    case SqlType::varchar:
      column.type = SqlType::varbinary;
      break;
    case SqlType::tinytext:
      column.type = SqlType::tinyblob;
      break;
    case SqlType::text:
      column.type = SqlType::blob;
      break;
    case SqlType::mediumtext:
      column.type = SqlType::mediumblob;
      break;
    case SqlType::longtext:
      column.type = SqlType::longblob;
      break;
    default:
      break;
  }
}

}  // namespace tidemark::binlog
