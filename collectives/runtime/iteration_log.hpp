#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simcore/base/retiring_log.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// When an iteration of a collective ran on a rank.
struct Iteration {
  Picoseconds begin;
  Picoseconds end{-1};         ///< -1: it runs
  std::uint8_t last_lane = 0;  ///< that ended last, and so ended it
};

/// The iterations of a collective on one rank, but for those that are forgotten.
class IterationLog {
 public:
  [[nodiscard]] std::uint32_t begun() const { return static_cast<std::uint32_t>(log_.size()); }
  [[nodiscard]] std::uint32_t ended() const {
    return begun() - (!log_.empty() && log_.back().end < Picoseconds(0) ? 1 : 0);
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

  void begin(Picoseconds now) { log_.push_back({.begin = now}); }
  void end(Picoseconds now, std::uint8_t lane) {
    log_.back().end = now;
    log_.back().last_lane = lane;
  }
  void forget_before(std::uint32_t number) { log_.forget_before(number); }

 private:
  RetiringLog<Iteration> log_;
};

}  // namespace weft::collectives
