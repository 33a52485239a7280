// SPDX-License-Identifier: Apache-2.0
// A watermark generator that learns its bound: it stays behind the newest row by the delay that a share of the last
// rows had. A shard in order gets no bound, one that is 30 s out of order gets 30 s, without a figure in the job.
#include <algorithm>
#include <sstream>
#include <tidemark/watermark.hpp>
#include <vector>

class PercentileWatermark final : public tidemark::WatermarkGenerator {
 public:
  explicit PercentileWatermark(const tidemark::Options& options)
      : percentile_(options.real("percentile")), rows_(static_cast<size_t>(options.integer("rows"))) {
    if (!(percentile_ > 0 && percentile_ <= 100)) {
      throw tidemark::SourceError("option 'percentile' is not above 0 and at most 100", options.text("percentile"));
    }
    if (rows_ < 1 || rows_ > 100'000) {
      throw tidemark::SourceError("option 'rows' is not from 1 to 100000", options.text("rows"));
    }
  }

  std::optional<int64_t> on_batch(const tidemark::RowTimes& rows) override {
    for (const int64_t time : rows.event_times()) {
      if (time == TIDEMARK_NO_TIME) continue;
      newest_ = std::max(newest_, time);
      if (delays_.size() < rows_) delays_.emplace_back();
      delays_[next_] = newest_ - time;
      next_ = (next_ + 1) % rows_;
    }
    if (delays_.empty()) return std::nullopt;
    std::vector<int64_t> sorted = delays_;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(percentile_ / 100 * double(sorted.size() - 1));
    std::nth_element(sorted.begin(), at, sorted.end());
    return newest_ - *at - 1;
  }

  std::string snapshot() const override {
    std::ostringstream out;
    out << newest_;
    for (size_t i = 0; i < delays_.size(); ++i) out << ' ' << delays_[(next_ + i) % delays_.size()];  // oldest first
    return out.str();
  }

  void restore(std::string_view state) override {
    std::istringstream in{std::string(state)};
    if (!(in >> newest_)) throw tidemark::SourceError("the stored state is not one of this generator", state);
    for (int64_t delay = 0; in >> delay;) delays_.push_back(delay);
    if (delays_.size() > rows_) delays_.erase(delays_.begin(), delays_.end() - static_cast<std::ptrdiff_t>(rows_));
    next_ = delays_.size() % rows_;
  }

 private:
  double percentile_;
  size_t rows_;
  int64_t newest_ = TIDEMARK_NO_TIME;
  std::vector<int64_t> delays_;  // of the last rows; a ring once it is full
  size_t next_ = 0;
};

TIDEMARK_WATERMARK_GENERATOR(PercentileWatermark, "percentile_watermark", "0.1.0",
                             {"percentile", "float", "99", "Share of rows that are to be on time, in per cent"},
                             {"rows", "int", "1000", "How many of the last rows are looked at, per split"})
