#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/network/packet_network.hpp"

namespace weft::scenarios {

/// What critical paths need to know of messages, by connection in the order of their delivery.
class MessageLog {
 public:
  struct Message {
    Picoseconds posted;
    Picoseconds delivered;
    OptionalTime acknowledged;
    Bytes bytes;
    protocols::QueuePairId queue_pair;
    std::uint32_t first_sequence = 0;
    std::uint32_t last_sequence = 0;
    std::uint32_t entropy = 0;
  };

  explicit MessageLog(std::size_t connections) : place_(connections) {}

  /// What was never delivered is of no path.
  void add(const protocols::MessageOutcome& message);
  /// The message of this number, of all that the connection delivered; null: it is not known.
  [[nodiscard]] const Message* of(ConnectionId connection, std::uint32_t ordinal) const;
  /// The message of a connection that was acknowledged at this time; null: there is none.
  [[nodiscard]] const Message* acknowledged_at(ConnectionId connection, Picoseconds time) const;
  /// The message of a connection that was delivered at this time; null: there is none.
  [[nodiscard]] const Message* delivered_at(ConnectionId connection, Picoseconds time) const;
  /// Forgets the first messages of a connection that were delivered and acknowledged before.
  void forget(ConnectionId connection, Picoseconds before);

 private:
  struct List {
    std::vector<Message> known;
    std::uint32_t forgotten = 0;
  };
  [[nodiscard]] const List* list_of(ConnectionId connection) const {
    const std::uint32_t place = place_[connection.value()];
    return place == 0 ? nullptr : &lists_[place - 1];
  }

  std::vector<std::uint32_t> place_;  ///< by connection: one more than in `lists_`; 0: none yet
  std::vector<List> lists_;
};

}  // namespace weft::scenarios
