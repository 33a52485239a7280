// SPDX-License-Identifier: Apache-2.0
//
// The words that a key can have as its value. One table per kind serves reading, suggestions and printing.
// `supported = false`: known, answered with "not supported yet". Constant data.
#pragma once

#include <array>

#include "config/job/job_spec.hpp"

namespace tidemark::config {

template <typename E>
struct Choice {
  const char* name;
  E value;
  bool supported = true;
};

inline constexpr std::array<Choice<InputMode>, 2> kInputModes = {
    {{"append", InputMode::append}, {"changelog", InputMode::changelog}}};

inline constexpr std::array<Choice<OnBadEvent>, 3> kOnBadEvent = {
    {{"fail", OnBadEvent::fail}, {"set_aside", OnBadEvent::set_aside}, {"drop", OnBadEvent::fail, false}}};

/// Besides "plugin:<name>".
inline constexpr std::array<Choice<WatermarkStrategy>, 5> kStrategies = {
    {{"bounded_out_of_orderness", WatermarkStrategy::bounded_out_of_orderness},
     {"ascending", WatermarkStrategy::ascending},
     {"none", WatermarkStrategy::none},
     {"source", WatermarkStrategy::source},
     {"punctuated", WatermarkStrategy::punctuated}}};

inline constexpr std::array<Choice<AllIdle>, 3> kAllIdle = {
    {{"hold", AllIdle::hold}, {"flush", AllIdle::flush}, {"end_of_time", AllIdle::end_of_time}}};

inline constexpr std::array<Choice<OnResume>, 2> kOnResume = {
    {{"hold", OnResume::hold}, {"catch_up", OnResume::catch_up}}};

inline constexpr std::array<Choice<OnFuture>, 3> kOnFuture = {
    {{"clamp", OnFuture::clamp}, {"set_aside", OnFuture::set_aside}, {"fail", OnFuture::fail}}};

inline constexpr std::array<Choice<OnTruncate>, 2> kOnTruncate = {
    {{"ignore", OnTruncate::ignore}, {"apply", OnTruncate::apply}}};

inline constexpr std::array<Choice<OnPartialImage>, 2> kOnPartialImage = {
    {{"reject", OnPartialImage::reject}, {"complete", OnPartialImage::complete}}};

inline constexpr std::array<Choice<NoBase>, 3> kNoBase = {
    {{"set_aside", NoBase::set_aside}, {"delta", NoBase::delta}, {"fail", NoBase::fail}}};

/// "hopping" is another word for sliding.
inline constexpr std::array<Choice<WindowType>, 6> kWindowTypes = {{{"tumbling", WindowType::tumbling},
                                                                    {"sliding", WindowType::sliding},
                                                                    {"hopping", WindowType::sliding},
                                                                    {"cumulative", WindowType::cumulative},
                                                                    {"session", WindowType::session},
                                                                    {"global", WindowType::global}}};

inline constexpr std::array<Choice<WindowTime>, 2> kWindowTimes = {
    {{"event", WindowTime::event}, {"processing", WindowTime::processing}}};

inline constexpr std::array<Choice<LatePolicy>, 3> kLatePolicies = {
    {{"store", LatePolicy::store}, {"drop", LatePolicy::drop}, {"fail", LatePolicy::fail}}};

inline constexpr std::array<Choice<SinkType>, 3> kSinkTypes = {
    {{"stdout", SinkType::stdout_text}, {"file", SinkType::file}, {"mysql", SinkType::mysql}}};

inline constexpr std::array<Choice<FileFormat>, 2> kFileFormats = {
    {{"ndjson", FileFormat::ndjson}, {"csv", FileFormat::csv}}};

inline constexpr std::array<Choice<OnReject>, 2> kOnReject = {
    {{"fail", OnReject::fail}, {"set_aside", OnReject::set_aside}}};

inline constexpr std::array<Choice<OnDamage>, 2> kOnDamage = {
    {{"fail", OnDamage::fail}, {"restore", OnDamage::restore}}};

inline constexpr std::array<Choice<LogLevel>, 4> kLogLevels = {
    {{"debug", LogLevel::debug}, {"info", LogLevel::info}, {"warning", LogLevel::warning}, {"error", LogLevel::error}}};

inline constexpr std::array<Choice<LogFormat>, 3> kLogFormats = {
    {{"text", LogFormat::text}, {"json", LogFormat::json}, {"logfmt", LogFormat::logfmt}}};

}  // namespace tidemark::config
