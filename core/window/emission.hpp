// SPDX-License-Identifier: Apache-2.0
//
// Emission: what has been given of one (window, key), where a group may have several results: which revision came
// last, whether it still stands, and what came since. Kept beside the group's accumulators and part of state, so
// that after a restart revisions go on and nothing is given twice or lost. Where other aggregates read the results, the
// row that was given last stands in front of it in state. Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"

namespace tidemark::core {

struct alignas(8) Emission {
  uint32_t revision = 0;    ///< of the last result; 0 = there was none
  uint32_t rows_since = 0;  ///< rows that came since then (count rules); saturates
  bool present = false;     ///< the last result stands: it was no retraction
  bool pending = false;     ///< changed since the last result, where a rule will give the next
  bool queued = false;      ///< its next result is due; not part of state

  /// Nothing that would be missed.
  bool is_blank() const noexcept { return revision == 0 && rows_since == 0 && !pending; }
};

/// Bytes that append_emission() adds.
inline constexpr size_t kEmissionBytes = 9;

inline void append_emission(const Emission& emission, std::string& out) {
  ByteWriter writer(out);
  writer.fixed(emission.revision);
  writer.fixed(emission.rows_since);
  writer.fixed(static_cast<uint8_t>((emission.present ? 1 : 0) | (emission.pending ? 2 : 0)));
}

/// Takes it off the end of `bytes`; false when they do not end with one.
inline bool take_emission(std::string_view& bytes, Emission& out) {
  if (bytes.size() < kEmissionBytes) return false;
  ByteReader reader(bytes.substr(bytes.size() - kEmissionBytes));
  bytes.remove_suffix(kEmissionBytes);
  out.revision = reader.fixed<uint32_t>();
  out.rows_since = reader.fixed<uint32_t>();
  const auto flags = reader.fixed<uint8_t>();
  out.present = (flags & 1) != 0;
  out.pending = (flags & 2) != 0;
  return flags <= 3;
}

/// The row that was given last (RowBytes of the result writer; empty: none stands).
inline void append_given_row(std::string_view row, std::string& out) {
  out.append(row);
  ByteWriter(out).fixed(static_cast<uint32_t>(row.size()));
}

/// Takes it off the end of `bytes`; false when they do not end with one.
inline bool take_given_row(std::string_view& bytes, std::string& row) {
  if (bytes.size() < sizeof(uint32_t)) return false;
  const auto size = ByteReader(bytes.substr(bytes.size() - sizeof(uint32_t))).fixed<uint32_t>();
  bytes.remove_suffix(sizeof(uint32_t));
  if (bytes.size() < size) return false;
  row.assign(bytes.substr(bytes.size() - size));
  bytes.remove_suffix(size);
  return true;
}

}  // namespace tidemark::core
