#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// How many packets some ports marked since they were asked last, by class. The packet path counts
/// marks anyway, so that samples cost it nothing.
class MarkSampler {
 public:
  /// `ports` outlive this.
  MarkSampler(NetworkState& state, const std::vector<PortId>& ports)
      : s_(state), ports_(ports), counted_(ports.size() * state.constants.classes) {}

  /// Adds a record for each port and class that marked something.
  void sample(Picoseconds now, std::vector<TraceRecord>& trace) {
    for_each([&](const PortState& port, ClassId c, std::int64_t& counted) {
      const std::int64_t marked = s_.queue(port, c).marked;
      if (marked == counted) return;
      trace.push_back({.time = now,
                       .value = marked - counted,
                       .subject = port.index,
                       .kind = TraceRecord::Kind::kMarks,
                       .traffic_class = c});
      counted = marked;
    });
  }

  /// The counters are about to be 0. What they have that no sample has is part of the next one.
  void before_reset() {
    for_each([&](const PortState& port, ClassId c, std::int64_t& counted) {
      counted -= s_.queue(port, c).marked;
    });
  }

 private:
  template <class Act>
  void for_each(Act act) {
    std::size_t slot = 0;
    for (const PortId id : ports_) {
      const PortState& port = s_.ports[id.value()];
      for (const ClassId c : s_.classes_of(port)) act(port, c, counted_[slot++]);
    }
  }

  NetworkState& s_;
  const std::vector<PortId>& ports_;
  std::vector<std::int64_t> counted_;  ///< by port and class
};

}  // namespace weft::protocols
