#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "protocols/congestion/list.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// What every transport has: how messages become packets.
struct PacketFormat {
  Bytes payload = 4096_B;  ///< of a full packet (path MTU)
  /// Everything else a data packet occupies the wire with. RoCEv2: Ethernet 38 B (preamble 8,
  /// header 14, FCS 4, gap 12) + IPv4 20 + UDP 8 + BTH 12 + ICRC 4.
  Bytes header = 82_B;
  std::uint32_t ttl = 64;
};

inline constexpr const char* kSameClass = "same";
inline constexpr const char* kHighestClass = "highest";

/// RoCEv2 reliable connection.
struct RoceConfig {
  enum class Receiver : std::uint8_t {
    kInOrder,   ///< go-back-N: a gap makes the receiver discard and send one NACK per gap
    kAnyOrder,  ///< accepts packets in any order, as sprayed traffic needs
  };
  PacketFormat format;
  /// Wire bytes of an ACK, NACK or CNP. RoCEv2 ACK frame 66 B + preamble 8 + gap 12 = 86.
  Bytes ack_size = 86_B;
  std::uint32_t ack_every = 1;  ///< packets per ACK; the last packet of a message is always acked
  /// Class of ACKs and NACKs by name; kSameClass: the class of the data that they answer.
  std::string ack_class = kSameClass;
  /// Class of CNPs by name; kHighestClass: the class of highest priority.
  std::string cnp_class = kHighestClass;
  Receiver receiver = Receiver::kInOrder;
  std::uint32_t window = 0;  ///< packets in flight per queue pair; 0: no limit
  /// Time without progress after which the sender goes back. ConnectX: 4.096 us * 2^14 (the verbs
  /// default of many programs); NCCL sets 2^20.
  Picoseconds retransmit_timeout = Picoseconds(67'108'864'000);
  std::uint32_t retry_limit = 7;  ///< time-outs in a row until the queue pair fails (IB: 7)
  std::uint32_t queue_pairs = 1;  ///< per connection; messages take them in turn
  QueuePairUse queue_pair_use = QueuePairUse::kOneWay;
  congestion::ControlConfig congestion_control = congestion::Dcqcn::standard();
};

/// Unreliable datagrams: sent at line rate, never acknowledged, lost when dropped.
struct DatagramConfig {
  PacketFormat format;
};

using TransportConfig = std::variant<RoceConfig, DatagramConfig>;

/// Whose data the queue pairs of a transport carry. Datagrams have no responses, so theirs is one
/// way.
[[nodiscard]] inline QueuePairUse queue_pair_use(const TransportConfig& transport) {
  const auto* roce = std::get_if<RoceConfig>(&transport);
  return roce != nullptr ? roce->queue_pair_use : QueuePairUse::kOneWay;
}

/// Which of a host's ports takes the next packet, where several lead to the destination: two ports
/// of a NIC, or a GPU's links into its scale-up domain.
enum class PortSpreading : std::uint8_t {
  kFlow,         ///< all packets of a queue pair by one port, by hash
  kRoundRobin,   ///< packet by packet in turn
  kRandom,       ///< packet by packet at random
  kLeastLoaded,  ///< packet by packet by the one with the fewest bytes, among equals in turn
};

/// Kinds of scale-up domains in one fabric.
inline constexpr std::size_t kMaxScaleUpKinds = 3;
/// One transport for scale-out, and for each kind of domain one between GPUs and one for data that
/// its chips work on.
inline constexpr std::size_t kMaxTransports = 1 + 2 * kMaxScaleUpKinds;

/// How GPUs of a scale-up domain send to each other: packets in any order, acknowledged once per
/// message, over all links to the switch chips.
struct ScaleUpConfig {
  PacketFormat format{4096_B, 0_B};
  PortSpreading spreading = PortSpreading::kRoundRobin;
  std::uint8_t traffic_class = 0;  ///< number of the class that all of it travels in
  Bytes ack_size = 16_B;           ///< wire bytes of the acknowledgement of a message
  /// Packets per link and owner that the chips may hold in sums that are not complete; 0: they do
  /// not add up.
  std::uint32_t reduction_window = 16;
  /// Packets that chips add up or repeat have this header in place of `format.header`.
  Bytes reduction_header = 0_B;
  /// Queue pairs inside the domain are reliable connections with these parameters.
  [[nodiscard]] RoceConfig transport() const;
};

}  // namespace weft::protocols
