// SPDX-License-Identifier: Apache-2.0
// FileReader over pread: one large window for events in order, one small window for looking ahead.
// Invariants: a window holds bytes that were in the file when read; a binlog only grows, so they stay right.
// One thread at a time.
#include "binlog/file_reader.hpp"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "binlog/byte_cursor.hpp"
#include "binlog/log_cipher.hpp"

namespace tidemark::binlog {

namespace {

constexpr uint64_t kMagicBytes = 4;
constexpr std::array<uint8_t, kMagicBytes> kMagic{0xfe, 'b', 'i', 'n'};
constexpr size_t kReadBytes = size_t{1} << 20;
constexpr size_t kPeekBytes = 4096;
constexpr size_t kPeekBytesAfterJump = 64;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

// Bytes [start, start + size) of the file. The buffer only grows.
struct Window {
  std::vector<uint8_t> buffer;
  uint64_t start = 0;
  size_t size = 0;

  bool holds(uint64_t position, uint64_t bytes) const { return position >= start && position + bytes <= start + size; }
  const uint8_t* at(uint64_t position) const { return buffer.data() + (position - start); }
};

struct FileReader::State {
  explicit State(int fd) : file(fd) {}

  FileDescriptor file;
  std::string path;
  std::string name;
  std::string keyring_file;
  FormatDescription format;
  EventHeader format_header;
  dev_t device = 0;
  ino_t inode = 0;
  uint64_t first_position = 0;
  uint64_t position = 0;
  uint64_t size = 0;          // without the encryption header, as all positions
  uint64_t header_bytes = 0;  // of the encryption header
  std::optional<LogCipher> cipher;
  Window ahead;
  Window main;

  DecodeError error(ErrorKind kind, uint64_t at, std::string text, std::string remedy = {}) const {
    return {kind, std::move(text), path, at, std::move(remedy)};
  }
  DecodeError io_error(uint64_t at, const char* what) const {
    return error(ErrorKind::io, at, std::string(what) + ": " + std::strerror(errno));
  }

  DecodeError checksum_error(uint64_t at, const EventHeader& header) const {
    return error(ErrorKind::corrupt, at, std::string("checksum of ") + event_type_name(header.type) + " event is wrong",
                 "the file is damaged here; copy it again from the server");
  }

  Checked refresh_size();
  Checked load(Window& window, uint64_t at, uint64_t bytes, size_t read_bytes);
  Outcome<ReadState> header_at(Window& window, uint64_t at, size_t read_bytes, EventHeader& out);
  Outcome<ReadState> event_at(Window& window, uint64_t at, size_t read_bytes, EventView& out);
  Checked check_head();
  Checked open_encrypted();
  Checked read_format();
};

Checked FileReader::State::refresh_size() {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return io_error(position, "cannot stat the file");
  device = status.st_dev;
  inode = status.st_ino;
  const uint64_t now = std::max(static_cast<uint64_t>(status.st_size), header_bytes) - header_bytes;
  if (now < size) {
    return error(ErrorKind::io, position,
                 "the file shrank from " + std::to_string(size) + " to " + std::to_string(now) + " bytes",
                 "binlogs only grow: it was truncated or replaced; read it from its start");
  }
  size = now;
  return Done{};
}

// Makes [at, at + bytes) available in the window; the caller knows that the file holds them. Keeps what is already
// there of the bytes from `at` on.
Checked FileReader::State::load(Window& window, uint64_t at, uint64_t bytes, size_t read_bytes) {
  if (window.holds(at, bytes)) return Done{};
  const auto want = static_cast<size_t>(std::min<uint64_t>(std::max<uint64_t>(bytes, read_bytes), size - at));
  size_t kept = 0;
  if (at >= window.start && at < window.start + window.size) {
    kept = static_cast<size_t>(window.start + window.size - at);
    std::memmove(window.buffer.data(), window.at(at), kept);
  }
  if (window.buffer.size() < want) window.buffer.resize(want);
  window.start = at;
  window.size = kept;
  while (window.size < want) {
    const ssize_t got = ::pread(file.get(), window.buffer.data() + window.size, want - window.size,
                                static_cast<off_t>(header_bytes + at + window.size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(at, "cannot read the file");
    if (got == 0) return error(ErrorKind::io, at, "the file shrank while it was read");
    const std::span<uint8_t> came(window.buffer.data() + window.size, static_cast<size_t>(got));
    if (cipher && !cipher->decrypt(at + window.size, came)) {
      return error(ErrorKind::io, at, "libcrypto cannot decrypt the file");
    }
    window.size += came.size();
  }
  return Done{};
}

Outcome<ReadState> FileReader::State::header_at(Window& window, uint64_t at, size_t read_bytes, EventHeader& out) {
  if (at + kHeaderBytes > size) {
    if (auto done = refresh_size(); !done) return std::move(done).error();
    if (at >= size) return ReadState::end_of_file;
    if (at + kHeaderBytes > size) return ReadState::incomplete;
  }
  if (auto done = load(window, at, kHeaderBytes, read_bytes); !done) return std::move(done).error();
  out = parse_header({window.at(at), kHeaderBytes});
  if (!event_size_legal(out)) {
    return error(ErrorKind::corrupt, at, event_size_error(out),
                 "the file is damaged here; copy it again from the server");
  }
  if (at + out.size > size) {
    if (auto done = refresh_size(); !done) return std::move(done).error();
    if (at + out.size > size) return ReadState::incomplete;
  }
  if (!end_position_fits(out, at + out.size)) {
    return error(ErrorKind::corrupt, at,
                 std::string(event_type_name(out.type)) + " event ends at " + std::to_string(at + out.size) +
                     " but its header says " + std::to_string(out.end_position),
                 (out.flags & kFlagRelayLog) != 0 ? "this is a relay log: read the source's binlog instead"
                                                  : "the file is damaged here, or this is not an event's start");
  }
  return ReadState::ready;
}

Outcome<ReadState> FileReader::State::event_at(Window& window, uint64_t at, size_t read_bytes, EventView& out) {
  auto state = header_at(window, at, read_bytes, out.header);
  if (!state || *state != ReadState::ready) return state;
  const uint32_t bytes = out.header.size;
  if (auto done = load(window, at, bytes, read_bytes); !done) return std::move(done).error();
  const uint8_t* event = window.at(at);
  uint32_t body_end = bytes;
  if (format.checksum == ChecksumAlgorithm::crc32) {
    if (bytes < kHeaderBytes + kChecksumBytes) {
      return error(ErrorKind::corrupt, at, "event has no room for its checksum");
    }
    body_end -= kChecksumBytes;
    const auto stored = static_cast<uint32_t>(load_le(event + body_end, kChecksumBytes));
    if (libdeflate_crc32(0, event, body_end) != stored) {
      return checksum_error(at, out.header);
    }
  }
  out.position = at;
  out.next_position = at + bytes;
  out.body = {event + kHeaderBytes, body_end - kHeaderBytes};
  out.inside_payload = false;
  return ReadState::ready;
}

Checked FileReader::State::open_encrypted() {
  if (size < kEncryptionHeaderBytes) {
    return error(ErrorKind::torn_tail, 0, "the file ends inside its encryption header");
  }
  if (auto done = load(main, 0, kEncryptionHeaderBytes, kReadBytes); !done) return done;
  auto header = parse_encryption_header({main.at(0), kEncryptionHeaderBytes});
  if (!header) return error(header.error().kind, 0, header.error().text, header.error().remedy);
  if (keyring_file.empty()) {
    return error(ErrorKind::unsupported, 0, "the file is encrypted (binlog_encryption) with the key " + header->key_id,
                 "give the server's keyring file with 'keyring_file' in the job, or --keyring; or read from the "
                 "server over the network; or write binlogs with binlog_encryption=OFF");
  }
  auto keyring = KeyringFile::open(keyring_file);
  if (!keyring) return std::move(keyring).error();
  const SecretKey* key = keyring->find(header->key_id);
  if (key == nullptr) {
    return error(ErrorKind::unsupported, 0,
                 "the file is encrypted with the key " + header->key_id + ", which is not in " + keyring_file,
                 "give the keyring file of the server that wrote the file, copied after that");
  }
  auto created = LogCipher::create(*header, *key);
  if (!created) return error(created.error().kind, 0, created.error().text, created.error().remedy);
  cipher.emplace(std::move(created).value());
  header_bytes = kEncryptionHeaderBytes;
  size = 0;
  main.size = 0;
  if (auto done = refresh_size(); !done) return done;
  if (size < kMagicBytes) return error(ErrorKind::torn_tail, 0, "the file ends behind its encryption header");
  if (auto done = load(main, 0, kMagicBytes, kReadBytes); !done) return done;
  if (!std::equal(kMagic.begin(), kMagic.end(), main.at(0))) {
    return error(ErrorKind::corrupt, 0,
                 "decrypted with the key " + header->key_id + " of " + keyring_file + ", the file is no binlog",
                 "give the keyring file of the server that wrote the file; or the file is damaged");
  }
  return Done{};
}

Checked FileReader::State::check_head() {
  if (auto done = refresh_size(); !done) return done;
  if (size < kMagicBytes) {
    return error(ErrorKind::torn_tail, 0, "the file has " + std::to_string(size) + " bytes, too few for a binlog");
  }
  if (auto done = load(main, 0, kMagicBytes, kReadBytes); !done) return done;
  const uint8_t* head = main.at(0);
  if (std::equal(kEncryptedMagic.begin(), kEncryptedMagic.end(), head)) return open_encrypted();
  if (!std::equal(kMagic.begin(), kMagic.end(), head)) {
    const bool page_based = path.ends_with(".ibb");
    return error(page_based ? ErrorKind::unsupported : ErrorKind::corrupt, 0,
                 "not a binlog: it does not start with fe 'bin'",
                 page_based ? "binlog_storage_engine=innodb files are not read: use the classic format"
                            : "name a binlog file of MySQL or MariaDB");
  }
  return Done{};
}

Checked FileReader::State::read_format() {
  EventHeader header;
  auto state = header_at(main, kMagicBytes, kReadBytes, header);
  if (!state) return std::move(state).error();
  if (*state != ReadState::ready) {
    return error(ErrorKind::torn_tail, kMagicBytes, "the file ends before its FORMAT_DESCRIPTION is complete");
  }
  if (header.type != EventType::format_description) {
    return error(ErrorKind::unsupported, kMagicBytes,
                 std::string("the first event is ") + event_type_name(header.type) + ", not FORMAT_DESCRIPTION",
                 "only binlogs of version 4 (MySQL 5.0 and later, MariaDB) are read");
  }
  if (auto done = load(main, kMagicBytes, header.size, kReadBytes); !done) return done;
  auto parsed = parse_format_description({main.at(kMagicBytes), header.size});
  if (!parsed) {
    DecodeError failure = std::move(parsed).error();
    failure.file = path;
    failure.position = kMagicBytes;
    return failure;
  }
  format = std::move(parsed).value();
  format_header = header;
  first_position = kMagicBytes + header.size;
  position = first_position;
  return Done{};
}

FileReader::FileReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileReader::FileReader(FileReader&&) noexcept = default;
FileReader& FileReader::operator=(FileReader&&) noexcept = default;
FileReader::~FileReader() = default;

Outcome<FileReader> FileReader::open(std::string path, const std::string& keyring_file) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return DecodeError{ErrorKind::io, std::string("cannot open the file: ") + std::strerror(errno), std::move(path), 0,
                       "check the path and its permissions"};
  }
  auto state = std::make_unique<State>(fd);
  state->name = path.substr(path.find_last_of('/') + 1);
  state->path = std::move(path);
  state->keyring_file = keyring_file;
  if (auto done = state->check_head(); !done) return std::move(done).error();
  if (auto done = state->read_format(); !done) return std::move(done).error();
  return FileReader(std::move(state));
}

const std::string& FileReader::path() const {
  return state_->path;
}
const std::string& FileReader::keyring_file() const {
  return state_->keyring_file;
}
const std::string& FileReader::name() const {
  return state_->name;
}
const FormatDescription& FileReader::format() const {
  return state_->format;
}
const EventHeader& FileReader::format_header() const {
  return state_->format_header;
}

Outcome<PathNow> FileReader::path_now() const {
  struct stat status {};
  // The open descriptor holds the inode, so that its number is nobody else's.
  if (::stat(state_->path.c_str(), &status) == 0) {
    return status.st_dev == state_->device && status.st_ino == state_->inode ? PathNow::same : PathNow::other;
  }
  if (errno == ENOENT || errno == ENOTDIR) return PathNow::gone;
  return state_->io_error(state_->position, "cannot look at the path again");
}

uint64_t FileReader::first_position() const {
  return state_->first_position;
}
uint64_t FileReader::position() const {
  return state_->position;
}

Outcome<uint64_t> FileReader::refresh_size() {
  if (auto done = state_->refresh_size(); !done) return std::move(done).error();
  return state_->size;
}

Checked FileReader::seek(uint64_t position) {
  position = std::max(position, state_->first_position);
  if (position > state_->size) {
    if (auto done = state_->refresh_size(); !done) return done;
    if (position > state_->size) {
      return error_at(ErrorKind::io, position,
                      "the position is past the end of the file (" + std::to_string(state_->size) + " bytes)",
                      "it is another file than the one the position is from, or it was cut");
    }
  }
  state_->position = position;
  return Done{};
}

Outcome<ReadState> FileReader::next(EventView& out) {
  auto state = state_->event_at(state_->main, state_->position, kReadBytes, out);
  if (state && *state == ReadState::ready) state_->position = out.next_position;
  return state;
}

Outcome<ReadState> FileReader::pass() {
  State& state = *state_;
  const uint64_t at = state.position;
  EventHeader header;
  auto known = state.header_at(state.main, at, kReadBytes, header);
  if (!known || *known != ReadState::ready) return known;
  const bool has_checksum = state.format.checksum != ChecksumAlgorithm::none;
  if (has_checksum && header.size <= kReadBytes) {
    EventView event;
    return next(event);
  }
  if (has_checksum) {
    const uint64_t checked = header.size - kChecksumBytes;
    uint32_t sum = 0;
    for (uint64_t done = 0; done < checked;) {
      const uint64_t step = std::min<uint64_t>(kReadBytes, checked - done);
      if (auto loaded = state.load(state.main, at + done, step, kReadBytes); !loaded) return std::move(loaded).error();
      sum = libdeflate_crc32(sum, state.main.at(at + done), static_cast<size_t>(step));
      done += step;
    }
    if (auto loaded = state.load(state.main, at + checked, kChecksumBytes, kReadBytes); !loaded) {
      return std::move(loaded).error();
    }
    if (load_le(state.main.at(at + checked), kChecksumBytes) != sum) return state.checksum_error(at, header);
  }
  state.position = at + header.size;
  return ReadState::ready;
}

Outcome<ReadState> FileReader::peek_header(uint64_t position, EventHeader& out) {
  // What the main window holds is read there, but it must not be refilled: next()'s views point into it.
  Window& window = state_->main.holds(position, kHeaderBytes) ? state_->main : state_->ahead;
  // A scan that steps over large events needs their headers alone; among small ones it reads ahead.
  const bool jumped = position > window.start + window.size;
  return state_->header_at(window, position, jumped ? kPeekBytesAfterJump : kPeekBytes, out);
}

Outcome<ReadState> FileReader::peek_event(uint64_t position, EventView& out) {
  EventHeader header;
  auto state = peek_header(position, header);
  if (!state || *state != ReadState::ready) return state;
  Window& window = state_->main.holds(position, header.size) ? state_->main : state_->ahead;
  return state_->event_at(window, position, kPeekBytes, out);
}

DecodeError FileReader::torn_tail_error(uint64_t position) const {
  return error_at(
      ErrorKind::torn_tail, position,
      "the file ends (at " + std::to_string(state_->size) + " bytes) inside the event or group that starts here",
      "a server is still writing it, it crashed, or the copy was cut: nothing of the group was used");
}

DecodeError FileReader::error_at(ErrorKind kind, uint64_t position, std::string text, std::string remedy) const {
  return state_->error(kind, position, std::move(text), std::move(remedy));
}

}  // namespace tidemark::binlog
