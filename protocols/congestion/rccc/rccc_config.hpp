#pragma once

#include <optional>

#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// RCCC, the receiver-credit congestion control of Ultra Ethernet (Ultra Ethernet Specification
/// 1.0.1, congestion management sublayer; the constants are those of ultraethernet/uet-htsim,
/// htsim/sim/uec.cpp). A sender may send so much unasked when it begins; beyond that it sends what
/// its receiver has granted. Its data say how much more it wants, and the receiving port grants to
/// those who want in turn, a little more slowly than its link brings data. All credit is of bytes
/// on the wire.
///
/// So queue pairs of RoCE have it. Left out there: idle ("slow") credit, since a sender that was
/// idle begins with the speculative bytes again; that the first grant takes back what is left of
/// them; senders that ask for less while they send to several receivers (`request` bounds what
/// piles up). Contexts of Ultra Ethernet have all of that: `rccc_context.hpp`.
struct RcccConfig {
  /// Without load. Absent: that of the path.
  std::optional<Picoseconds> base_rtt{};
  /// What may be sent unasked, times what the line carries in an idle round trip.
  double speculative = 1.5;
  /// What a sender may have or have asked for at most, in the same measure.
  double request = 1.5;
  Bytes quantum = 16'384_B;  ///< of one grant: 4 MTU, which are 64 units of 256 B
  double pace = 0.99;        ///< of the port's rate that grants are paced for
  /// Whether a port grants less as switches mark what comes to it: for fabrics whose core is slower
  /// than their edge, where receivers alone cannot know (uet-htsim, oversubscribed_cc.cpp).
  bool adapts_to_marks = false;
  Picoseconds period = 18_us;  ///< between two changes, on average
  double target = 0.3;         ///< share of marked packets from which it grants less
  double increase = 0.01;      ///< of the pace; twice as much each time in a row without any mark
  double decrease = 0.5;       ///< of the pace, times what the share exceeds its target by
  double gain = 0.5;           ///< weight of the last period in the share
  double floor = 0.01;         ///< of the pace, at least

  friend bool operator==(const RcccConfig&, const RcccConfig&) = default;
};

}  // namespace weft::protocols::congestion
