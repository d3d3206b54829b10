#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "topologies/assembly/assembler.hpp"
#include "topologies/assembly/spec.hpp"

namespace weft::topologies {

/// What a server and its NICs are called where scenarios name them.
struct ServerNames {
  std::string name;
  std::vector<std::string> nics;  ///< empty: `nic0`, `nic1` ...

  /// `SERVER/NIC`
  [[nodiscard]] std::string nic(std::uint32_t i) const {
    return name + "/" + (nics.empty() ? "nic" + std::to_string(i) : nics[i]);
  }
};

/// What racks of servers bring into a fabric, in the order rack, server, GPU or NIC: hosts,
/// scale-up domains, NIC nodes and the cables between these. What leaves are, builders decide.
///
/// - A GPU is a host, `gpu<i>`; a NIC of a server without GPUs one, `h<i>`; i counts all hosts.
/// Where
///   its PCIe link is slower than such a NIC, the host is the memory behind that link, and the NIC
///   a node.
/// - Scale-up switches are `chip<i>`, tier 1 of the scale-up network.
/// - A NIC that serves one GPU and gets no more than its host link carries is part of the GPU: its
///   latencies and the host link's are booked on the link to the leaf. Any other NIC of a GPU is a
///   node `nic<i>`, tier 1 of the scale-out network.
///
/// Where servers have names, a host that holds one NIC is called after it, as `gpu03/mlx5_5`; other
/// GPUs are `gpu03/gpu0`, NIC nodes `gpu03/mlx5_5`, scale-up switches `gpu03/switch0`.
class Servers {
 public:
  /// One port of a NIC, ready to be cabled to a leaf.
  struct NicPort {
    std::uint32_t rack = 0;
    std::uint32_t server = 0;  ///< of all
    std::uint32_t rail = 0;
    std::uint32_t nic = 0;   ///< of the server
    std::uint32_t port = 0;  ///< of the NIC
    NodeId node;
    const RackSpec* spec = nullptr;
    Picoseconds sending;  ///< what data spends in NIC and host link besides the wire
    Picoseconds receiving;
  };

  /// `racks` and `names` must outlive it. `names` has one entry per server, or none.
  explicit Servers(std::span<const RackSpec> racks, std::span<const ServerNames> names = {})
      : racks_(racks), names_(names) {}

  /// What is wrong with the racks, at keys such as `racks[1].server.gpus` below `key`.
  [[nodiscard]] Errors check(const std::string& key) const;

  [[nodiscard]] std::uint64_t racks() const;
  [[nodiscard]] std::uint64_t servers() const;
  [[nodiscard]] std::uint64_t hosts() const;
  /// Cables inside of servers, and ports of NICs.
  [[nodiscard]] std::uint64_t inner_cables() const;
  [[nodiscard]] std::uint64_t nic_ports() const;
  [[nodiscard]] bool has_nic_nodes() const;
  /// Of all servers that have names.
  [[nodiscard]] std::vector<std::string> host_names() const;

  /// Adds the hosts, then scale-up switches, then NIC nodes; cables them; gives the ports of all
  /// NICs in order.
  std::vector<NicPort> add_to(Assembler& assembler) const;

 private:
  std::span<const RackSpec> racks_;
  std::span<const ServerNames> names_;
};

/// Whether the NICs of a server are nodes of their own: GPUs share them, or they outrun the link to
/// them, which may carry the data of several. They are alike.
[[nodiscard]] bool has_nic_nodes(const RackSpec& rack);

/// Rails that the NICs of a server are spread over.
[[nodiscard]] std::uint32_t rails_of(const ServerPart& server);

}  // namespace weft::topologies
