#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "topologies/analysis/network_view.hpp"

namespace weft::topologies {

/// Which side of a cut a host is on.
enum class Side : std::uint8_t { kNone, kFirst, kSecond };

/// What the hosts of the first side can send to those of the second at once, in one direction: the
/// maximum flow, whatever the routes (Boost.Graph, push-relabel). `sides` by HostId; hosts of
/// neither side send and receive nothing.
[[nodiscard]] BitsPerSecond max_flow(const NetworkView& view, std::span<const Side> sides);

struct Bisection {
  /// How the hosts are halved. The bandwidth is that of the worst of those tried: finding the worst
  /// of all halves is intractable, these are where hierarchical fabrics are narrow.
  enum class Halves : std::uint8_t {
    kHostOrder,     ///< the first half of the hosts against the others: racks, domains and pods
    kEdgeSwitches,  ///< by the switches that they are attached to
    kRails,         ///< by rail, then by switch
    kUnits,         ///< whole parts below the highest tier (the closed form)
  };
  enum class Method : std::uint8_t { kMaxFlow, kClosedForm };

  BitsPerSecond rate;   ///< between the halves, per direction
  BitsPerSecond hosts;  ///< what the links of the smaller half's hosts could carry
  Halves halves = Halves::kHostOrder;
  Method method = Method::kMaxFlow;
};

/// Networks with more bundles of links between switches are too large for maximum flows.
inline constexpr std::size_t kMaxFlowBundles = 100'000;

/// Of the hosts among `hosts` that are on this network. By maximum flow where the network is small
/// enough, else in closed form where it is regular; nothing if neither, or if fewer than two hosts
/// are on it.
[[nodiscard]] std::optional<Bisection> find_bisection(const Fabric& fabric, const NetworkView& view,
                                                      std::span<const HostId> hosts,
                                                      std::size_t max_bundles = kMaxFlowBundles);

/// The bisection of a regular network, without a flow. Regular: below its highest tier it falls
/// into parts with equal numbers of hosts and equal capacities from tier to tier, an even number of
/// them (or each a host alone); links lead one tier up or down. Halves of whole parts then exchange
/// what the narrowest tier of one half carries. Nothing where that does not hold.
[[nodiscard]] std::optional<Bisection> closed_form_bisection(const Fabric& fabric,
                                                             const NetworkView& view,
                                                             std::span<const HostId> hosts);

}  // namespace weft::topologies
