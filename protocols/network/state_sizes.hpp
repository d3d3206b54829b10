#pragma once

#include <cstddef>

#include "protocols/config/transports/list.hpp"

namespace weft::protocols {

/// What the packet engine keeps at rest, in bytes, for whoever foresees the memory of a run.
struct StateSizes {
  std::size_t port;           ///< with its link, one chunk of packets on it and one that waits
  std::size_t class_of_port;  ///< queue and ingress account
  std::size_t connection;
  std::size_t sender;            ///< of a queue pair
  std::size_t added_up_sender;   ///< of one whose data scale-up switches reduce
  std::size_t receiver;          ///< of a queue pair
  std::size_t copy_receiver;     ///< of a member of a multicast
  std::size_t congestion_state;  ///< of a queue pair, at both ends
  std::size_t transport_state;   ///< of a queue pair, at both ends, besides
};
[[nodiscard]] StateSizes state_sizes(const TransportConfig& transport);

}  // namespace weft::protocols
