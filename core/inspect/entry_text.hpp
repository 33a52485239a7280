// SPDX-License-Identifier: Apache-2.0
//
// Entries of state, splits and operators as lines: of text for people, of JSON for programs. JSON values are those of
// result files (core/batch/json_text.hpp); times are RFC 3339, null where there is none. Pure functions.
#pragma once

#include <string>

#include "core/inspect/entry_reader.hpp"
#include "core/inspect/state_summary.hpp"
#include "core/state/records.hpp"

namespace tidemark::core {

/// The head of append_entry_text()'s columns, with its line end.
std::string entry_head();
/// "window 2026-… 2026-… 12 region=eu | orders=12 total=1.50 | revision 2, stands".
void append_entry_text(const EntryReader& reader, const StateEntry& entry, std::string& out);
/// One object: type "entry", aggregate, kind, window_start, window_end, key, rows, values; where kept revision,
/// stands, pending, rows_since.
void append_entry_json(const EntryReader& reader, const StateEntry& entry, std::string& out);

/// "finished", "left out", or how its watermark stands.
const char* split_state(const SplitSummary& split) noexcept;
/// One object: type "split".
void append_split_json(const SplitSummary& summary, std::string& out);
/// One object: type "operator".
void append_operator_json(const OperatorRecord& record, std::string& out);
/// One object: type "epoch".
void append_epoch_json(const EpochRecord& epoch, const std::string& job, std::string& out);

/// Bytes of a plugin as text: printable ones as they are, others as \xNN; "..." after `most` bytes.
std::string printable(std::string_view bytes, size_t most);

}  // namespace tidemark::core
