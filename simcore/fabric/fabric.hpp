#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/link_errors.hpp"

namespace weft {

enum class NodeKind : std::uint8_t { kHost, kSwitch };

/// A fabric is up to two networks that meet in hosts only: packets never change from one to the
/// other. Traffic inside a scale-up domain takes its links, all other traffic scale-out.
enum class NetworkKind : std::uint8_t {
  kScaleOut,  ///< NICs, leaves, spines
  kScaleUp,   ///< links of GPUs to the scale-up switch of their domain, such as NVLink to NVSwitch
};
inline constexpr std::size_t kNetworkKinds = 2;

/// A host (a GPU with its NICs, or a lone NIC) or a switch.
struct Node {
  std::string name;
  NodeKind kind = NodeKind::kHost;
  /// 0 for hosts, 1 for the switches that hosts are attached to, 2 for the next tier, and so on.
  std::uint32_t tier = 0;
  /// Index among the nodes of its kind: the HostId or the SwitchId.
  std::uint32_t index = 0;
  /// Rack (hosts and leaves) or pod, for reports; -1 where it has none.
  std::int32_t group = -1;
  /// Scale-up domain of a host or of a scale-up switch; -1 where it has none.
  std::int32_t domain = -1;
  /// The rail of a host whose NIC is on one of several, or of a NIC node; -1 for all others.
  std::int32_t rail = -1;
  /// The network that a switch belongs to. All switches of a path are of one network.
  NetworkKind network = NetworkKind::kScaleOut;
  /// Of a switch: a NIC between GPUs and the fabric. It forwards only to and from its GPUs.
  bool is_nic = false;
  /// Ports are contiguous: first_port .. first_port + port_count - 1.
  PortId first_port;
  std::uint32_t port_count = 0;
  /// What a packet spends between the end of its reception and the egress queue (switch pipeline)
  /// or the transport (NIC). Booked on every link that ends here.
  Picoseconds pipeline;
  /// Packet buffer of a switch, and the cells that packets occupy in it; 0: as the configuration of
  /// all switches says.
  Bytes buffer{};
  Bytes cell{};
  /// Of the buffer: what the headroom of all ports is drawn from; 0: each port has its own. Counts
  /// where `buffer` does.
  Bytes headroom_pool{};
  /// What a switch forwards in all, per direction; 0: no limit. Nothing is slowed down by it: a
  /// fabric that asks for more cannot be built of such switches.
  BitsPerSecond capacity{};
};

/// One end of a cable, and the link direction that leaves it.
struct Port {
  NodeId node;
  PortId peer;
  BitsPerSecond rate;
  /// Propagation plus transceivers and FEC of the direction that leaves this port.
  Picoseconds wire_latency;
  /// What data that leaves here spends besides, in the NIC and the host link of a GPU at either
  /// end. Pauses and credits do not.
  Picoseconds edge_latency{};
  /// Of the direction that leaves this port.
  LinkErrors errors{};
  /// Ports with the same number share one link, such as the link above a PCIe switch: one packet of
  /// them all is on it at a time, at its `rate`. 0: the port has its link to itself.
  std::uint32_t shared_link = 0;
};

/// Nodes, ports and cables: an immutable value that topologies build and everything else reads.
/// Nodes are numbered hosts first, then switches by tier; the numbering is part of the model
/// (event order and hash seeds follow it), never of the machine the simulation runs on.
class Fabric {
 public:
  std::vector<Node> nodes;
  std::vector<Port> ports;
  std::vector<NodeId> hosts;     ///< by HostId
  std::vector<NodeId> switches;  ///< by SwitchId
  /// By scale-up domain: which of the topology's groups of racks it belongs to. Domains of one
  /// group are alike.
  std::vector<std::uint32_t> group_of_domain;

  [[nodiscard]] const Node& node(NodeId id) const { return nodes[id.value()]; }
  [[nodiscard]] const Port& port(PortId id) const { return ports[id.value()]; }
  [[nodiscard]] const Node& host(HostId id) const { return node(hosts[id.value()]); }
  [[nodiscard]] const Node& switch_node(SwitchId id) const { return node(switches[id.value()]); }
  [[nodiscard]] std::span<const Port> ports_of(NodeId id) const {
    const Node& n = node(id);
    return {ports.data() + n.first_port.value(), n.port_count};
  }
  [[nodiscard]] NodeId peer_node(PortId id) const { return port(port(id).peer).node; }
  /// From the end of a transmission until the packet is in the receiver's egress queue or
  /// transport.
  [[nodiscard]] Picoseconds data_latency(PortId id) const {
    return port(id).wire_latency + port(id).edge_latency + node(peer_node(id)).pipeline;
  }
  /// The network of a link direction, which is that of the switch at its end: hosts are in both.
  [[nodiscard]] NetworkKind network_of(PortId id) const {
    const Node& n = node(port(id).node);
    return n.kind == NodeKind::kSwitch ? n.network : node(peer_node(id)).network;
  }
  /// Which network traffic between two hosts takes.
  [[nodiscard]] NetworkKind network_between(HostId a, HostId b) const {
    const bool is_inside = host(a).domain >= 0 && host(a).domain == host(b).domain;
    return is_inside ? NetworkKind::kScaleUp : NetworkKind::kScaleOut;
  }
  /// `leaf0[3]->spine1[0]`: how reports name a link direction.
  [[nodiscard]] std::string port_name(PortId id) const;
  /// Whether some ports share links.
  [[nodiscard]] bool has_shared_links() const;
  /// By PortId: the first of the ports that share its link; itself, where it has one to itself.
  [[nodiscard]] std::vector<PortId> link_owners() const;
};

/// The ports that share a link with `port`, ascending; itself, where it has one to itself.
[[nodiscard]] std::vector<PortId> sharers_of(const Fabric& fabric, PortId port);

}  // namespace weft
