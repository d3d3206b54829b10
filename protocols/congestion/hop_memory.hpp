#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/packet/telemetry.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// What the hops of a queue pair said last: controls that live on telemetry look at what has
/// changed.
class HopMemory {
 public:
  /// Calls visit(report, before, elapsed) for every hop that has said something before, and
  /// remembers what they say now. A hop that was another port then (packets took another path) has
  /// said nothing, nor has one whose packets have overtaken each other.
  template <class Visit>
  void compare(std::span<const HopReport> reports, Visit visit) {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const HopReport& report = reports[i];
      HopReport& before = last_[i];
      const Picoseconds elapsed = report.time - before.time;
      if (before.rate != BitsPerSecond() && before.port == report.port) {
        if (elapsed <= Picoseconds(0)) continue;
        visit(report, before, elapsed);
      }
      before = report;
    }
  }

 private:
  std::array<HopReport, kTelemetryHops> last_{};
};

}  // namespace weft::protocols::congestion
