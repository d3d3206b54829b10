#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols {

/// The retransmission time-out of TCP (RFC 6298), by every round trip that was measured: in
/// integers of a picosecond, which is also the clock's granularity G.
class RttEstimator {
 public:
  struct Limits {
    Picoseconds min;
    Picoseconds max;
  };

  /// A round trip (2.2 and 2.3). Whoever repeats packets measures none of them (3, Karn).
  void add(Picoseconds sample, const Limits& limits) {
    if (!has_sample_) {
      has_sample_ = true;
      smoothed_ = sample;
      variation_ = sample / 2;
    } else {
      const Picoseconds error = sample > smoothed_ ? sample - smoothed_ : smoothed_ - sample;
      variation_ += (error - variation_) / 4;
      smoothed_ += (sample - smoothed_) / 8;
    }
    const Picoseconds timeout = smoothed_ + std::max(Picoseconds(1), 4 * variation_);
    timeout_ = std::clamp(timeout, limits.min, limits.max);
  }
  /// The time-out has expired: twice as long, until a round trip is measured again (5.5, 5.6).
  void back_off(const Limits& limits) { timeout_ = std::min(2 * timeout_, limits.max); }

  [[nodiscard]] Picoseconds timeout() const { return timeout_; }
  [[nodiscard]] Picoseconds smoothed() const { return smoothed_; }
  [[nodiscard]] Picoseconds variation() const { return variation_; }

 private:
  Picoseconds smoothed_;
  Picoseconds variation_;
  /// 2.1; connections of a network begin with the round trip of their handshake.
  Picoseconds timeout_{kPicosecondsPerSecond};
  bool has_sample_ = false;
};

}  // namespace weft::protocols
