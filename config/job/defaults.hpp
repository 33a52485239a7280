// SPDX-License-Identifier: Apache-2.0
//
// Every default and every allowed range of the job file, in one place. What a job really runs with is printed at
// its start (describe_effective), so no default is hidden. Lengths in microseconds, sizes in bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/job/job_spec.hpp"
#include "core/base/time.hpp"

namespace tidemark::config {

template <typename T>
struct Range {
  T min;
  T max;
};

namespace defaults {

inline constexpr core::Micros kMilli = 1'000;
inline constexpr core::Micros kSecond = 1'000'000;
inline constexpr core::Micros kMinute = 60 * kSecond;
inline constexpr core::Micros kHour = 60 * kMinute;
inline constexpr core::Micros kDay = 24 * kHour;

/// Longest duration that any key takes: 100 years, far from where additions to a time would saturate.
inline constexpr core::Micros kDurationMax = 36'500 * kDay;

inline constexpr int64_t kVersion = 1;
inline constexpr const char* kTimeZone = "UTC";
// parallelism: one worker per CPU that the process may use.
inline constexpr Range<int64_t> kParallelismRange = {1, 256};

/// Of one step of [[tests]], which goes through it second by second.
inline constexpr Range<core::Micros> kSilenceRange = {1, 31 * kDay};
/// Of one list of expected results: pairing them with those that came takes time that grows with its square.
inline constexpr size_t kExpectedRowsMax = 5000;

inline constexpr InputMode kMode = InputMode::append;
inline constexpr NoBase kNoBase = NoBase::set_aside;
inline constexpr OnTruncate kOnTruncate = OnTruncate::ignore;
inline constexpr OnPartialImage kOnPartialImage = OnPartialImage::reject;
inline constexpr OnBadEvent kOnBadEvent = OnBadEvent::fail;

inline constexpr const char* kField = "$commit_time";
inline constexpr WatermarkStrategy kStrategy = WatermarkStrategy::bounded_out_of_orderness;
inline constexpr core::Micros kMaxOutOfOrderness = 10 * kSecond;
inline constexpr Range<core::Micros> kMaxOutOfOrdernessRange = {0, kDurationMax};
// Flink has none (a silent shard holds everything for ever), Arroyo 5 minutes.
inline constexpr core::Micros kIdleTimeout = kMinute;
inline constexpr Range<core::Micros> kIdleTimeoutRange = {kMilli, kDurationMax};
inline constexpr core::Micros kEmitInterval = 200 * kMilli;
inline constexpr Range<core::Micros> kEmitIntervalRange = {kMilli, kHour};
inline constexpr AllIdle kAllIdle = AllIdle::hold;
inline constexpr Range<core::Micros> kAdvanceAfterRange = {kMilli, kDurationMax};
inline constexpr core::Micros kLag = 0;
inline constexpr Range<core::Micros> kLagRange = {0, kDurationMax};
inline constexpr OnResume kOnResume = OnResume::hold;
// max_future: none by default, since the clock says nothing about rows of the past that are read again.
inline constexpr Range<core::Micros> kMaxFutureRange = {0, kDurationMax};
inline constexpr OnFuture kOnFuture = OnFuture::clamp;
inline constexpr Range<core::Micros> kMaxDriftRange = {0, kDurationMax};
inline constexpr core::Micros kUpdateInterval = kSecond;
inline constexpr Range<core::Micros> kUpdateIntervalRange = {kMilli, kHour};
inline constexpr core::Micros kAlignmentTimeout = 10 * kSecond;
inline constexpr Range<core::Micros> kAlignmentTimeoutRange = {kMilli, kDay};
inline constexpr core::Micros kDiscoverInterval = 10 * kSecond;
inline constexpr Range<core::Micros> kDiscoverIntervalRange = {10 * kMilli, kDay};

inline constexpr Range<core::Micros> kWindowSizeRange = {kMilli, kDurationMax};
/// Beyond, a row would be in more windows than is of use.
inline constexpr core::Micros kWindowsPerRowMax = 100'000;
/// The same where each row may give new results of all its windows.
inline constexpr core::Micros kCorrectedWindowsPerRowMax = 1'000;
inline constexpr Range<core::Micros> kSlideRange = {kMilli, kDurationMax};
inline constexpr Range<core::Micros> kOffsetRange = {-kDurationMax, kDurationMax};
inline constexpr Range<core::Micros> kGapRange = {1, kDurationMax};
inline constexpr Range<core::Micros> kEveryRange = {kMilli, kDurationMax};
inline constexpr Range<int64_t> kCountRange = {1, 1'000'000'000};
inline constexpr core::Micros kAllowedLateness = 0;
inline constexpr Range<core::Micros> kAllowedLatenessRange = {0, kDurationMax};
// Losing data must be typed in.
inline constexpr LatePolicy kLate = LatePolicy::store;

inline constexpr FileFormat kFormat = FileFormat::ndjson;

inline constexpr OnReject kOnReject = OnReject::fail;
inline constexpr int64_t kMysqlPort = 3306;
inline constexpr int64_t kBatchRows = 1000;
inline constexpr Range<int64_t> kBatchRowsRange = {1, 100'000};
inline constexpr uint64_t kBatchBytes = uint64_t{4} << 20;
inline constexpr Range<uint64_t> kBatchBytesRange = {1024, uint64_t{1} << 30};
// Some minutes with the waits below: as long as the restart of a server takes.
inline constexpr int64_t kRetryAttempts = 20;
inline constexpr Range<int64_t> kRetryAttemptsRange = {0, 1'000'000};
inline constexpr core::Micros kRetryInitial = 200 * kMilli;
inline constexpr core::Micros kRetryMax = 30 * kSecond;
inline constexpr Range<uint64_t> kRollSizeRange = {1, uint64_t{1} << 50};
inline constexpr Range<core::Micros> kRollEveryRange = {kSecond, 366 * kDay};
inline constexpr Range<core::Micros> kRetryRange = {kMilli, kDay};

// state.path: "<job name>.state" in the folder of the job file.
inline constexpr uint64_t kStateMemory = uint64_t{512} << 20;
inline constexpr Range<uint64_t> kStateMemoryRange = {uint64_t{16} << 20, uint64_t{1} << 44};

inline constexpr core::Micros kCheckpointInterval = 10 * kSecond;
inline constexpr Range<core::Micros> kCheckpointIntervalRange = {kMilli, kDay};
inline constexpr core::Micros kCheckpointTimeout = 2 * kMinute;
inline constexpr Range<core::Micros> kCheckpointTimeoutRange = {kMilli, kDay};
inline constexpr int64_t kRetain = 2;
inline constexpr Range<int64_t> kRetainRange = {0, 10'000};
inline constexpr core::Micros kRetainInterval = 10 * kMinute;
inline constexpr Range<core::Micros> kRetainIntervalRange = {kMilli, 365 * kDay};
inline constexpr OnDamage kOnDamage = OnDamage::fail;
// checkpoint.path: "checkpoints" in the state's folder.

inline constexpr const char* kListen = "127.0.0.1:8686";

inline constexpr LogLevel kLogLevel = LogLevel::info;
inline constexpr LogFormat kLogFormat = LogFormat::text;

}  // namespace defaults
}  // namespace tidemark::config
