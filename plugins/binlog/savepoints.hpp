// SPDX-License-Identifier: Apache-2.0
// The savepoints of one transaction, as its logged statements declare, move and release them, and how many row events
// stood before each.
// Invariant: names compare without regard to ASCII case, as on the server; other letters count as written.
// Plain value; any thread. Source: MySQL manual "SAVEPOINT, ROLLBACK TO SAVEPOINT, and RELEASE SAVEPOINT".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::binlog {

class Savepoints {
 public:
  void clear() { all_.clear(); }
  /// A name that is there already moves.
  void declare(std::string name, uint64_t row_events);
  /// With those declared after it.
  void release(const std::string& name);
  /// Those declared after it are gone; it stays. True: no row event was logged since, so that nothing was undone that
  /// is in the log. A name that is not known stands for the transaction's start.
  bool roll_back_to(const std::string& name, uint64_t row_events);

 private:
  struct Savepoint {
    std::string name;
    uint64_t row_events;
  };
  std::vector<Savepoint>::iterator find(const std::string& name);

  std::vector<Savepoint> all_;
};

}  // namespace tidemark::binlog
