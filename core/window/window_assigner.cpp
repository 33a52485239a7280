// SPDX-License-Identifier: Apache-2.0
//
// Tumbling windows are sliding ones whose slide is their size. In UTC all is arithmetic; in a zone slices come from
// the calendar, and windows are counted in slices, since neither has a fixed length.
#include "core/window/window_assigner.hpp"

#include <algorithm>
#include <numeric>

namespace tidemark::core {
namespace {

constexpr Micros kMaxLength = 3'652'425LL * 24 * 3600 * kMicrosPerSecond;  // 10,000 years: sums of a few fit

Status refuse(const std::string& what) {
  return Status(Code::config, what);
}

Status check_length(const char* name, Micros length) {
  if (length > 0 && length <= kMaxLength) return Status::ok();
  return refuse(std::string(name) + " is " + format_duration(length) +
                "; it must be above zero and at most 10000 years (3652425d), for example \"1m\"");
}

Status check_offset(const WindowSpec& spec, const char* name, Micros length) {
  if (spec.offset_us > -length && spec.offset_us < length) return Status::ok();
  return refuse("offset is " + format_duration(spec.offset_us) + "; it must be shorter than " + name + " (" +
                format_duration(length) + "), in either direction");
}

Status check_count(const char* larger, Micros size, const char* smaller, Micros step) {
  if ((size - 1) / step < kMaxWindowsPerRow) return Status::ok();
  return refuse(std::string(larger) + " " + format_duration(size) + " is more than " +
                std::to_string(kMaxWindowsPerRow) + " times " + smaller + " " + format_duration(step) +
                ", and each row would count in as many windows; make " + smaller + " longer");
}

Status check_multiple(const char* larger, Micros size, const char* smaller, Micros step, const std::string& why) {
  if (size % step == 0) return Status::ok();
  return refuse(std::string(larger) + " " + format_duration(size) + " is no multiple of " + smaller + " " +
                format_duration(step) + ", as it must be" + why + "; change one of them");
}

Status check_sliding(const WindowSpec& spec) {
  Status status = check_length("size", spec.size_us);
  if (status) status = check_length("slide", spec.slide_us);
  if (status) status = check_offset(spec, "slide", spec.slide_us);
  if (status) status = check_count("size", spec.size_us, "slide", spec.slide_us);
  if (status && spec.zone != "UTC") {
    status = check_multiple("size", spec.size_us, "slide", spec.slide_us, " in the time zone " + spec.zone);
  }
  return status;
}

Status check_cumulative(const WindowSpec& spec) {
  Status status = check_length("max_size", spec.size_us);
  if (status) status = check_length("step", spec.slide_us);
  if (status) status = check_multiple("max_size", spec.size_us, "step", spec.slide_us, "");
  if (status) status = check_offset(spec, "max_size", spec.size_us);
  if (status) status = check_count("max_size", spec.size_us, "step", spec.slide_us);
  return status;
}

Status check_session(const WindowSpec& spec) {
  if (Status status = check_length("gap", spec.gap_us); !status) return status;
  if (spec.max_size_us == 0) return Status::ok();
  return check_length("max_size", spec.max_size_us);
}

Status check_kind(const WindowSpec& spec) {
  switch (spec.kind) {
    case WindowKind::tumbling: {
      Status status = check_length("size", spec.size_us);
      return status ? check_offset(spec, "size", spec.size_us) : status;
    }
    case WindowKind::sliding:
      return check_sliding(spec);
    case WindowKind::cumulative:
      return check_cumulative(spec);
    case WindowKind::session:
      return check_session(spec);
    case WindowKind::global:
      break;
  }
  return Status::ok();
}

}  // namespace

Status check_window(const WindowSpec& spec) {
  if (Status status = check_kind(spec); !status) return status;
  if ((spec.kind == WindowKind::session || spec.kind == WindowKind::global) && spec.offset_us != 0) {
    return refuse("offset does not apply to session and global windows, whose starts are not aligned; leave it out");
  }
  return ZoneCalendar::load(spec.zone).status();
}

WindowAssigner::WindowAssigner(const WindowSpec& spec, std::optional<ZoneCalendar> zone)
    : kind_(spec.kind),
      size_(spec.size_us),
      slide_(spec.kind == WindowKind::tumbling ? spec.size_us : spec.slide_us),
      slice_(slide_),
      offset_(spec.offset_us),
      zone_(std::move(zone)) {
  if (kind_ == WindowKind::sliding) slice_ = size_ < slide_ ? size_ : std::gcd(size_, slide_);
}

Result<WindowAssigner> WindowAssigner::create(const WindowSpec& spec) {
  if (Status status = check_window(spec); !status) return status;
  if (spec.kind == WindowKind::session) return Status(Code::unsupported, "sessions have no fixed windows");
  if (spec.zone == "UTC" || spec.kind == WindowKind::global) return WindowAssigner(spec, std::nullopt);
  Result<ZoneCalendar> zone = ZoneCalendar::load(spec.zone);
  if (!zone) return zone.status();
  if (zone->is_utc()) return WindowAssigner(spec, std::nullopt);
  return WindowAssigner(spec, std::move(*zone));
}

/// The piece of `length` that holds `time`.
TimeRange WindowAssigner::cut(Micros time, Micros length) const {
  if (has_zone()) return zone_->range_around(time, length, offset_);
  time = std::min(time, kEndOfTime - 1);  // the last piece also takes the end itself
  const Micros position = position_in(time, length, offset_);
  return {saturating_sub(time, position), saturating_add(time, length - position)};
}

std::optional<TimeRange> WindowAssigner::slice_of(Micros time) const {
  if (kind_ == WindowKind::global) return TimeRange{kNoTime, kEndOfTime};
  if (has_zone()) {
    if (time < last_.start || time >= last_.end) last_ = cut(time, slice_);
    return last_;
  }
  if (size_ >= slide_) return cut(time, slice_);
  time = std::min(time, kEndOfTime - 1);
  const Micros position = position_in(time, slide_, offset_);
  if (position >= size_) return std::nullopt;
  return TimeRange{saturating_sub(time, position), saturating_add(time, size_ - position)};
}

TimeRange WindowAssigner::slice_ending_at(Micros end) const {
  const std::optional<TimeRange> slice = slice_of(saturating_sub(end, 1));
  TIDEMARK_CHECK(slice && slice->end == end);
  return *slice;
}

std::optional<TimeRange> WindowAssigner::window_ending_at(Micros end) const {
  const std::optional<TimeRange> slice = slice_of(saturating_sub(end, 1));
  if (!slice || slice->end != end) return std::nullopt;
  if (kind_ == WindowKind::global || size_ <= slide_) return slice;
  if (kind_ == WindowKind::cumulative) return TimeRange{cut(slice->start, size_).start, end};
  if (has_zone()) {
    TimeRange window = *slice;
    for (Micros count = size_ / slide_; count > 1 && window.start > kNoTime; --count) {
      window.start = cut(window.start - 1, slice_).start;
    }
    return window;
  }
  // The next window end, counted from the last instant inside, since the end of all windows is where it was cut off.
  const Micros ahead = slide_ - position_in(end - 1, slide_, offset_ + size_);
  if (ahead > 1 && end < kEndOfTime) return std::nullopt;
  return TimeRange{saturating_sub(end - 1, size_ - ahead), end};
}

void WindowAssigner::window_ends(const TimeRange& slice, std::vector<Micros>& out) const {
  if (kind_ == WindowKind::global || size_ <= slide_) {
    out.push_back(slice.end);
    return;
  }
  if (kind_ == WindowKind::cumulative) {
    const Micros last = cut(slice.start, size_).end;
    out.push_back(slice.end);
    while (out.back() < last) out.push_back(cut(out.back(), slice_).end);
    return;
  }
  if (has_zone()) {
    out.push_back(slice.end);
    for (Micros count = size_ / slide_; count > 1 && out.back() < kEndOfTime; --count) {
      out.push_back(cut(out.back(), slice_).end);
    }
    return;
  }
  const Micros inside = slice.end - 1;
  const Micros begin = -position_in(inside, slice_, offset_);  // of the slice, from `inside`
  for (Micros ahead = slide_ - position_in(inside, slide_, offset_ + size_); ahead - size_ <= begin; ahead += slide_) {
    out.push_back(saturating_add(inside, ahead));
    if (out.back() == kEndOfTime) break;
  }
}

}  // namespace tidemark::core
