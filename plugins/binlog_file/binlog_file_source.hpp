// SPDX-License-Identifier: Apache-2.0
// The source plugin `binlog_file`: binlog files of MySQL and MariaDB, one split per shard.
//
// Invariants: the columns are the union over all matched tables and their versions in the files (schema_scan); zero
// matched tables are an error with the near names; the matched tables are logged and stand in each split's note. A
// shard that comes while the job runs is found once its first file has a head.
// Thread: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tidemark/source.hpp>
#include <vector>

#include "binlog_file/schema_scan.hpp"
#include "binlog_file/shard_reader.hpp"
#include "binlog_file/table_filter.hpp"

namespace tidemark::binlog_file {

class BinlogFileSource final : public Source {
 public:
  BinlogFileSource(const Options& options, Host host);

  Schema schema() override;
  std::vector<FoundSplit> discover() override;
  std::unique_ptr<SourceReader> open_reader(const ReaderContext& context) override;
  uint64_t features() const override;

 private:
  const SchemaScan& scanned();
  void report(const SchemaScan& scan);
  bool can_begin(const Shard& shard);

  Host host_;
  std::vector<std::string> shards_;
  TableFilter filter_;
  ReadOptions read_options_;
  std::unique_ptr<SchemaScan> scan_;
  bool discovered_ = false;
  std::set<std::string> known_;    // ids that discover() gave
  std::set<std::string> waiting_;  // ids of shards that came later and cannot be read yet
};

}  // namespace tidemark::binlog_file
