#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "protocols/network/packet_network.hpp"

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

}  // namespace weft::protocols
