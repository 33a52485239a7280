// SPDX-License-Identifier: Apache-2.0
// Character set names as SQL statements spell them.
// Invariant: names are lower case; "utf8" is "utf8mb3", which is what it means in both families.
// Thread: any; no state.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::binlog {

/// Lower case, aliases resolved.
std::string charset_from_sql(std::string_view written);

/// Character set of a collation's name ("utf8mb4_0900_ai_ci" -> "utf8mb4"); "" if the name does not tell
/// (MariaDB's "uca1400_ai_ci").
std::string charset_of_collation_name(std::string_view collation);

/// `utf8` as a server keeps it in `charset`: a character that the charset does not have is '?'. Text in charsets whose
/// characters are not known here stays as it is.
std::string representable(std::string_view charset, std::string_view utf8);

}  // namespace tidemark::binlog
