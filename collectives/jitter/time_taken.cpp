#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "collectives/jitter/rank_jitter.hpp"

namespace weft::collectives {

namespace {

__extension__ using WideTime = __int128;

/// Factors, and the parts of a picosecond of work, are counted in millionths.
constexpr std::int64_t kMillion = 1'000'000;

std::int64_t millionths(double factor) {
  return static_cast<std::int64_t>(std::llround(factor * static_cast<double>(kMillion)));
}

WideTime floor_quotient(WideTime a, WideTime b) { return a / b - (a % b < 0 ? 1 : 0); }
WideTime ceil_quotient(WideTime a, WideTime b) { return -floor_quotient(-a, b); }

/// Time apart from pauses, counted from some origin. A period begins with its pause.
class ActiveTime {
 public:
  explicit ActiveTime(const std::optional<PeriodicPause>& pause) {
    if (!pause || pause->length == Picoseconds(0)) return;
    period_ = pause->period.count();
    length_ = pause->length.count();
    phase_ = pause->phase.count();
  }

  [[nodiscard]] WideTime at(WideTime time) const {
    const WideTime periods = floor_quotient(time - phase_, period_);
    const WideTime into = time - phase_ - periods * period_;
    return periods * (period_ - length_) + std::max<WideTime>(into - length_, 0);
  }

  /// The first time at which so much is over.
  [[nodiscard]] WideTime when(WideTime active) const {
    const WideTime each = period_ - length_;
    const WideTime periods = floor_quotient(active - 1, each);
    return phase_ + periods * period_ + length_ + (active - periods * each);
  }

 private:
  std::int64_t period_ = 1;  // of which nothing is a pause
  std::int64_t length_ = 0;
  std::int64_t phase_ = 0;
};

/// A span in which a rank keeps its pace. What it has done is counted from the span's beginning, in
/// millionths of a picosecond rounded down, so that it is the same whoever asks, and never falls.
struct PaceSpan {
  WideTime begin;
  WideTime end;
  std::int64_t factor;  ///< in millionths

  [[nodiscard]] WideTime done_by(const ActiveTime& active, WideTime time) const {
    return (active.at(time) - active.at(begin)) * kMillion * kMillion / factor;
  }
  [[nodiscard]] WideTime when_done(const ActiveTime& active, WideTime work) const {
    const WideTime needed = ceil_quotient(work * factor, WideTime{kMillion} * kMillion);
    return needed == 0 ? begin : active.when(active.at(begin) + needed);
  }
};

/// Calls `visit` with spans in order of time, throttled and not, until it returns true.
template <class Visit>
void visit_spans(const std::vector<Throttle>& throttles, const Visit& visit) {
  // Far away, but so that differences, times a million twice, can be held.
  constexpr WideTime kFar = WideTime{1} << 66;
  WideTime begin = -(WideTime{1} << 63);
  for (const Throttle& throttle : throttles) {
    const WideTime start = throttle.start.count();
    const WideTime end = start + throttle.length.count();
    if (begin < start && visit(PaceSpan{begin, start, kMillion})) return;
    if (start < end && visit(PaceSpan{start, end, millionths(throttle.factor)})) return;
    begin = end;
  }
  visit(PaceSpan{begin, kFar, kMillion});
}

}  // namespace

Picoseconds time_taken(const RankJitter& noise, Picoseconds start, Picoseconds nominal,
                       Picoseconds delay) {
  const WideTime scaled = WideTime{nominal.count()} * millionths(noise.factor);
  const WideTime whole = ceil_quotient(scaled, kMillion) + delay.count();
  if (!noise.pause && noise.throttles.empty()) {
    return Picoseconds(static_cast<std::int64_t>(whole));
  }
  const ActiveTime active(noise.pause);
  const WideTime from = start.count();
  WideTime work = whole * kMillion;
  WideTime finish = from;
  visit_spans(noise.throttles, [&](const PaceSpan& span) {
    if (span.end <= from) return false;
    if (span.begin <= from) work += span.done_by(active, from);
    const WideTime all = span.done_by(active, span.end);
    if (all < work) {
      work -= all;
      return false;
    }
    finish = std::max(from, span.when_done(active, work));
    return true;
  });
  return Picoseconds(static_cast<std::int64_t>(finish - from));
}

}  // namespace weft::collectives
