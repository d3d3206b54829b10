#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/memo/run_reuse.hpp"
#include "scenarios/results/measure/flow_activities.hpp"
#include "scenarios/results/measure/message_collector.hpp"
#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {

/// Counts what epochs that were simulated once add to the results, as often as they took place: to
/// ports, to messages, and to what ranks have sent.
class MemoisedEpochs {
 public:
  /// All arguments must outlive it.
  MemoisedEpochs(const Experiment& experiment, RunReuse& reuse, MessageCollector& messages,
                 FlowActivities& activities);

  /// From now on what takes place is measured; until then it only leaves its traces in sums.
  void begin_measurement() { is_measuring_ = true; }
  /// Takes over what has taken place since the last time.
  void take(protocols::PacketNetwork& network, collectives::Executor& executor);
  /// After the last epoch: rows of messages, where they are wanted, and flows.
  void finish();

 private:
  [[nodiscard]] protocols::MessageOutcome outcome_of(const EpochPlace& place,
                                                     const EpochMessage& message,
                                                     Picoseconds start) const;
  void add_messages(std::span<const MemoisedEpoch> of_one_epoch);
  /// Whether a message of an epoch that starts then was under way in the measured time.
  [[nodiscard]] bool is_measured_flow(const MessageResult& message, Picoseconds start) const;
  /// All queue pairs of the connection, where a message is split over them.
  void add_flow(ConnectionId connection, std::uint32_t queue_pair);
  void add_counts(const MemoisedEpoch& taken, protocols::PacketNetwork& network,
                  collectives::Executor& executor);

  const Experiment& e_;
  RunReuse& reuse_;
  MessageCollector& messages_;
  FlowActivities& activities_;
  bool is_measuring_;
  ConnectionTransports transports_;
  const bool splits_;
  std::unordered_set<std::uint64_t> flows_;  ///< queue pairs: connection and number in it
  struct Closed {
    const EpochPlace* place = nullptr;
    Picoseconds start;
    std::shared_ptr<const CommEpoch> epoch;
  };
  std::vector<Closed> closed_;  ///< where rows are wanted
};

}  // namespace weft::scenarios
