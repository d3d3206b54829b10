#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "protocols/config/transports/recovery.hpp"
#include "protocols/config/transports/transport.hpp"

namespace weft::protocols {

/// RoCEv2 reliable connection.
struct RoceConfig {
  static constexpr const char* kName = "roce";
  /// Of `ack_every`: nothing but the last packet of a message is acknowledged.
  static constexpr std::uint32_t kMessage = std::numeric_limits<std::uint32_t>::max();

  enum class Receiver : std::uint8_t {
    kInOrder,   ///< a gap makes the receiver discard and send one NACK per gap
    kAnyOrder,  ///< accepts packets in any order, as sprayed traffic needs
  };
  PacketFormat format;
  /// Wire bytes of an ACK, NACK or CNP. RoCEv2 ACK frame 66 B + preamble 8 + gap 12 = 86.
  Bytes ack_size = 86_B;
  /// Packets per ACK; the last packet of a message is always acknowledged. ConnectX: 256
  /// (MLX5_IB_ACK_REQ_FREQ, 2^8, in Linux, drivers/infiniband/hw/mlx5/qp.c).
  std::uint32_t ack_every = 1;
  /// Class of ACKs and NACKs by name; kSameClass: the class of the data that they answer.
  std::string ack_class = kSameClass;
  /// Class of CNPs by name; kHighestClass: the class of highest priority.
  std::string cnp_class = kHighestClass;
  /// The same gap is reported again after so long, if it is still there. Absent: never, as the
  /// specification has it (InfiniBand, 9.7.5: one NAK until what is missing has come).
  std::optional<Picoseconds> nack_interval{};
  Receiver receiver = Receiver::kInOrder;
  Recovery recovery{};
  std::uint32_t window = 0;  ///< packets in flight per queue pair; 0: no limit
  /// Time without progress after which the sender goes back. ConnectX: 4.096 us * 2^14 (the verbs
  /// default of many programs); NCCL sets 2^20.
  Picoseconds retransmit_timeout = Picoseconds(67'108'864'000);
  std::uint32_t retry_limit = 7;  ///< time-outs in a row until the queue pair fails (IB: 7)
  std::uint32_t queue_pairs = 1;  ///< per connection; messages take them in turn
  /// Each message takes all of them, with an even part on each, as NCCL has it with
  /// NCCL_IB_SPLIT_DATA_ON_QPS=1. Its default is 0 (since NCCL 2.20).
  bool split_messages = false;
  QueuePairUse queue_pair_use = QueuePairUse::kOneWay;
  QueuePairLife queue_pair_life = QueuePairLife::kConnection;
  congestion::ControlConfig congestion_control = congestion::DcqcnSpec::default_config();
  /// Which path packets take, where switches hash what they carry.
  path_selection::ChoiceConfig path_selection = path_selection::FixedConfig{};
  PlaneConfig planes{};

  [[nodiscard]] static schema::Object<RoceConfig> schema(LinkLayer layer);
  /// Without congestion control on InfiniBand.
  [[nodiscard]] static RoceConfig default_config(LinkLayer layer);
  [[nodiscard]] TransportTraits traits() const;
  friend bool operator==(const RoceConfig&, const RoceConfig&) = default;
};

}  // namespace weft::protocols
