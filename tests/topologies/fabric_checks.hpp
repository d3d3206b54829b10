#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/routes.hpp"

namespace weft::topologies {

/// What every fabric promises: contiguous ports, symmetric peers, hosts first, switches by tier,
/// ports ordered by the node at the other end.
inline void expect_consistent(const Fabric& fabric) {
  std::uint32_t next_port = 0;
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    const Node& node = fabric.nodes[i];
    EXPECT_EQ(node.first_port.value(), next_port);
    next_port += node.port_count;
    EXPECT_EQ(node.kind == NodeKind::kHost, i < fabric.hosts.size());
    EXPECT_EQ(node.kind == NodeKind::kHost, node.tier == 0);
    if (i > 0) {
      EXPECT_LE(fabric.nodes[i - 1].tier, node.tier);
    }
    const auto& same_kind = node.kind == NodeKind::kHost ? fabric.hosts : fabric.switches;
    EXPECT_EQ(same_kind[node.index].value(), i);
  }
  EXPECT_EQ(fabric.ports.size(), next_port);
  for (std::size_t i = 0; i < fabric.ports.size(); ++i) {
    const Port& port = fabric.ports[i];
    const Port& peer = fabric.port(port.peer);
    EXPECT_EQ(peer.peer.value(), i);
    EXPECT_NE(peer.node, port.node);
    EXPECT_EQ(peer.rate, port.rate);
    EXPECT_EQ(peer.wire_latency, port.wire_latency);
    const Node& node = fabric.node(port.node);
    EXPECT_GE(i, node.first_port.value());
    if (i > node.first_port.value()) {
      EXPECT_LE(fabric.peer_node(PortId(i - 1)), fabric.peer_node(PortId(i)));
    }
  }
}

/// Links and number of the paths that the routes allow from one host to another, over all choices.
/// Fails the test if some path is longer than `max_links` or ends elsewhere.
struct PathCensus {
  std::uint64_t paths = 0;
  std::size_t fewest_links = SIZE_MAX;
  std::size_t max_links = 0;
};

inline void walk(const Fabric& fabric, const Routes& routes, NodeId at, HostId from, HostId to,
                 std::size_t links, PathCensus& census) {
  if (at == fabric.hosts[to.value()]) {
    ++census.paths;
    census.fewest_links = std::min(census.fewest_links, links);
    census.max_links = std::max(census.max_links, links);
    return;
  }
  const Node& node = fabric.node(at);
  ASSERT_TRUE(node.kind == NodeKind::kSwitch || links == 0) << "a packet ended at " << node.name;
  ASSERT_LT(links, 10U) << "a loop through " << node.name;
  const auto next_hops = ports_towards(routes, node, from, to);
  ASSERT_FALSE(next_hops.empty()) << "nowhere to go at " << node.name;
  for (const std::uint16_t local : next_hops) {
    const PortId port(node.first_port.value() + local);
    walk(fabric, routes, fabric.peer_node(port), from, to, links + 1, census);
  }
}

inline PathCensus census_of(const Fabric& fabric, const Routes& routes, HostId from, HostId to) {
  PathCensus census;
  walk(fabric, routes, fabric.hosts[from.value()], from, to, 0, census);
  return census;
}

}  // namespace weft::topologies
