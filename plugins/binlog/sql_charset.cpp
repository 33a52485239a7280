// SPDX-License-Identifier: Apache-2.0
// See the header. Invariant: a name that is no charset's is not taken for one.
// Thread: any; no state.
#include "binlog/sql_charset.hpp"

#include "binlog/charset.hpp"

namespace tidemark::binlog {

std::string charset_from_sql(std::string_view written) {
  std::string name(written);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name == "utf8" ? "utf8mb3" : name;
}

std::string charset_of_collation_name(std::string_view collation) {
  std::string name = charset_from_sql(collation.substr(0, collation.find('_')));
  return charset_max_bytes(name) > 0 ? name : std::string();
}

}  // namespace tidemark::binlog
