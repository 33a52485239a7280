// SPDX-License-Identifier: Apache-2.0
//
// Why the watermark of a job stands where it stands, in words: per aggregate which split holds it back (or that none
// does, and why), since when, why, what it costs, and which setting would change it, with the figure from measured
// gaps; besides, splits that flap or whose clock is wrong. All of it follows from a JobStatus. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/runtime/job_status.hpp"

namespace tidemark::core {

enum class Verdict : uint8_t {
  held,       ///< one split sets the watermark
  not_begun,  ///< a split has not given a watermark yet, so there is none
  all_idle,   ///< no split takes part
  closed,     ///< the watermark is at the end of time, though the input goes on
  ended,      ///< the input has ended
  no_splits,
};
/// "held", "not_begun", "all_idle", "closed", "ended", "no_splits".
const char* verdict_word(Verdict verdict) noexcept;

/// A setting that would change it.
struct Remedy {
  std::string setting;  ///< "sources.orders.watermark.idle_timeout"
  std::string value;    ///< as the job file spells it; empty where there is no figure
  std::string text;
};

struct AggregateExplanation {
  std::string aggregate;
  Verdict verdict = Verdict::held;
  std::string headline;
  std::vector<std::string> why;  ///< sentences
  std::string cost;
  std::optional<uint32_t> holder;  ///< number of the split
  Micros ahead_us = 0;             ///< how far the furthest of the others is ahead of the holder
  std::vector<Remedy> remedies;
};

/// Something worth knowing of one split, whoever holds the job.
struct SplitNote {
  uint32_t split = 0;
  std::string kind;  ///< "flapping", "clock_ahead"
  std::string text;
  std::optional<Remedy> remedy;
};

struct Explanation {
  std::vector<AggregateExplanation> aggregates;
  std::vector<SplitNote> notes;
};

Explanation explain(const JobStatus& status);

std::string explanation_text(const JobStatus& status, const Explanation& explanation);
std::string explanation_json(const JobStatus& status, const Explanation& explanation);

/// "1.2 MiB", for people.
std::string bytes_text(uint64_t bytes);
/// "3m12s": a length without what is too fine to matter.
std::string about(Micros length);

}  // namespace tidemark::core
