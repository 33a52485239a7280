// SPDX-License-Identifier: Apache-2.0
//
// Small things about a JobSpec: looking up by id, words for its enumerations, paths.
#include "config/job/job_spec.hpp"

#include <algorithm>

#include "config/job/choices.hpp"

namespace tidemark::config {
namespace {

template <typename E, size_t N>
const char* name_of(const std::array<Choice<E>, N>& choices, E value) noexcept {
  for (const Choice<E>& choice : choices) {
    if (choice.value == value && choice.supported) return choice.name;
  }
  return "?";
}

template <typename T>
const T* find_by_id(const std::vector<T>& items, const std::string& id) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const T& item) { return item.id.value == id; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const SourceSpec* JobSpec::find_source(const std::string& id) const {
  return find_by_id(sources, id);
}
const AggregateSpec* JobSpec::find_aggregate(const std::string& id) const {
  return find_by_id(aggregates, id);
}

bool is_expression(std::string_view field) noexcept {
  return field.find_first_of("()+*/%<>=!,'\"` \t\r\n") != std::string_view::npos;
}

const char* to_text(InputMode value) noexcept {
  return name_of(kInputModes, value);
}
const char* to_text(OnBadEvent value) noexcept {
  return name_of(kOnBadEvent, value);
}
const char* to_text(WatermarkStrategy value) noexcept {
  return value == WatermarkStrategy::plugin ? "plugin" : name_of(kStrategies, value);
}
const char* to_text(AllIdle value) noexcept {
  return value == AllIdle::advance_after ? "advance_after" : name_of(kAllIdle, value);
}
const char* to_text(OnResume value) noexcept {
  return name_of(kOnResume, value);
}
const char* to_text(OnFuture value) noexcept {
  return name_of(kOnFuture, value);
}
const char* to_text(AggregateFunction value) noexcept {
  return value == AggregateFunction::count_all ? "count" : name_of(kFunctions, value);
}
const char* to_text(WindowType value) noexcept {
  return name_of(kWindowTypes, value);
}
const char* to_text(EmitMode value) noexcept {
  return name_of(kEmitModes, value);
}
const char* to_text(LatePolicy value) noexcept {
  return name_of(kLatePolicies, value);
}
const char* to_text(SinkType value) noexcept {
  return name_of(kSinkTypes, value);
}
const char* to_text(FileFormat value) noexcept {
  return name_of(kFileFormats, value);
}
const char* to_text(LogLevel value) noexcept {
  return name_of(kLogLevels, value);
}
const char* to_text(LogFormat value) noexcept {
  return name_of(kLogFormats, value);
}

std::string resolve_path(const std::filesystem::path& base_dir, const std::string& path) {
  // operator/ keeps an absolute right side as it is.
  return (base_dir / path).lexically_normal().string();
}

}  // namespace tidemark::config
