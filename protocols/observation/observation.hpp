#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/engine/trace.hpp"

namespace weft::protocols {

/// A message by its packets, and when it was under way.
struct WatchedMessage {
  QueuePairId queue_pair;
  std::uint32_t first_sequence = 0;
  std::uint32_t last_sequence = 0;
  Picoseconds posted;
  Picoseconds delivered;
};

/// What a run writes down while it runs; nothing by default.
struct ObservationConfig {
  /// Occupancy of these egress ports, all classes.
  std::vector<PortId> queue_ports;
  Picoseconds queue_period{};  ///< 0: at every change
  /// How many packets these ports marked in each period.
  std::vector<PortId> mark_ports;
  Picoseconds mark_period = 10_us;
  /// Rate, target rate, alpha and progress of the queue pairs of these connections.
  std::vector<ConnectionId> rate_flows;
  Picoseconds rate_period = 10_us;
  /// Every hop of every data packet of these connections.
  std::vector<ConnectionId> packet_flows;
  bool credits = false;  ///< every interval in which data waited for credits
  /// Every hop of the packets of these, and what kept them waiting (MessageWatch). Nothing else is
  /// observed then.
  std::vector<WatchedMessage> messages;

  [[nodiscard]] bool any() const { return any_but_messages() || !messages.empty(); }
  [[nodiscard]] bool any_but_messages() const {
    return !queue_ports.empty() || !mark_ports.empty() || !rate_flows.empty() ||
           !packet_flows.empty() || credits;
  }
};

using weft::TraceRecord;

/// Whose window a host's packet had to wait for, if its port was free and its pace allowed it.
enum class HoldReason : std::uint8_t {
  kControlWindow,  ///< that of the congestion control
  kStaticWindow,   ///< that of the transport
};

/// Receives records between windows, in the order of time.
using TraceSink = std::function<void(std::span<const TraceRecord>)>;

/// Receives records of messages that are observed: of each port and of each packet in the order of
/// time. All that happened before `until` is told.
using MessageTraceSink =
    std::function<void(std::span<const TraceRecord> records, Picoseconds until)>;

/// A time during which an egress port did not start packets of a class because its peer had asked
/// it to.
struct PauseInterval {
  PortId port;   ///< the paused one
  PortId cause;  ///< egress port of the peer that held most of what had come in by this link when
                 ///< XOFF was crossed; none() where the peer is a NIC
  Picoseconds start{};  ///< when the pause took effect
  Picoseconds end{};    ///< when it was lifted, or the end of the run
  ClassId traffic_class{};
  bool is_lasting = false;  ///< it still held at the end of the run
};

/// A time during which the data of a class waited at an egress port for credits, all of the time or
/// again and again.
struct CreditWait {
  PortId port;
  ClassId traffic_class{};
  Picoseconds start{};
  Picoseconds end{};
  Picoseconds waited{};  ///< of the time between them
};

/// A time in which no packet reached any host although connections had messages under way.
struct Stall {
  Picoseconds since{};  ///< looked at every 10 ms of simulated time
  Picoseconds until{};
  std::vector<ConnectionId> blocked;  ///< that had, ascending; the first few
  std::uint64_t blocked_count = 0;
};

/// A port that can never send again: see PacketNetwork::Status::kDeadlocked.
struct BlockedPort {
  PortId port;
  ClassId traffic_class{};
  Bytes waiting;
};

}  // namespace weft::protocols
