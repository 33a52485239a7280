// SPDX-License-Identifier: Apache-2.0
//
// Reads the keys of one TOML table by name and type. Every problem becomes a finding that points at it, and
// reading goes on with the default, so that one run finds everything. finish() reports what nobody asked for.
// A text with an unset variable that may be unset reads as the default of whatever is asked for.
// Borrowed: the context and the node must outlive the reader. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/job/choices.hpp"
#include "config/job/defaults.hpp"
#include "config/job/diagnostic.hpp"
#include "config/job/job_spec.hpp"
#include "config/job/key_catalog.hpp"
#include "config/job/toml_tree.hpp"

namespace tidemark::config {

/// What reading a job file needs at hand.
struct ReadContext {
  Diagnostics& diagnostics;
  const SourceText& source;
  SectionIds ids;
  std::filesystem::path base_dir;
  int64_t cpu_count = 1;
  std::string time_zone{};    ///< the job's, once [job] was read
  Environment environment{};  ///< for values that name a variable
  bool allow_missing_env = false;
};

class TableReader {
 public:
  /// path: as in the file, "sources.orders.watermark"; empty = top level. ids in suggestions come from the context.
  TableReader(ReadContext& context, const TomlNode& table, TableKind kind, std::string path);

  const Span& span() const noexcept { return table_.span; }
  /// "[sources.orders]" for messages.
  std::string title() const;
  /// Marks the key as known; null when it is not there.
  const TomlEntry* find(std::string_view key);
  /// As find, and a table; anything else is reported.
  const TomlEntry* find_table(std::string_view key);

  /// help: what to write instead of something else than a text; the value in quotes when it is empty.
  Spanned<std::string> text(std::string_view key, std::string fallback, const std::string& help = {});
  /// A missing or empty text is reported with `help`.
  Spanned<std::string> required_text(std::string_view key, const std::string& help);
  Spanned<int64_t> integer(std::string_view key, int64_t fallback, Range<int64_t> range);
  Spanned<core::Micros> duration(std::string_view key, core::Micros fallback, Range<core::Micros> range);
  /// A missing duration is reported with `help`.
  Spanned<core::Micros> required_duration(std::string_view key, Range<core::Micros> range, const std::string& help);
  Spanned<uint64_t> size(std::string_view key, uint64_t fallback, Range<uint64_t> range);
  /// A list of non-empty texts, none twice. One text alone is reported with the list to write.
  std::vector<Spanned<std::string>> text_list(std::string_view key);

  /// One of the words; others are reported with the whole list. also: a form besides the words, which the caller reads.
  template <typename E, size_t N>
  Spanned<E> choice(std::string_view key, E fallback, const std::array<Choice<E>, N>& choices,
                    std::string_view also = {}) {
    const TomlEntry* entry = find(key);
    if (entry == nullptr) return {fallback, table_.span, false};
    return choice_of(*entry, fallback, choices, also);
  }
  /// The same for an entry that was found already.
  template <typename E, size_t N>
  Spanned<E> choice_of(const TomlEntry& entry, E fallback, const std::array<Choice<E>, N>& choices,
                       std::string_view also = {}) {
    std::array<Word, N> words;
    std::transform(choices.begin(), choices.end(), words.begin(), [](const Choice<E>& choice) {
      return Word{choice.name, choice.supported};
    });
    const std::optional<size_t> index = read_word(entry, words, also);
    return {index ? choices[*index].value : fallback, entry.value.span, true};
  }

  /// Adds "[...] lacks `key`".
  Diagnostic& missing(std::string_view key, const std::string& help);
  /// Adds "`what` is not supported yet".
  Diagnostic& not_supported(Span span, std::string_view what);
  /// Reports the keys that were not asked for.
  void finish();

 private:
  struct Word {
    std::string_view name;
    bool supported;
  };
  std::optional<size_t> read_word(const TomlEntry& entry, std::span<const Word> words, std::string_view also);
  std::optional<core::Micros> read_duration_value(const TomlEntry& entry, Range<core::Micros> range);
  std::optional<uint64_t> read_size_value(const TomlEntry& entry, Range<uint64_t> range);
  void wrong_type(const TomlEntry& entry, std::string_view wanted, std::string help);
  void out_of_range(const TomlEntry& entry, const std::string& min, const std::string& max);

  ReadContext& context_;
  const TomlNode& table_;
  TableKind kind_;
  std::string path_;
  std::vector<const TomlEntry*> known_;
};

/// A key as it must be written in a header: bare, or in quotes.
std::string quoted_key(std::string_view key);

}  // namespace tidemark::config
