// SPDX-License-Identifier: Apache-2.0
//
// The easy layer: an author writes a SplitReader that reads one split, and a class with schema(), discover() and
// open(); this header takes turns over the splits, pauses them, numbers rows and keeps positions. A reader that
// blocks sets `using thread_per_split = std::true_type` (in the source class): then fetch() runs on a thread of
// the split's own and the rows of each fetch() are handed over as one (threaded_split.hpp).
// The stored position is "1:<next sequence>:<the author's position>".
#pragma once

#include <tidemark/reader.hpp>
#include <tidemark/split_reader.hpp>
#include <tidemark/threaded_split.hpp>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tidemark {
inline namespace v1 {
namespace detail {

/// An author's position with the number of the next row.
struct EasyPosition {
  uint64_t next_sequence = 1;
  std::string position;

  std::string encode() const { return "1:" + std::to_string(next_sequence) + ":" + position; }
  static EasyPosition decode(const std::string& bytes, std::string_view split_id) {
    EasyPosition out;
    if (bytes.empty()) return out;
    const size_t colon = bytes.find(':', 2);
    const char* const first = bytes.data() + 2;
    if (bytes.starts_with("1:") && colon != std::string::npos) {
      const auto [end, error] = std::from_chars(first, bytes.data() + colon, out.next_sequence);
      if (error == std::errc{} && end == bytes.data() + colon && end != first) {
        out.position = bytes.substr(colon + 1);
        return out;
      }
    }
    fail(SourceError("the stored position of a split cannot be read", split_id,
                     "it was written by another version of the plugin; start with a new state directory")
             .kind(ErrorKind::state));
    return out;
  }
};

/// SourceReader over SplitReaders that `Author::open` makes. `open_mutex` guards the author's source, which the
/// readers of several cores share.
template <typename Author>
class EasyReader final : public SourceReader {
 public:
  EasyReader(Author& author, std::mutex& open_mutex, const ReaderContext& context, bool threaded)
      : author_(author), open_mutex_(open_mutex), layout_(context.layout), host_(context.host), threaded_(threaded) {}

  void add_splits(std::span<const Split> splits) override {
    for (const Split& split : splits) {
      EasyPosition stored = EasyPosition::decode(split.position, split.id);
      auto state = std::make_unique<State>();
      state->split = split;
      state->split.position = std::move(stored.position);
      state->next_sequence = stored.next_sequence;
      {
        const std::lock_guard lock(open_mutex_);
        state->reader = author_.open(std::as_const(state->split));
      }
      if (state->reader == nullptr) {
        fail(SourceError("open() gave no reader for split", split.id).kind(ErrorKind::internal));
        return;
      }
      if (threaded_) {
        state->thread = std::make_unique<ThreadedSplit>(std::move(state->reader), layout_, host_, state->split,
                                                        state->next_sequence);
      }
      const std::lock_guard lock(states_mutex_);
      states_.push_back(std::move(state));
    }
  }

  void notify_no_more_splits() override { no_more_splits_ = true; }

  void release_split(uint32_t split) override {
    std::unique_ptr<State> gone;
    const std::lock_guard lock(states_mutex_);
    for (auto it = states_.begin(); it != states_.end(); ++it) {
      if ((*it)->split.number != split) continue;
      gone = std::move(*it);
      states_.erase(it);
      break;
    }
  }

  /// One batch of one split per call; splits take turns, those with nothing to read are passed over. Paused ones are
  /// too, but what the thread of one had read before is handed over.
  Status poll_next(ReaderOutput& output) override {
    bool waiting = false;
    for (size_t tried = 0; tried < states_.size(); ++tried) {
      State& state = *states_[turn_++ % states_.size()];
      if ((state.paused && !threaded_) || state.finished) continue;
      const Status status = threaded_ ? state.thread->hand_over(output) : fetch_into(state, output);
      if (status == Status::failed) return status;
      if (status == Status::end) state.finished = true;
      if (status != Status::nothing) return all_finished() ? Status::end : Status::more;
      waiting = true;
    }
    return !waiting && all_finished() ? Status::end : Status::nothing;
  }

  void pause_or_resume_splits(std::span<const uint32_t> to_pause, std::span<const uint32_t> to_resume) override {
    for (const auto& state : states_) {
      for (const uint32_t split : to_pause) state->paused = state->paused || split == state->split.number;
      for (const uint32_t split : to_resume) state->paused = state->paused && split != state->split.number;
      if (threaded_) state->thread->set_paused(state->paused);
    }
  }

  std::string snapshot_state(uint32_t split) override {
    for (const auto& state : states_) {
      if (state->split.number != split) continue;
      if (threaded_) {
        return EasyPosition{state->thread->next_sequence(), state->thread->position()}.encode();
      }
      return EasyPosition{state->next_sequence, state->reader->position()}.encode();
    }
    fail(SourceError("a snapshot of a split that is not here", std::to_string(split)).kind(ErrorKind::internal));
    return {};
  }

  void wake_up() noexcept override {
    const std::lock_guard lock(states_mutex_);
    for (const auto& state : states_) {
      if (!threaded_) state->reader->wake_up();
    }
  }

 private:
  struct State {
    Split split;
    std::unique_ptr<SplitReader> reader;    // not threaded
    std::unique_ptr<ThreadedSplit> thread;  // threaded
    uint64_t next_sequence = 1;
    bool paused = false;
    bool ends = false;  // not threaded: the end was said with a truncate(), and is told with the next call
    bool finished = false;
  };

  Status fetch_into(State& state, ReaderOutput& output) {
    SplitOutput out(output.raw(), layout_, state.split.number, state.next_sequence);
    const Status status = state.ends ? Status::end : fetch_with_context(*state.reader, out, state.split);
    if (out.is_truncated()) {
      state.ends = status == Status::end;
      return status == Status::failed ? status : Status::more;
    }
    if (status == Status::end || out.is_finished()) {
      out.finish();
      return Status::end;
    }
    return out.row_count() > 0 && status == Status::nothing ? Status::more : status;
  }

  bool all_finished() const noexcept {
    if (!no_more_splits_) return false;
    for (const auto& state : states_) {
      if (!state->finished) return false;
    }
    return true;
  }

  Author& author_;
  std::mutex& open_mutex_;
  const Layout& layout_;
  Host host_;
  bool threaded_;
  bool no_more_splits_ = false;
  size_t turn_ = 0;
  std::mutex states_mutex_;  // wake_up() against changes of the list
  std::vector<std::unique_ptr<State>> states_;
};

/// Source over an author's class of the easy layer.
template <typename Author>
class EasySource final : public Source {
 public:
  EasySource(const Options& options, Host host) : author_(make_author(options, host)) {}

  Schema schema() override { return author_->schema(); }

  std::vector<FoundSplit> discover() override {
    const std::lock_guard lock(open_mutex_);
    std::vector<FoundSplit> out;
    for (auto& found : author_->discover()) {
      if constexpr (std::is_convertible_v<decltype(found), std::string_view>) {
        out.push_back({std::string(found), {}});
      } else {
        out.push_back(std::move(found));
      }
    }
    return out;
  }

  bool no_more_splits() const override {
    if constexpr (requires(const Author& author) { author.no_more_splits(); }) {
      const std::lock_guard lock(open_mutex_);
      return author_->no_more_splits();
    }
    return false;
  }

  std::unique_ptr<SourceReader> open_reader(const ReaderContext& context) override {
    return std::make_unique<EasyReader<Author>>(*author_, open_mutex_, context, kThreaded);
  }

  uint64_t features() const override {
    if constexpr (requires(const Author& author) { author.features(); }) {
      return author_->features() | TIDEMARK_CAN_PAUSE_SPLITS;
    } else {
      return TIDEMARK_CAN_PAUSE_SPLITS;
    }
  }

 private:
  static constexpr bool kThreaded = [] {
    using Opened = typename std::remove_cvref_t<decltype(*std::declval<Author&>().open(std::declval<const Split&>()))>;
    if constexpr (requires { typename Author::thread_per_split; }) return bool{Author::thread_per_split::value};
    if constexpr (requires { typename Opened::thread_per_split; }) return bool{Opened::thread_per_split::value};
    return false;
  }();

  static std::unique_ptr<Author> make_author(const Options& options, Host host) {
    if constexpr (std::constructible_from<Author, const Options&, Host>) {
      return std::make_unique<Author>(options, host);
    } else {
      return std::make_unique<Author>(options);
    }
  }

  std::unique_ptr<Author> author_;
  mutable std::mutex open_mutex_;
};

}  // namespace detail
}  // namespace v1
}  // namespace tidemark
