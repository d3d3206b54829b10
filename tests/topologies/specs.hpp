#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/routes.hpp"
#include "topologies/build_fabric.hpp"
#include "topologies/list.hpp"

/// Small specifications and built networks for the tests of this folder.
namespace weft::topologies {

inline LeafSpineSpec leaf_spine(std::uint32_t racks, std::uint32_t servers, std::uint32_t spines) {
  LeafSpineSpec spec;
  spec.racks = racks;
  spec.servers_per_rack = servers;
  spec.spines = spines;
  spec.access = {400_Gbps, 100_ns};
  spec.uplink = {400_Gbps, 200_ns};
  spec.switch_pipeline = 500_ns;
  spec.nic_pipeline = 300_ns;
  return spec;
}

inline FatTreeSpec fat_tree(std::uint32_t k) {
  return {k, {400_Gbps, 100_ns}, {400_Gbps, 200_ns}, 500_ns, 300_ns};
}

inline CustomSpec::NodeSpec host(std::string name) { return {std::move(name), false, 1, {}}; }
inline CustomSpec::NodeSpec switch_of_tier(std::string name, std::uint32_t tier) {
  return {std::move(name), true, tier, {}};
}
inline CustomSpec::LinkEntry link(std::string from, std::string to, std::uint32_t count = 1,
                                  BitsPerSecond rate = 100_Gbps) {
  return {std::move(from), std::move(to), {rate, 1_us}, count};
}

/// A fabric and its routes; a test that cannot build them fails.
struct Network {
  explicit Network(const TopologySpec& spec) {
    auto built = build_fabric(spec);
    if (!built) {
      ADD_FAILURE() << built.errors().front().to_string();
      return;
    }
    fabric = std::move(built).value();
    auto routed = build_routes(fabric, spec);
    if (!routed) {
      ADD_FAILURE() << routed.errors().front().to_string();
      return;
    }
    routes = std::move(routed).value();
  }
  Fabric fabric;
  Routes routes;
};

/// Of packets that leave by all links of the source.
inline std::vector<PathHop> sprayed_hops(const Network& net, HostId source, HostId destination) {
  const auto first = first_links(net.fabric, net.routes, source, destination);
  return sprayed_path(net.fabric, net.routes, first, destination).hops;
}

}  // namespace weft::topologies
