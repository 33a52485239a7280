// SPDX-License-Identifier: Apache-2.0
// Reads one binlog file event by event: magic, FORMAT_DESCRIPTION, framing, checksums. Works on finished files and
// on files that a server is still writing.
// Invariants: every event handed out by next() or peek_event() has a right CRC32 if the file has checksums; the
// position moves over whole events only; an event that is not complete yet moves nothing.
// Bodies are views into the reader's buffer, valid until the next call. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "binlog/decode_error.hpp"
#include "binlog/event.hpp"
#include "binlog/format_description.hpp"

namespace tidemark::binlog {

enum class ReadState : uint8_t {
  ready,        ///< The out parameter is filled.
  end_of_file,  ///< Nothing after the last whole event (of a followed file: so far).
  incomplete    ///< The file ends inside an event, or inside a group.
};

/// What a file's path names now, against the file that was opened under it.
enum class PathNow : uint8_t {
  same,
  other,  ///< Another file: the path was replaced, as rsync does with a longer copy.
  gone
};

class FileReader {
 public:
  /// Opens the file, checks the magic and reads the FORMAT_DESCRIPTION; stands at the first event after it.
  /// A file too short for that is ErrorKind::torn_tail (a follower tries again). Files that MySQL encrypted are
  /// decrypted with the key of `keyring_file`, read anew for each file as keys are rotated; without one they are
  /// ErrorKind::unsupported, as InnoDB based binlogs are. Positions never count an encryption header, as the server's.
  static Outcome<FileReader> open(std::string path, const std::string& keyring_file = {});

  FileReader(FileReader&&) noexcept;
  FileReader& operator=(FileReader&&) noexcept;
  ~FileReader();

  /// As given to open().
  const std::string& path() const;
  /// As given to open(), for other files of the same log.
  const std::string& keyring_file() const;
  /// The last component of the path.
  const std::string& name() const;
  const FormatDescription& format() const;
  /// Header of the file's first event. Its time and server id tell one file from another of the same name.
  const EventHeader& format_header() const;
  /// Looks at the path again. The open file stays readable whatever the answer.
  Outcome<PathNow> path_now() const;
  /// Where the first event after the FORMAT_DESCRIPTION starts.
  uint64_t first_position() const;
  /// Start of the event that next() will read.
  uint64_t position() const;
  /// Bytes in the file when last looked at; looks again.
  Outcome<uint64_t> refresh_size();

  /// Moves to an event's start. Positions up to first_position() mean first_position(). Past the end is an error.
  Checked seek(uint64_t position);

  /// The next event, verified. Anything but `ready` leaves the position where it is; call again when the file grew.
  Outcome<ReadState> next(EventView& out);

  /// Moves over the next event without handing it out: verified, but never in memory as a whole.
  Outcome<ReadState> pass();

  /// The header of the event at `position`, which must be wholly in the file to be `ready`. No checksum is checked;
  /// does not move the position, and leaves the view that next() gave valid.
  Outcome<ReadState> peek_header(uint64_t position, EventHeader& out);
  /// The event at `position`, verified; does not move the position. The view is valid until the next peek, and next()
  /// views stay valid.
  Outcome<ReadState> peek_event(uint64_t position, EventView& out);

  /// For bounded reading: the error that says the file ends inside the event (or group) at `position`.
  DecodeError torn_tail_error(uint64_t position) const;
  /// An error of this file at `position`.
  DecodeError error_at(ErrorKind kind, uint64_t position, std::string text, std::string remedy = {}) const;

 private:
  struct State;
  explicit FileReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidemark::binlog
