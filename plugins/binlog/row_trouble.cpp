// SPDX-License-Identifier: Apache-2.0
// See the header. Any thread; no state.
#include "binlog/row_trouble.hpp"

namespace tidemark::binlog {

namespace {

std::string image_name(TroubleKind kind, const std::string& row) {
  if (row != "an UPDATE") return "the row image of " + row;
  return (kind == TroubleKind::missing_before ? "the before image of " : "the after image of ") + row;
}

}  // namespace

DecodeError row_cut_short(const std::string& table) {
  return {ErrorKind::corrupt,
          "a row of " + table + " does not add up to its event's body",
          {},
          0,
          "TIME, DATETIME or TIMESTAMP columns with fractions in MariaDB's old format cause this: "
          "ALTER TABLE ... FORCE with mysql56_temporal_format=ON"};
}

DecodeError rows_without_columns(const std::string& table) {
  return {ErrorKind::unsupported,
          "rows of " + table + " hold no column at all",
          {},
          0,
          "set binlog_row_image=FULL on the source"};
}

DecodeError trouble_error(TroubleKind kind, const std::string& columns, const std::string& table,
                          const std::string& row) {
  const std::string place = columns + " of " + table;
  switch (kind) {
    case TroubleKind::none:
    case TroubleKind::missing_before:
    case TroubleKind::missing_after: {
      const bool several = columns.find(", ") != std::string::npos;
      return {ErrorKind::schema,
              (several ? "columns " : "column ") + place + (several ? " are" : " is") + " needed but absent from " +
                  image_name(kind, row),
              {},
              0,
              "set binlog_row_image=FULL on the source (sessions can override it)"};
    }
    case TroubleKind::damaged:
      return {ErrorKind::corrupt,
              "a value of column " + place + " cannot be decoded: its bytes are damaged",
              {},
              0,
              "write the value again on the source; rows already logged stay as they are"};
    case TroubleKind::no_base:
      return {ErrorKind::schema,
              "column " + place + " was changed in part, and the before image has no document to change",
              {},
              0,
              "set binlog_row_value_options='' or binlog_row_image=FULL on the source (sessions can override both)"};
    case TroubleKind::wrong_base:
      return {ErrorKind::corrupt,
              "column " + place + " was changed in part, and the changes do not fit the before image's document",
              {},
              0,
              "set binlog_row_value_options='' on the source (sessions can override it)"};
  }
  return {};
}

}  // namespace tidemark::binlog
