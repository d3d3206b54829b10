#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "protocols/state/network_state.hpp"

namespace weft::protocols {

/// Joins what became of the parts of split messages: every queue pair of a connection has one of
/// every message. The whole has the queue pair and the packets of the part that was delivered last.
class JoinedParts {
 public:
  /// A part that is over: the next one of queue pair `number` of the `queue_pairs` that its
  /// connection has. Returns the message if it is whole now.
  std::optional<MessageOutcome> add(const MessageOutcome& part, std::uint32_t queue_pairs,
                                    std::uint32_t number);

 private:
  struct Whole {
    MessageOutcome outcome;
    std::uint32_t parts = 0;  ///< that were added
  };
  struct Split {
    std::vector<std::uint64_t> added;  ///< parts, by queue pair
    std::uint64_t first = 0;           ///< number of the first message of `wholes`
    std::deque<Whole> wholes;          ///< that are not complete, in order
  };
  std::map<ConnectionId, Split> splits_;
};

/// Joins what senders and receivers know of messages.
class MessageOutcomes {
 public:
  using Visit = std::function<void(std::span<const MessageOutcome>)>;

  /// Takes what hosts have noted since the last time, and visits the messages that are over by now:
  /// their senders are done with them and they were delivered. By the time when that was so, some
  /// thousands at once. Called at times that do not depend on the partition into logical processes,
  /// all of them follow each other in one order that does not, either.
  void take_ended(NetworkState& state, const Visit& visit);
  /// The same messages, and forgets nothing.
  void visit_ended(const NetworkState& state,
                   const std::function<void(const MessageOutcome&)>& visit) const;
  /// The others, by connection, time of posting and queue pair. Those that are over must have been
  /// taken.
  [[nodiscard]] std::vector<MessageOutcome> pending(const NetworkState& state) const;
  /// Calls `visit(connection, posted)` with each of those, in any order; with one that is split
  /// once for each part that is not over.
  template <class Visit>
  void for_each_pending(const NetworkState& state, const Visit& visit) const {
    for (const HostState& host : state.hosts) {
      host.messages.for_each(
          [&](const MessageRecord& m) { visit(state.senders[m.queue_pair].connection, m.posted); });
    }
  }
  /// Messages that wait for their other half.
  [[nodiscard]] std::size_t waiting() const { return undelivered_ + delivered_.size(); }

 private:
  std::size_t undelivered_ = 0;            ///< as far as known, though their senders are done
  std::vector<DeliveryRecord> delivered_;  ///< and not yet acknowledged; by receiver and sequence
  JoinedParts joined_;  ///< of messages that are split, the parts that were taken
};

}  // namespace weft::protocols
