#pragma once

#include <cstdint>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Joins what senders and receivers know of messages.
class MessageOutcomes {
 public:
  /// Takes what hosts have noted since the last time, and returns the messages that are over by
  /// now: their senders are done with them and they were delivered. By the time when that was so.
  /// Called at times that do not depend on the cut into cells, the lists follow each other in one
  /// order that does not, either.
  [[nodiscard]] std::vector<MessageOutcome> take_ended(NetworkState& state);
  /// The others, by connection, time of posting and queue pair. Those that are over must have been
  /// taken.
  [[nodiscard]] std::vector<MessageOutcome> pending(const NetworkState& state) const;
  /// Calls `visit(connection, posted)` with each of those, in any order.
  template <class Visit>
  void for_each_pending(const NetworkState& state, const Visit& visit) const {
    for (const SentMessage& m : sent_) visit(state.senders[m.queue_pair].connection, m.posted);
    for (const HostState& host : state.hosts) {
      host.messages.for_each(
          [&](const MessageRecord& m) { visit(state.senders[m.queue_pair].connection, m.posted); });
    }
  }
  /// Messages that wait for their other half.
  [[nodiscard]] std::size_t waiting() const { return sent_.size() + delivered_.size(); }

 private:
  std::vector<SentMessage> sent_;          ///< and not yet delivered, as far as known
  std::vector<DeliveryRecord> delivered_;  ///< and not yet acknowledged; by receiver and sequence
};

}  // namespace weft::protocols
