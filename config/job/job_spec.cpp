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

// What `find` finds of the inputs and, through transforms, behind them.
template <typename Find>
auto behind(const JobSpec& job, const std::vector<Spanned<std::string>>& inputs, const Find& find) {
  std::vector<decltype(find(std::string()))> out;
  std::vector<std::string> seen;  // transforms too: a circle ends
  const auto follow = [&](const auto& self, const std::vector<Spanned<std::string>>& ids) -> void {
    for (const Spanned<std::string>& id : ids) {
      if (std::find(seen.begin(), seen.end(), id.value) != seen.end()) continue;
      seen.push_back(id.value);
      if (const auto* found = find(id.value)) {
        out.push_back(found);
      } else if (const TransformSpec* transform = job.find_transform(id.value)) {
        self(self, transform->inputs);
      }
    }
  };
  follow(follow, inputs);
  return out;
}

}  // namespace

const SourceSpec* JobSpec::find_source(const std::string& id) const {
  return find_by_id(sources, id);
}
const TransformSpec* JobSpec::find_transform(const std::string& id) const {
  return find_by_id(transforms, id);
}
const AggregateSpec* JobSpec::find_aggregate(const std::string& id) const {
  return find_by_id(aggregates, id);
}

std::vector<const SourceSpec*> JobSpec::sources_behind(const std::vector<Spanned<std::string>>& inputs) const {
  return behind(*this, inputs, [this](const std::string& id) { return find_source(id); });
}

std::vector<const AggregateSpec*> JobSpec::aggregates_behind(const std::vector<Spanned<std::string>>& inputs) const {
  return behind(*this, inputs, [this](const std::string& id) { return find_aggregate(id); });
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
const char* to_text(NoBase value) noexcept {
  return name_of(kNoBase, value);
}
const char* to_text(OnTruncate value) noexcept {
  return name_of(kOnTruncate, value);
}
const char* to_text(OnPartialImage value) noexcept {
  return name_of(kOnPartialImage, value);
}
const char* to_text(WindowType value) noexcept {
  return name_of(kWindowTypes, value);
}
const char* to_text(WindowTime value) noexcept {
  return name_of(kWindowTimes, value);
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
const char* to_text(OnReject value) noexcept {
  return name_of(kOnReject, value);
}
const char* to_text(OnDamage value) noexcept {
  return name_of(kOnDamage, value);
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
