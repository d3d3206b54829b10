#pragma once

#include <cstdint>

#include "collectives/runtime/workload.hpp"
#include "scenarios/memo/comm_epoch.hpp"
#include "simcore/base/hash.hpp"

/// What messages of epochs are in the whole.
namespace weft::scenarios {

/// The connection of the same ranks, in the same lane.
[[nodiscard]] inline ConnectionId connection_of(const collectives::Workload& whole,
                                                const EpochPlace& place, const EpochMessage& m) {
  const collectives::JobPlan& plan = whole.jobs()[place.job];
  const ProcessId source = plan.process(place.ranks[m.source]);
  const std::uint32_t destination = place.ranks[m.destination];
  switch (m.kind) {
    case Connection::Kind::kReduce:
      return whole.reduction(source, destination, m.lane);
    case Connection::Kind::kMulticast:
      return whole.multicast(source, m.lane);
    case Connection::Kind::kUnicast:
      break;
  }
  return whole.find(source, plan.process(destination), m.lane);
}

/// Of one of a connection's queue pairs.
[[nodiscard]] inline std::uint32_t entropy_of(const collectives::Workload& whole,
                                              ConnectionId connection, std::uint32_t queue_pair) {
  const Connection& c = whole.connections()[connection.value()];
  // All members of a reduction have the label of its owner's connection to itself.
  const ProcessId source = c.kind == Connection::Kind::kReduce ? c.destination : c.source;
  const auto host = [&whole](ProcessId p) { return whole.process_hosts()[p.value()]; };
  return flow_entropy(host(source), host(c.destination),
                      queue_pair_number(c.flow_label, queue_pair));
}

}  // namespace weft::scenarios
