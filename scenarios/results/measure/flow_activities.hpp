#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "protocols/analysis/victim_analysis.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "simcore/base/id_vector.hpp"

namespace weft::scenarios {

/// When queue pairs had a message under way, of those whose class can be paused: what pauses may
/// have cost them is found from that.
class FlowActivities {
 public:
  struct Flow {
    ConnectionId connection;
    protocols::QueuePairId queue_pair;
    std::uint32_t entropy = 0;
    Picoseconds before;                     ///< active time that is only known as a sum
    std::vector<protocols::Period> active;  ///< after that: ascending, disjoint
  };

  /// The experiment must outlive it.
  explicit FlowActivities(const Experiment& experiment);

  /// Messages in the order in which they were over: a queue pair's follow each other. Those that
  /// never were last until `end`. One that is split is under way on all queue pairs of its
  /// connection, whose numbers the network knows.
  void add(std::span<const protocols::MessageOutcome> messages, Picoseconds end,
           const protocols::PacketNetwork* network = nullptr);
  /// A given number of more queue pairs have sent something, which nothing could pause.
  void count_more(std::uint64_t queue_pairs) { count_ += queue_pairs; }
  /// Nothing was ever paused so far: a sum will do.
  void sum_up();

  /// Queue pairs that sent anything in the measured time, whatever their class.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// By connection and queue pair.
  [[nodiscard]] std::vector<Flow> take();

 private:
  /// A queue pair has a message under way for a while.
  void add(ConnectionId connection, protocols::QueuePairId queue_pair, std::uint32_t entropy,
           const protocols::Period& period, bool can_be_paused);

  const Experiment& e_;
  ConnectionTransports transports_;
  IdVector<ClassId, bool> can_be_paused_;
  IdVector<protocols::QueuePairId, bool> is_counted_;
  std::uint64_t count_ = 0;
  std::unordered_map<protocols::QueuePairId, Flow> flows_;
};

}  // namespace weft::scenarios
