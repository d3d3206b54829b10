#pragma once

#include <cstdint>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "simcore/fabric/zero_load.hpp"

namespace weft::scenarios {

/// How the messages of a connection travel.
struct ConnectionTransport {
  Framing framing;
  std::uint32_t queue_pairs = 1;
  bool is_split = false;  ///< messages are, over these
  QueuePairUse queue_pair_use = QueuePairUse::kOneWay;
  ClassId traffic_class{};  ///< inside a domain that of its own
  ClassId ack_class{};      ///< that ACKs travel in; of scale-out connections only
  bool is_acknowledged = true;
  bool is_scale_up = false;
  bool is_per_message = false;  ///< every message has a path of its own
  /// Switches spread its packets over equal-cost paths.
  bool is_sprayed = false;
  bool spreads_over_ports = false;  ///< so does its host, over the ports of its NIC
  bool keeps_path = true;           ///< all packets of a queue pair take one path
  bool acks_keep_path = true;       ///< so does what answers them
  /// All of them leave by links of this many, packet by packet, and cross the domain side by side;
  /// 1 outside of scale-up domains, and where each queue pair keeps to a link.
  std::uint32_t parallel_links = 1;
};

/// The transport of every connection of a workload: the scale-out one, or that of the scale-up
/// domain that both ends share.
class ConnectionTransports {
 public:
  /// All arguments must outlive it.
  ConnectionTransports(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
                       const collectives::Workload& workload);

  [[nodiscard]] ConnectionTransport of(ConnectionId connection) const;
  /// Of that transport.
  [[nodiscard]] std::uint32_t queue_pairs_of(ConnectionId connection) const;
  [[nodiscard]] HostId source_of(ConnectionId connection) const;
  [[nodiscard]] HostId destination_of(ConnectionId connection) const;

 private:
  [[nodiscard]] bool is_scale_up(ConnectionId connection) const;

  const Scenario& scenario_;
  const Fabric& fabric_;
  const Routes& routes_;
  const collectives::Workload& workload_;
  std::vector<std::uint8_t> kind_of_domain_;
  /// By Connection::transport and traffic class.
  std::vector<IdVector<ClassId, ConnectionTransport>> scale_out_;
  std::vector<Framing> scale_up_;  ///< by kind of domain
};

/// How messages inside a domain become packets.
[[nodiscard]] Framing scale_up_framing(const protocols::ScaleUpConfig& config);

/// For each scale-up domain the index of its configuration in `Scenario::scale_up`.
[[nodiscard]] std::vector<std::uint8_t> scale_up_kinds(const Scenario& scenario,
                                                       const Fabric& fabric);

}  // namespace weft::scenarios
