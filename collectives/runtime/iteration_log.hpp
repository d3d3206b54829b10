#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/runtime/retiring_log.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// When an iteration of a collective ran on a rank.
struct Iteration {
  Picoseconds begin;
  OptionalTime end;             ///< missing: it runs
  std::uint16_t last_lane = 0;  ///< that ended last, and so ended it
};

/// What a rank spent on a stream in an iteration.
struct StreamTimes {
  Picoseconds busy;  ///< from the start to the finish of its tasks
  /// That the rank's first stream waited for tasks of this one, or for others that these held back.
  Picoseconds waited;
  Picoseconds late;  ///< of these, before the message was posted; where lanes note posts
};

/// The iterations of a collective on one rank, but for those that are forgotten.
class IterationLog {
 public:
  [[nodiscard]] std::uint32_t begun() const { return static_cast<std::uint32_t>(log_.size()); }
  [[nodiscard]] std::uint32_t ended() const {
    return begun() - (!log_.empty() && !log_.back().end ? 1 : 0);
  }
  [[nodiscard]] bool knows(std::uint32_t number) const {
    return number >= log_.first() && number < log_.size();
  }
  [[nodiscard]] const Iteration& operator[](std::uint32_t number) const { return log_[number]; }
  /// The last one that had begun at this time; the first one that is known, if none had.
  [[nodiscard]] std::uint32_t at(Picoseconds time) const {
    const std::size_t after =
        log_.partition_point([time](const Iteration& i) { return i.begin <= time; });
    return static_cast<std::uint32_t>(std::max(after, log_.first() + 1) - 1);
  }

  void begin(Picoseconds now) { log_.push_back({.begin = now, .end = {}}); }
  void end(Picoseconds now, std::uint16_t lane) {
    log_.back().end = now;
    log_.back().last_lane = lane;
  }
  /// Of an iteration that ended, by stream.
  [[nodiscard]] const std::vector<StreamTimes>& streams(std::uint32_t number) const {
    return streams_[number];
  }
  void add_streams(std::vector<StreamTimes> times) { streams_.push_back(std::move(times)); }
  void forget_before(std::uint32_t number) {
    log_.forget_before(number);
    streams_.forget_before(number);
  }

 private:
  RetiringLog<Iteration> log_;
  RetiringLog<std::vector<StreamTimes>> streams_;  ///< empty, if the program has no streams
};

}  // namespace weft::collectives
