#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/base/units.hpp"

namespace weft::protocols::path_selection {

/// What became of a value of entropy, where a choice keeps states of them (`ProbesPaths`).
enum class PathChange : std::uint8_t {
  kPassedOver,  ///< it is passed over once (MRC's SKIP)
  kFailed,      ///< it lost a packet and left (ASSUMED_BAD)
  kRecovered,   ///< its probes came back
};

/// Of a value of this plane.
struct ChangedPath {
  PathChange change = PathChange::kPassedOver;
  std::uint32_t plane = 0;
};

/// How many changed.
struct PathChangeCounts {
  std::uint64_t passes = 0;
  std::uint64_t failures = 0;
  std::uint64_t recoveries = 0;

  [[nodiscard]] std::uint64_t& of(PathChange change) {
    if (change == PathChange::kPassedOver) return passes;
    return change == PathChange::kFailed ? failures : recoveries;
  }
  PathChangeCounts& operator+=(const PathChangeCounts& other) {
    passes += other.passes;
    failures += other.failures;
    recoveries += other.recoveries;
    return *this;
  }
  friend bool operator==(const PathChangeCounts&, const PathChangeCounts&) = default;
};

/// How many values are in which state.
struct PathStateCounts {
  std::uint64_t good = 0;
  std::uint64_t passed_over = 0;  ///< active, and passed over when their turn comes
  std::uint64_t assumed_bad = 0;
  std::uint64_t reserve = 0;
  std::uint64_t denied = 0;

  PathStateCounts& operator+=(const PathStateCounts& other) {
    good += other.good;
    passed_over += other.passed_over;
    assumed_bad += other.assumed_bad;
    reserve += other.reserve;
    denied += other.denied;
    return *this;
  }
};

/// Changes over time in at most `kIntervals` intervals of equal width from the start of the run: a
/// microsecond, doubled whenever a change lies beyond. Equal changes give equal histories, however
/// they are divided among several that are added.
class PathHistory {
 public:
  static constexpr std::size_t kIntervals = 64;

  void note(PathChange change, Picoseconds now) {
    while (now.count() / width_.count() >= static_cast<std::int64_t>(kIntervals)) widen();
    const auto at = static_cast<std::size_t>(now.count() / width_.count());
    if (intervals_.size() <= at) intervals_.resize(at + 1);
    ++intervals_[at].of(change);
    if (change != PathChange::kFailed) return;
    if (!first_failure_) first_failure_ = now;
    last_failure_ = now;
  }
  PathHistory& operator+=(PathHistory other) {
    widen_to(other.width_);
    other.widen_to(width_);
    intervals_.resize(std::max(intervals_.size(), other.intervals_.size()));
    for (std::size_t i = 0; i < other.intervals_.size(); ++i) intervals_[i] += other.intervals_[i];
    if (other.first_failure_) {
      first_failure_ =
          std::min(first_failure_.value_or(*other.first_failure_), *other.first_failure_);
      last_failure_ = std::max(last_failure_.value_or(*other.last_failure_), *other.last_failure_);
    }
    return *this;
  }
  /// So that an interval is at least so long.
  void widen_to(Picoseconds width) {
    while (width_ < width) widen();
  }
  /// Forgets what was counted.
  void clear() { *this = PathHistory(); }

  [[nodiscard]] Picoseconds width() const { return width_; }
  [[nodiscard]] const std::vector<PathChangeCounts>& intervals() const { return intervals_; }
  [[nodiscard]] std::optional<Picoseconds> first_failure() const { return first_failure_; }
  [[nodiscard]] std::optional<Picoseconds> last_failure() const { return last_failure_; }
  [[nodiscard]] PathChangeCounts sum() const {
    PathChangeCounts sum;
    for (const PathChangeCounts& interval : intervals_) sum += interval;
    return sum;
  }

 private:
  void widen() {
    width_ = 2 * width_;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      if (i % 2 == 0) {
        intervals_[i / 2] = intervals_[i];
      } else {
        intervals_[i / 2] += intervals_[i];
      }
    }
    intervals_.resize((intervals_.size() + 1) / 2);
  }

  Picoseconds width_ = 1_us;
  std::vector<PathChangeCounts> intervals_;  ///< up to the last change
  std::optional<Picoseconds> first_failure_;
  std::optional<Picoseconds> last_failure_;
};

}  // namespace weft::protocols::path_selection
