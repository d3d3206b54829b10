#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/measure/flow_activities.hpp"
#include "scenarios/measure/message_collector.hpp"
#include "scenarios/reuse/domain_reuse.hpp"

namespace weft::scenarios {

/// Counts what phases that were simulated once add to the results, as often as they took place: to
/// the ports of every component, to messages, and to what ranks have sent.
class ReusedPhases {
 public:
  /// All arguments must outlive it.
  ReusedPhases(const Experiment& experiment, DomainReuse& reuse, MessageCollector& messages,
               FlowActivities& activities);

  /// Takes over what has taken place since the last time.
  void take(protocols::PacketNetwork& network, collectives::Executor& executor);
  /// After the last phase: rows of messages, where they are wanted, and flows.
  void finish();

 private:
  /// What connections of a component alone are in the whole.
  [[nodiscard]] const std::vector<ConnectionId>& connections_of(std::uint32_t component);
  [[nodiscard]] protocols::MessageOutcome outcome_of(std::uint32_t component,
                                                     const PhaseMessage& message,
                                                     Picoseconds start);
  /// Ranks of a component that a connection leads from and to.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends_of(std::uint32_t component,
                                                                ConnectionId connection);
  void add_messages(std::span<const DomainReuse::Taken> of_one_phase);
  void add_counts(const DomainReuse::Taken& taken, protocols::PacketNetwork& network,
                  collectives::Executor& executor);

  const Experiment& e_;
  DomainReuse& reuse_;
  MessageCollector& messages_;
  FlowActivities& activities_;
  std::vector<std::vector<ConnectionId>> connections_;  ///< by component, where asked for
  std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> flows_;  ///< by component
  struct Closed {
    std::uint32_t component = 0;
    Picoseconds start;
    PhaseStore::Found phase;
  };
  std::vector<Closed> closed_;  ///< where rows are wanted
};

}  // namespace weft::scenarios
