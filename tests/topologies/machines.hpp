#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "topologies/list.hpp"

/// Servers with the structure of machines that exist (latencies are made up, to be told apart), and
/// what flows between two sets of hosts at most.
namespace weft::topologies {

inline ScaleUpPart scale_up(std::uint32_t switches, std::vector<std::uint32_t> links,
                            BitsPerSecond rate) {
  ScaleUpPart part;
  part.switches = switches;
  part.links_per_switch = std::move(links);
  part.rate = rate;
  part.link_latency = 20_ns;
  part.gpu_latency = 150_ns;
  part.send_latency = 40_ns;
  part.switch_latency = 100_ns;
  return part;
}

inline ServerPart server(std::uint32_t gpus, std::uint32_t nics, std::uint32_t rails = 0) {
  ServerPart part;
  part.gpus = gpus;
  part.nics = nics;
  part.rails = rails;
  part.nic.send_latency = 500_ns;
  part.nic.receive_latency = 300_ns;
  part.host_link.latency = 200_ns;
  return part;
}

/// DGX-2: 16 V100 on two boards of 6 scale-up switches, 6 links per GPU of 25 GB/s, 8 trunks per
/// pair of scale-up switches.
inline ServerPart dgx_2() {
  ServerPart part = server(16, 8);
  part.scale_up = scale_up(12, {1}, 200_Gbps);
  part.scale_up->boards = 2;
  part.scale_up->trunks = 8;
  return part;
}

/// DGX A100: 8 GPUs, 6 scale-up switches, 12 links per GPU of 25 GB/s, 2 to each scale-up switch.
inline ServerPart dgx_a100() {
  ServerPart part = server(8, 8);
  part.scale_up = scale_up(6, {2}, 200_Gbps);
  return part;
}

/// HGX H100: 8 GPUs, 4 scale-up switches, 18 links per GPU of 25 GB/s, 5, 4, 4, 5 to the scale-up
/// switches.
inline ServerPart hgx_h100() {
  ServerPart part = server(8, 8);
  part.scale_up = scale_up(4, {5, 4, 4, 5}, 200_Gbps);
  return part;
}

/// GB200 NVL72: 72 GPUs, 18 scale-up switches, 18 links per GPU of 50 GB/s, one to each scale-up
/// switch; 4 rails.
inline ServerPart nvl72() {
  ServerPart part = server(72, 72, 4);
  part.scale_up = scale_up(18, {1}, 400_Gbps);
  return part;
}

inline RackSpec racks_of(std::uint32_t count, std::uint32_t servers, ServerPart part) {
  return {
      .count = count, .servers = servers, .server = std::move(part), .access = {400_Gbps, 50_ns}};
}

/// Two tiers over racks, 400 Gbps everywhere.
inline ClosSpec clos(std::vector<RackSpec> racks, std::uint32_t spines) {
  ClosSpec spec;
  spec.racks = std::move(racks);
  spec.spines = spines;
  spec.uplink = spec.super_uplink = {400_Gbps, 200_ns};
  spec.leaf.latency = spec.spine.latency = spec.super_spine.latency = 500_ns;
  return spec;
}

/// What hosts where `is_source` can send to all others at once over one network, in Gbps: the
/// maximum flow, with hosts that do not forward.
inline std::int64_t max_flow_gbps(const Fabric& fabric, NetworkKind network,
                                  const std::function<bool(std::uint32_t)>& is_source) {
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Edge = Traits::edge_descriptor;
  using EdgeProperty =
      boost::property<boost::edge_capacity_t, std::int64_t,
                      boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                      boost::property<boost::edge_reverse_t, Edge>>>;
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS,
                                      boost::no_property, EdgeProperty>;
  const std::size_t source = fabric.nodes.size();
  Graph graph(source + 2);
  const auto add = [&](std::size_t from, std::size_t to, std::int64_t capacity) {
    const Edge there = boost::add_edge(from, to, graph).first;
    const Edge back = boost::add_edge(to, from, graph).first;
    boost::put(boost::edge_capacity, graph, there, capacity);
    boost::put(boost::edge_capacity, graph, back, 0);
    boost::put(boost::edge_reverse, graph, there, back);
    boost::put(boost::edge_reverse, graph, back, there);
  };
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    if (fabric.network_of(PortId(p)) != network) continue;
    const Node& from = fabric.node(fabric.ports[p].node);
    const Node& to = fabric.node(fabric.peer_node(PortId(p)));
    const bool ends_early = from.kind == NodeKind::kHost && !is_source(from.index);
    const bool starts_late = to.kind == NodeKind::kHost && is_source(to.index);
    if (ends_early || starts_late) continue;
    add(fabric.ports[p].node.value(), fabric.peer_node(PortId(p)).value(),
        fabric.ports[p].rate.count() / 1'000'000'000);
  }
  constexpr std::int64_t kNoLimit = 1'000'000'000;
  for (std::uint32_t h = 0; h < fabric.hosts.size(); ++h) {
    if (is_source(h)) add(source, fabric.hosts[h].value(), kNoLimit);
    if (!is_source(h)) add(fabric.hosts[h].value(), source + 1, kNoLimit);
  }
  return boost::push_relabel_max_flow(graph, source, source + 1);
}

}  // namespace weft::topologies
