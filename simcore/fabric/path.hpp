#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "simcore/fabric/zero_load.hpp"

/// Where packets go, without running the engine: the same tables and the same hashes.
namespace weft {

/// More links than this and a path counts as a loop: what a packet's TTL allows.
inline constexpr std::size_t kMaxPathLinks = 64;

/// The candidates at `node` on the way from `source` to `destination`, as local ports: of the
/// source itself its links, of a switch its next hops, of any other host none, as hosts do not
/// forward.
[[nodiscard]] std::span<const std::uint16_t> ports_towards(const Routes& routes, const Node& node,
                                                           HostId source, HostId destination);

/// The link directions by which `source` sends to `destination`: those that sprayed packets spread
/// over. Empty if they are one host, or no link leads there.
[[nodiscard]] std::vector<PortId> first_links(const Fabric& fabric, const Routes& routes,
                                              HostId source, HostId destination);

/// The one of them that a queue pair of this entropy keeps to if its packets are not sprayed;
/// nothing if there is none.
[[nodiscard]] std::optional<PortId> flow_link(const Fabric& fabric, const Routes& routes,
                                              std::uint64_t run_seed, HostId source,
                                              HostId destination, std::uint32_t entropy);

/// The link directions that a flow of this entropy crosses under ECMP by flow, from the source's
/// own link on. Empty if source and destination are one host, the destination cannot be reached or
/// the next hops form a loop.
[[nodiscard]] std::vector<PortId> flow_path(const Fabric& fabric, const Routes& routes,
                                            std::uint64_t run_seed, HostId source,
                                            HostId destination, std::uint32_t entropy);

/// The path of a flow from its first link on, whatever the source would choose: responses leave by
/// the port by which what they answer came in.
[[nodiscard]] std::vector<PortId> flow_path_from(const Fabric& fabric, const Routes& routes,
                                                 std::uint64_t run_seed, PortId first,
                                                 HostId destination, std::uint32_t entropy);

/// Rates and latencies of a path.
[[nodiscard]] std::vector<PathHop> hops_of(const Fabric& fabric, std::span<const PortId> path);

/// The path of sprayed packets.
struct SprayedPath {
  /// One per step: with all links that packets may cross there, the fastest rate among them, and
  /// latencies that add up to the smallest of any path. Where static next hops make paths of
  /// different lengths, only the first and the last step remain.
  std::vector<PathHop> hops;
  std::vector<PortId> last;  ///< the link directions that end at the destination, ascending
};

/// The links of packets that leave one host by its `first` links. Empty if the host is the
/// destination itself, some packets find no next hop, or the next hops form a loop.
[[nodiscard]] SprayedPath sprayed_path(const Fabric& fabric, const Routes& routes,
                                       std::span<const PortId> first, HostId destination);

/// The same for packets that may take any of several routes at every node, as they do while routes
/// change: one path for every number of links after which the destination can be reached.
[[nodiscard]] std::vector<std::vector<PathHop>> rerouted_hops(const Fabric& fabric,
                                                              std::span<const Routes* const> tables,
                                                              HostId source, HostId destination);

}  // namespace weft
