// SPDX-License-Identifier: Apache-2.0
//
// The words that a key can have as its value. One table per kind serves reading, suggestions and printing.
// `supported = false`: known, answered with "not supported yet". Constant data.
#pragma once

#include <array>
#include <string_view>

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

inline constexpr std::array<Choice<WindowType>, 7> kWindowTypes = {{{"tumbling", WindowType::tumbling},
                                                                    {"sliding", WindowType::tumbling, false},
                                                                    {"hopping", WindowType::tumbling, false},
                                                                    {"session", WindowType::tumbling, false},
                                                                    {"cumulative", WindowType::tumbling, false},
                                                                    {"count", WindowType::tumbling, false},
                                                                    {"global", WindowType::tumbling, false}}};

inline constexpr std::array<Choice<EmitMode>, 2> kEmitModes = {
    {{"on_close", EmitMode::on_close}, {"on_update", EmitMode::on_close, false}}};

inline constexpr std::array<Choice<LatePolicy>, 3> kLatePolicies = {
    {{"store", LatePolicy::store}, {"drop", LatePolicy::store, false}, {"fail", LatePolicy::store, false}}};

inline constexpr std::array<Choice<SinkType>, 3> kSinkTypes = {
    {{"stdout", SinkType::stdout_text}, {"file", SinkType::file}, {"mysql", SinkType::file, false}}};

inline constexpr std::array<Choice<FileFormat>, 2> kFileFormats = {
    {{"ndjson", FileFormat::ndjson}, {"csv", FileFormat::csv}}};

inline constexpr std::array<Choice<LogLevel>, 4> kLogLevels = {
    {{"debug", LogLevel::debug}, {"info", LogLevel::info}, {"warning", LogLevel::warning}, {"error", LogLevel::error}}};

inline constexpr std::array<Choice<LogFormat>, 3> kLogFormats = {
    {{"text", LogFormat::text}, {"json", LogFormat::json}, {"logfmt", LogFormat::logfmt}}};

inline constexpr std::array<Choice<AggregateFunction>, 6> kFunctions = {
    {{"count", AggregateFunction::count},
     {"sum", AggregateFunction::sum},
     {"min", AggregateFunction::min},
     {"max", AggregateFunction::max},
     {"avg", AggregateFunction::avg},
     {"count_distinct", AggregateFunction::count_distinct}}};

/// Functions of other engines and of later versions.
inline constexpr std::array<std::string_view, 14> kPlannedFunctions = {
    "quantile",  "median", "approx_count_distinct", "approx_quantile", "first",     "last",
    "any_value", "stddev", "stddev_samp",           "variance",        "array_agg", "string_agg",
    "top_k",     "bool_or"};

}  // namespace tidemark::config
