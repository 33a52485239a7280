// SPDX-License-Identifier: Apache-2.0
//
// KeptRows: the current rows of one split, by table and key, as they were read: what completes row images that lack
// columns, and what a TRUNCATE takes out. They lie in the epoch store; what changed since the last durable epochs lies
// over them in memory, so that a read meets both and an epoch takes rows and position together. Rows that the source
// could not read in full change nothing here, as they count nowhere: the next change of such a row takes back what was
// counted, whatever its own image says. Rows that the host sets aside later change what is kept. Where event time is
// that of the change (Place::keeps_times), a row is kept with the one that it was counted with, and taken back with it.
// Owned and used by the ingest component that reads the split; reads the store beside the committer's writes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.hpp"
#include "core/batch/batch.hpp"
#include "core/state/epoch_store.hpp"
#include "core/state/records.hpp"
#include "core/window/key_codec.hpp"

namespace tidemark::core {

class KeptRows {
 public:
  struct Place {
    std::string source;
    std::string split;
    bool takes_unknown = false;  ///< full images of rows that are not kept are counted (no_base = "delta")
    bool keeps_times = false;    ///< event times are the source's own, and other ones in the changes of a row
  };

  /// `key`: columns of `layout`, whose delivered columns are kept. `store` outlives it.
  KeptRows(EpochStore& store, Place place, std::shared_ptr<const BatchLayout> layout, const std::vector<uint32_t>& key);

  /// Completes the batch's partial rows in the batch itself and takes over what its rows change. What cannot be
  /// completed, or has no key, becomes one of the batch's problems, both rows of an update together.
  Status take(Batch& batch);

  /// Fills the empty batch with deletes of rows that the truncation takes out, as many as fit, and takes them out here.
  /// True: there are more.
  Result<bool> take_out(const Truncation& truncation, Batch& out);

  /// What changed since the last seal.
  void seal(uint64_t epoch, EpochWrites& writes);
  /// The epoch is durable: the store has what it held.
  void committed(uint64_t epoch);
  /// In memory, over the store.
  size_t bytes() const noexcept { return bytes_; }

 private:
  struct Change {
    std::optional<std::string> value;  // none: the row is gone
    uint64_t epoch = 0;                // that holds it; 0: the next one
  };
  using Changes = std::map<std::string, Change, std::less<>>;
  struct LiveRow {
    std::string key;
    std::string value;
  };

  Status take_row(Batch& batch, uint32_t row);
  Status take_update(Batch& batch, uint32_t row);
  /// Fills absent cells of a row that is there already; false: it became a problem of `rows` rows from `first` on.
  Result<bool> complete(Batch& batch, uint32_t row, uint32_t first, uint32_t rows);
  Status decode_kept(std::string_view kept);  ///< into scratch_
  /// Of what is kept: the encoded row, and its event time (with keeps_times).
  std::string_view row_in(std::string_view kept) const;
  static Micros time_in(std::string_view kept);
  Status damaged_row() const;
  /// Gives a row that is taken back the values with which it was counted; false: it became a problem.
  Result<bool> show_as_counted(Batch& batch, uint32_t row, std::string_view kept, uint32_t first, uint32_t rows);
  /// The rows change one that is not kept: a problem.
  void add_unknown(Batch& batch, uint32_t first, uint32_t rows);
  bool has_absent(const Batch& batch, uint32_t row) const;
  std::string absent_names(const Batch& batch, uint32_t row, bool of_key) const;
  /// The row's key in the store, in key_; false: it has none, which became a problem.
  bool find_key(Batch& batch, uint32_t row, uint32_t first, uint32_t rows);
  Result<std::optional<std::string>> get(const std::string& key) const;
  /// Keeps the row under key_; false: it cannot be kept, which became a problem.
  bool put(Batch& batch, uint32_t row, uint32_t first, uint32_t rows);
  void change(const std::string& key, std::optional<std::string> value);
  const std::string& prefix_of(const Batch& batch, uint32_t row);
  void add_problem(Batch& batch, uint32_t first, uint32_t rows, ProblemReason reason, const std::string& what);
  std::string prefix_of(const Truncation& truncation) const;
  Result<bool> collect(const std::string& prefix, uint32_t rows_max, std::vector<LiveRow>& out);
  Status fill(const Truncation& truncation, const std::vector<LiveRow>& rows, Batch& out);

  EpochStore& store_;
  Place place_;
  std::shared_ptr<const BatchLayout> layout_;
  std::vector<uint32_t> key_columns_;
  KeyCodec key_codec_;
  KeyCodec row_codec_;  // of all delivered columns
  Batch scratch_;       // one row
  Changes changes_;
  size_t bytes_ = 0;
  std::string cursor_;  // where a truncation goes on; empty: at its beginning

  // Of the batch in hand.
  std::vector<std::string> prefixes_;  // by origin; empty: not made yet
  std::string no_origin_prefix_;
  std::vector<RowProblem> problems_;
  std::string last_text_;  // of the last of them, if it was added here
  bool added_problems_ = false;
  EncodedKeys encoded_;
  std::string key_;
};

}  // namespace tidemark::core
