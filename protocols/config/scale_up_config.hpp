#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocols/config/transports/list.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"

namespace weft::protocols {

/// Which of a host's ports takes the next packet, where several lead to the destination: two ports
/// of a NIC, or a GPU's links into its scale-up domain.
enum class PortSpreading : std::uint8_t {
  kFlow,         ///< all packets of a queue pair by one port, by hash
  kRoundRobin,   ///< packet by packet in turn
  kRandom,       ///< packet by packet at random
  kLeastLoaded,  ///< packet by packet by the one with the fewest bytes, among equals in turn
  kPlanes,       ///< packet by packet the next plane of a rotation (PlaneConfig)
};

/// Kinds of scale-up domains in one fabric.
inline constexpr std::size_t kMaxScaleUpKinds = 3;
/// Transports between servers: the scenario's, and those of classes and jobs.
inline constexpr std::size_t kMaxScaleOutTransports = 8;
/// Those, and for each kind of domain one between GPUs and one for data that its scale-up switches
/// work on.
inline constexpr std::size_t kMaxTransports = kMaxScaleOutTransports + 2 * kMaxScaleUpKinds;

/// How GPUs of a scale-up domain send to each other: packets in any order, acknowledged once per
/// message, over all links to the scale-up switch.
struct ScaleUpConfig {
  PacketFormat format{4096_B, 0_B};
  PortSpreading spreading = PortSpreading::kRoundRobin;
  ClassId traffic_class{};  ///< number of the class that all of it travels in
  Bytes ack_size = 16_B;    ///< wire bytes of the acknowledgement of a message
  /// Packets per link and owner that the scale-up switches may hold in sums that are not complete;
  /// 0: they do not add up.
  std::uint32_t reduction_window = 16;
  /// Packets that scale-up switches reduce or repeat have this header in place of `format.header`.
  Bytes reduction_header = 0_B;
  std::optional<GpuGeneration> gpus;  ///< attached to it, where NCCL's model knows them
  /// Queue pairs inside the domain are reliable connections like this.
  [[nodiscard]] TransportTraits traits() const;
};

}  // namespace weft::protocols
