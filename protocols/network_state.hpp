#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/dcqcn/dcqcn.hpp"
#include "protocols/packet_kind.hpp"
#include "protocols/port_state.hpp"
#include "protocols/roce/queue_pair.hpp"
#include "protocols/switching/switch_config.hpp"
#include "protocols/transport_config.hpp"
#include "simcore/engine/cell.hpp"
#include "simcore/fabric.hpp"
#include "simcore/message_network.hpp"
#include "simcore/random.hpp"
#include "simcore/routes.hpp"

namespace weft::protocols {

/// Agenda events of the packet network. The numbers order events of equal time and rank.
enum class EventType : std::uint32_t {
  kPause = 0,         ///< control: a pause frame takes effect; value 1 XOFF, 2 XON
  kSignal = 1,        ///< control: job control between processes
  kPauseExpiry = 2,   ///< timer: a pause runs out of quanta
  kPauseRefresh = 3,  ///< timer: a pause is about to run out and is still needed
  kRetransmit = 4,    ///< timer: a queue pair made no progress
  kWake = 5,          ///< timer: a process asked for it
};

struct SwitchState {
  std::int64_t buffer_used = 0;
  std::int64_t buffer_peak = 0;
  std::uint64_t hash_seed = 0;
  std::uint32_t first_port = 0;  ///< global number of its port 0
};

/// A host's NIC scheduler and the records of what it sent and received.
struct HostState {
  struct Paced {
    std::int64_t time;
    std::uint32_t queue_pair;
    friend bool operator>(const Paced& a, const Paced& b) {
      return a.time != b.time ? a.time > b.time : a.queue_pair > b.queue_pair;
    }
  };
  std::uint32_t port = 0;
  std::uint32_t recent_sender = 0;      ///< queue pair that sent last
  std::uint32_t recent_receiver = 0;    ///< queue pair that received last
  std::uint32_t ready_head = kNoIndex;  ///< queue pairs that may send now, served in turn
  std::uint32_t ready_tail = kNoIndex;
  std::vector<Paced> paced;             ///< heap, earliest first
  std::vector<MessageRecord> messages;  ///< in the order of posting
  std::vector<DeliveryRecord> deliveries;
};

/// A connection as the sender's runtime sees it.
struct ConnectionState {
  std::uint32_t first_queue_pair = 0;
  std::uint32_t next = 0;  ///< which queue pair takes the next message
  ProcessId source;
  ProcessId destination;
};

struct ProcessState {
  std::uint32_t host = 0;
  std::uint32_t cell = 0;
  std::uint32_t sequence = 0;  ///< numbers its timers and signals
};

/// Run constants that the packet path reads, in engine units.
struct NetworkConstants {
  explicit NetworkConstants(const SwitchConfig& switches, const TransportConfig& transport,
                            std::uint64_t seed, Picoseconds control);

  // switches
  std::int64_t buffer;
  std::int64_t xoff;
  std::int64_t xon;
  std::int64_t pause_frame;  ///< bytes on the wire; 0: a pause takes no wire time
  std::int64_t kmin;
  std::int64_t kmax;
  std::uint64_t pmax;  ///< in units of 2^-32
  std::uint64_t seed;
  bool pfc;
  bool pause_until_resume;
  bool ecn;
  bool mark_at_dequeue;
  bool release_at_start;
  bool spray;
  // transport
  bool reliable;
  bool any_order;
  std::uint8_t ttl;
  std::uint8_t ack_flags;
  std::uint8_t cnp_flags;
  std::uint16_t ack_size;
  std::uint32_t ack_every;
  std::uint32_t window;
  std::uint32_t queue_pairs;
  std::uint32_t retry_limit;
  std::int64_t retransmit_timeout;
  std::int64_t payload;
  std::int64_t header;
  std::int64_t control_latency;
  std::optional<DcqcnParameters> dcqcn;
};

/// Everything that changes during a run, in flat arrays. A cell touches the entries of its own
/// nodes and the producing half of its outbound links only.
struct NetworkState {
  NetworkState(const Fabric& fabric_in, const Routes& routes_in, NetworkConstants constants_in)
      : fabric(fabric_in), routes(routes_in), constants(constants_in) {}

  const Fabric& fabric;
  const Routes& routes;
  const NetworkConstants constants;
  std::vector<PortState> ports;  ///< by PortId
  std::vector<Link> links;       ///< by the PortId that sends
  std::vector<SwitchState> switches;
  std::vector<HostState> hosts;
  std::vector<SenderState> senders;      ///< by queue pair
  std::vector<ReceiverState> receivers;  ///< by queue pair
  std::vector<Dcqcn> dcqcn;              ///< by queue pair; empty without DCQCN
  std::vector<ConnectionState> connections;
  std::vector<ProcessState> processes;
  ProcessHandler* handler = nullptr;

  [[nodiscard]] PortState& port_of(const Cell& cell, std::uint32_t local) {
    return ports[cell.ports[local].value()];
  }
};

}  // namespace weft::protocols
