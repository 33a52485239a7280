// SPDX-License-Identifier: Apache-2.0
//
// Typed reading with findings.
#include "config/job/table_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "config/job/nearest_name.hpp"
#include "config/job/units.hpp"
#include "core/base/check.hpp"

namespace tidemark::config {
namespace {

using Kind = TomlNode::Kind;

constexpr const char* kDurationExample = R"(write "10s", "500ms" or "2m")";
constexpr const char* kSizeExample = R"(write "64MiB" (1024 × 1024) or "64MB" (1000 × 1000))";

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// An integer, or a whole ${X} that holds one.
std::optional<int64_t> integer_in(const TomlNode& node) {
  if (node.kind == Kind::integer) return node.integer;
  if (node.kind != Kind::text || !node.from_environment) return std::nullopt;
  int64_t value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [at, error] = std::from_chars(node.text.data(), end, value);
  return error == std::errc{} && at == end ? std::optional<int64_t>(value) : std::nullopt;
}

// The value as the file has it, for messages; a substituted text is not printed: it may be a secret.
std::string shown(const TomlNode& node) {
  if (node.substituted) return "the value of the environment variable";
  return node.kind == Kind::text ? fmt::format("\"{}\"", node.text) : node.text;
}

}  // namespace

std::string quoted_key(std::string_view key) {
  return is_bare(key) ? std::string(key) : fmt::format("\"{}\"", key);
}

TableReader::TableReader(ReadContext& context, const TomlNode& table, TableKind kind, std::string path)
    : context_(context), table_(table), kind_(kind), path_(std::move(path)) {}

std::string TableReader::title() const {
  return path_.empty() ? "the job file" : fmt::format("[{}]", path_);
}

const TomlEntry* TableReader::find(std::string_view key) {
  const std::span<const std::string_view> keys = keys_of(kind_);
  TIDEMARK_CHECK(std::find(keys.begin(), keys.end(), key) != keys.end());
  const auto found = std::find_if(table_.entries.begin(), table_.entries.end(),
                                  [&](const TomlEntry& entry) { return entry.key == key; });
  if (found == table_.entries.end()) return nullptr;
  known_.push_back(&*found);
  return &*found;
}

const TomlEntry* TableReader::find_table(std::string_view key) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr || entry->value.kind == Kind::table) return entry;
  const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  const bool named =
      kind_ == TableKind::root && (key == "sources" || key == "transforms" || key == "aggregates" || key == "sinks");
  wrong_type(*entry, "a table", fmt::format("write [{}{}]", path, named ? ".<id>" : ""));
  return nullptr;
}

void TableReader::wrong_type(const TomlEntry& entry, std::string_view wanted, std::string help) {
  context_.diagnostics
      .error(code::kWrongType, entry.value.span,
             fmt::format("`{}` must be {}, not {}", entry.key, wanted, kind_name(entry.value.kind)))
      .with_help(std::move(help));
}

void TableReader::out_of_range(const TomlEntry& entry, const std::string& min, const std::string& max) {
  context_.diagnostics
      .error(code::kOutOfRange, text_span(context_.source, entry.value),
             fmt::format("`{}` = {} is out of range", entry.key, shown(entry.value)))
      .with_help(min == max ? "allowed: " + min : fmt::format("allowed: {} to {}", min, max));
}

Diagnostic& TableReader::missing(std::string_view key, const std::string& help) {
  return context_.diagnostics
      .error(code::kMissingKey, path_.empty() ? Span{table_.span.file, 0, 0, 0} : table_.span,
             fmt::format("{} lacks `{}`", title(), key))
      .with_help(help);
}

Diagnostic& TableReader::not_supported(Span span, std::string_view what) {
  return context_.diagnostics.error(code::kNotSupportedYet, span, fmt::format("{} is not supported yet", what));
}

Spanned<std::string> TableReader::text(std::string_view key, std::string fallback, const std::string& help) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr) return {std::move(fallback), table_.span, false};
  if (entry->value.kind == Kind::text) return {entry->value.text, text_span(context_.source, entry->value), true};
  const bool scalar = entry->value.kind != Kind::list && entry->value.kind != Kind::table;
  wrong_type(*entry, "a text", !help.empty() || !scalar ? help : fmt::format("write \"{}\"", entry->value.text));
  return {std::move(fallback), entry->value.span, true};
}

Spanned<std::string> TableReader::required_text(std::string_view key, const std::string& help) {
  Spanned<std::string> out = text(key, "");
  if (!out.given) {
    missing(key, help);
  } else if (const TomlEntry* entry = find(key); entry->value.kind == Kind::text && out.value.empty()) {
    context_.diagnostics.error(code::kUnknownValue, out.span, fmt::format("`{}` is empty", key)).with_help(help);
  }
  return out;
}

Spanned<int64_t> TableReader::integer(std::string_view key, int64_t fallback, Range<int64_t> range) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr) return {fallback, table_.span, false};
  Spanned<int64_t> out{fallback, entry->value.span, true};
  if (entry->value.placeholder) return out;
  const std::optional<int64_t> value = integer_in(entry->value);
  if (!value) {
    wrong_type(*entry, "an integer", fmt::format("allowed: {} to {}", range.min, range.max));
  } else if (*value < range.min || *value > range.max) {
    out_of_range(*entry, fmt::format("{}", range.min), fmt::format("{}", range.max));
  } else {
    out.value = *value;
  }
  return out;
}

std::optional<core::Micros> TableReader::read_duration_value(const TomlEntry& entry, Range<core::Micros> range) {
  const TomlNode& node = entry.value;
  if (node.placeholder) return std::nullopt;
  const Span at = text_span(context_.source, node);
  if (node.kind == Kind::integer || node.kind == Kind::floating) {
    context_.diagnostics.error(code::kNotADuration, at, "a duration needs a unit").with_help(kDurationExample);
    return std::nullopt;
  }
  if (node.kind != Kind::text) {
    wrong_type(entry, "a duration", kDurationExample);
    return std::nullopt;
  }
  const DurationText read = read_duration(node.text);
  const auto refuse = [&](std::string text, std::string help) {
    context_.diagnostics.error(code::kNotADuration, at, std::move(text)).with_help(std::move(help));
  };
  switch (read.problem) {
    case UnitProblem::none:
      if (read.value >= range.min && read.value <= range.max) return read.value;
      [[fallthrough]];
    case UnitProblem::too_large:
      out_of_range(entry, core::format_duration(range.min), core::format_duration(range.max));
      break;
    case UnitProblem::no_unit:
      refuse("a duration needs a unit", kDurationExample);
      break;
    case UnitProblem::unknown_unit:
      refuse(fmt::format("unknown unit `{}` in the duration of `{}`", read.part, entry.key),
             "units: ns, us, ms, s, m, h, d");
      break;
    case UnitProblem::spaces:
      refuse("a duration has no spaces", fmt::format("write \"{}\"", read.part));
      break;
    case UnitProblem::too_small:
      refuse(fmt::format("`{}` = {} is less than a microsecond", entry.key, shown(node)), "the smallest is \"1us\"");
      break;
    case UnitProblem::malformed:
      refuse(fmt::format("{} is not a duration", shown(node)), kDurationExample);
      break;
  }
  return std::nullopt;
}

Spanned<core::Micros> TableReader::duration(std::string_view key, core::Micros fallback, Range<core::Micros> range) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr) return {fallback, table_.span, false};
  return {read_duration_value(*entry, range).value_or(fallback), text_span(context_.source, entry->value), true};
}

Spanned<core::Micros> TableReader::required_duration(std::string_view key, Range<core::Micros> range,
                                                     const std::string& help) {
  Spanned<core::Micros> out = duration(key, range.min, range);
  if (!out.given) missing(key, help);
  return out;
}

std::optional<uint64_t> TableReader::read_size_value(const TomlEntry& entry, Range<uint64_t> range) {
  const TomlNode& node = entry.value;
  if (node.placeholder) return std::nullopt;
  SizeText read;
  if (const std::optional<int64_t> bytes = integer_in(node)) {
    read = {static_cast<uint64_t>(std::max<int64_t>(*bytes, 0)), UnitProblem::none, {}};
  } else if (node.kind == Kind::text) {
    read = read_size(node.text);
  } else {
    wrong_type(entry, "a size", kSizeExample);
    return std::nullopt;
  }
  const auto refuse = [&](std::string text, const std::string& help) {
    context_.diagnostics.error(code::kNotASize, text_span(context_.source, node), std::move(text)).with_help(help);
  };
  switch (read.problem) {
    case UnitProblem::none:
      if (read.bytes >= range.min && read.bytes <= range.max) return read.bytes;
      [[fallthrough]];
    case UnitProblem::too_small:
    case UnitProblem::too_large:
      out_of_range(entry, format_size(range.min), format_size(range.max));
      break;
    case UnitProblem::no_unit:
      refuse("a size in quotes needs a unit", kSizeExample);
      break;
    case UnitProblem::unknown_unit:
      refuse(fmt::format("unknown unit `{}` in the size of `{}`", read.part, entry.key),
             "units: B, KiB, MiB, GiB, TiB (1024) and kB, MB, GB, TB (1000)");
      break;
    case UnitProblem::spaces:
      refuse("a size has no spaces", fmt::format("write \"{}\"", read.part));
      break;
    case UnitProblem::malformed:
      refuse(fmt::format("{} is not a size", shown(node)), kSizeExample);
      break;
  }
  return std::nullopt;
}

Spanned<uint64_t> TableReader::size(std::string_view key, uint64_t fallback, Range<uint64_t> range) {
  const TomlEntry* entry = find(key);
  if (entry == nullptr) return {fallback, table_.span, false};
  return {read_size_value(*entry, range).value_or(fallback), text_span(context_.source, entry->value), true};
}

std::vector<Spanned<std::string>> TableReader::text_list(std::string_view key) {
  const TomlEntry* entry = find(key);
  std::vector<Spanned<std::string>> out;
  if (entry == nullptr) return out;
  if (entry->value.kind != Kind::list) {
    const std::string item = entry->value.kind == Kind::text ? entry->value.text : "...";
    wrong_type(*entry, "a list", fmt::format("write [\"{}\"]", item));
    return out;
  }
  for (const TomlNode& item : entry->value.items) {
    const Span at = text_span(context_.source, item);
    if (item.kind != Kind::text) {
      context_.diagnostics.error(code::kWrongType, at,
                                 fmt::format("`{}` is a list of texts, this is {}", key, kind_name(item.kind)));
    } else if (item.text.empty()) {
      context_.diagnostics.error(code::kUnknownValue, at, fmt::format("an empty text in `{}`", key));
    } else if (std::any_of(out.begin(), out.end(), [&](const auto& one) { return one.value == item.text; })) {
      context_.diagnostics.error(code::kDuplicate, at, fmt::format("`{}` twice in `{}`", item.text, key))
          .with_help("remove one");
    } else {
      out.push_back({item.text, at, true});
    }
  }
  return out;
}

std::optional<size_t> TableReader::read_word(const TomlEntry& entry, std::span<const Word> words,
                                             std::string_view also) {
  std::vector<std::string> all;
  std::vector<std::string> supported;
  for (const Word& word : words) {
    all.emplace_back(word.name);
    if (word.supported) supported.push_back(fmt::format("\"{}\"", word.name));
  }
  if (!also.empty()) supported.emplace_back(also);
  const std::string list = fmt::format("{}", fmt::join(supported, ", "));
  if (entry.value.kind != Kind::text) {
    wrong_type(entry, "a text", fmt::format("one of: {}", list));
    return std::nullopt;
  }
  if (entry.value.placeholder) return std::nullopt;
  const Span at = text_span(context_.source, entry.value);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].name != entry.value.text) continue;
    if (words[i].supported) return i;
    not_supported(at, fmt::format("`{}` = \"{}\"", entry.key, words[i].name)).with_help("supported: " + list);
    return std::nullopt;
  }
  const auto near = nearest_name(entry.value.text, all);
  context_.diagnostics.error(code::kUnknownValue, at, fmt::format("`{}` cannot be {}", entry.key, shown(entry.value)))
      .with_help(near ? fmt::format("did you mean \"{}\"? All values: {}", *near, list)
                      : fmt::format("one of: {}", list));
  return std::nullopt;
}

void TableReader::finish() {
  const std::span<const std::string_view> planned = planned_keys_of(kind_);
  for (const TomlEntry& entry : table_.entries) {
    if (std::find(known_.begin(), known_.end(), &entry) != known_.end()) continue;
    const bool is_table = entry.value.kind == Kind::table || entry.value.kind == Kind::list;
    const std::string name = kind_ == TableKind::root && is_table ? fmt::format("[{}]", quoted_key(entry.key))
                                                                  : fmt::format("`{}`", entry.key);
    if (std::find(planned.begin(), planned.end(), entry.key) != planned.end()) {
      not_supported(entry.key_span, name).with_help("remove it for now");
      continue;
    }
    const std::string what = kind_ == TableKind::root && is_table ? "unknown table " + name
                             : path_.empty()                      ? fmt::format("unknown key {} at the top level", name)
                                                                  : fmt::format("unknown key {} in [{}]", name, path_);
    context_.diagnostics.error(code::kUnknownKey, entry.key_span, what)
        .with_help(suggest_key(kind_, entry.key, context_.ids));
  }
}

}  // namespace tidemark::config
