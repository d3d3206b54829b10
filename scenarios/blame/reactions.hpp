#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/packet_walk.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// To whose packets congestion control reacted where it held jobs back.
class Reactions {
 public:
  /// Part of the path of a job.
  void add(std::uint32_t job, const Charge& charge) {
    if (charge.cause != Cause::kCongestionControl) return;
    held_[{job, charge.culprit.number}] += charge.end - charge.begin;
  }
  /// Packets of a connection queued at these ports.
  void add_queues(ConnectionId connection, const std::vector<PortId>& queues) {
    queues_[connection.value()].insert(queues.begin(), queues.end());
  }
  /// By job, that which held it back longest first. Needs the ports of `results`.
  [[nodiscard]] std::vector<ReactionResult> rows(const Experiment& experiment,
                                                 const Results& results,
                                                 const PacketWalk& walk) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds> held_;  ///< job and connection
  std::map<std::uint32_t, std::set<PortId>> queues_;                     ///< by connection
};

}  // namespace weft::scenarios
