#pragma once

#include <cstdint>
#include <vector>

#include "protocols/state/port_state.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/engine/logical_process.hpp"
#include "simcore/messages/size_class.hpp"

namespace weft::protocols {

/// What one class of a port has counted since the measurement began.
struct QueueShare {
  PortId port;
  ClassId traffic_class{};
  Bytes bytes;
  std::int64_t packets = 0;
  std::int64_t marked = 0;
  WideUnsigned integral = 0;  ///< byte-picoseconds of waiting
  Bytes peak_bytes;
  Bytes peak_backlog;  ///< of the port
  std::uint32_t stalls = 0;
  Picoseconds stall_time;

  bool operator==(const QueueShare&) const = default;
};

/// What a network that was simulated apart adds to the counts of the one that it is part of.
struct NetworkShare {
  std::vector<QueueShare> queues;  ///< where anything was sent or waited, by port and class
  Worker::Sums sums;
  LatencyBySize packet_latency;
};

}  // namespace weft::protocols
