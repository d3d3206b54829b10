#pragma once

#include <cstdint>

#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// Delays that a median can be taken of.
inline constexpr std::uint32_t kSwiftMaxSamples = 31;

/// Swift: a window that holds the delay of ACKs to a target (Kumar et al., "Swift: Delay is Simple
/// and Effective for Congestion Control in the Datacenter", SIGCOMM 2020, section 3). The constants
/// are those of csg-htsim's `swift.cpp`, which calls them guesses; the paper gives no full set.
struct SwiftConfig {
  Picoseconds base_target = 20_us;        ///< delay that an idle network of no hops is allowed
  Picoseconds hop_target = 3'053'435_ps;  ///< more of it for every switch: base_target / 6.55
  Picoseconds scaling_range = 100_us;     ///< more of it at most for small windows: 5 base_target
  double scaling_min_window = 0.1;        ///< packets; from here down all of the range
  double scaling_max_window = 100;        ///< packets; from here up none of it
  double additive_increase = 1;           ///< packets per round trip
  double beta = 0.8;                      ///< of the excess over the target that a decrease takes
  double max_decrease = 0.5;              ///< of the window at once
  double minimum_window = 0.001;          ///< packets
  std::uint32_t retransmit_reset = 5;     ///< time-outs in a row that make the window the least
  /// Delays of which the median counts, 1: the last one alone. Under spraying the last one tells of
  /// one path, and a few congested paths hold back what goes by all (Gerstein et al., "Congestion
  /// Control for Spraying with Congested Paths", arXiv 2509.07907, which calls it MSwift).
  std::uint32_t median_of = 1;

  friend bool operator==(const SwiftConfig&, const SwiftConfig&) = default;
};

}  // namespace weft::protocols::congestion
