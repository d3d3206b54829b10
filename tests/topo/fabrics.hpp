#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/topologies/machines.hpp"
#include "tests/topologies/specs.hpp"

/// Fabrics that pictures and reports are tried on.
namespace weft::testing {

using topologies::Network;
using topologies::TopologySpec;

inline TopologySpec lone_nvl72() {
  topologies::ServerPart part = topologies::nvl72();
  part.nics = 0;
  part.rails = 0;
  return topologies::SingleDomainSpec{.racks = {topologies::racks_of(1, 1, part)}};
}

inline TopologySpec lone_dgx_2() {
  topologies::ServerPart part = topologies::dgx_2();
  part.nics = 0;
  return topologies::SingleDomainSpec{.racks = {topologies::racks_of(1, 1, part)}};
}

/// 8 x NVL72 on four rails: a group of two racks has a leaf per rail, 36 GPUs under it.
inline TopologySpec superpod() {
  topologies::ClosSpec spec =
      topologies::clos({topologies::racks_of(8, 1, topologies::nvl72())}, 9);
  spec.attachment = topologies::ClosSpec::Attachment::kRail;
  spec.group = 2;
  spec.links_per_pair = 4;
  return spec;
}

/// Nine HGX servers in three racks, rail-optimised.
inline TopologySpec nine_hgx() {
  topologies::ClosSpec spec =
      topologies::clos({topologies::racks_of(3, 3, topologies::hgx_h100())}, 4);
  spec.attachment = topologies::ClosSpec::Attachment::kRail;
  spec.group = 9;
  return spec;
}

/// Servers whose eight GPUs share four NICs, in two planes.
inline TopologySpec shared_nics() {
  topologies::ServerPart part = topologies::server(8, 4);
  part.scale_up = topologies::scale_up(2, {4}, 200_Gbps);
  part.nic.ports = 2;
  topologies::ClosSpec spec = topologies::clos({topologies::racks_of(2, 2, part)}, 2);
  spec.planes = 2;
  return spec;
}

/// Two NVL72 racks, four racks of four HGX servers, three of hosts without GPUs, each rack on a
/// leaf.
inline TopologySpec mixed_racks() {
  return topologies::clos({topologies::racks_of(2, 1, topologies::nvl72()),
                           topologies::racks_of(4, 4, topologies::hgx_h100()),
                           topologies::racks_of(3, 16, topologies::server(0, 1))},
                          4);
}

/// Switches s0 ... s5 in a ring, each with a host.
inline TopologySpec ring() {
  topologies::CustomSpec spec;
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    spec.nodes.push_back(topologies::host("h" + number));
    spec.nodes.push_back(topologies::switch_of_tier("s" + number, 1));
    spec.links.push_back(topologies::link("h" + number, "s" + number));
    spec.links.push_back(topologies::link("s" + number, "s" + std::to_string((i + 1) % 6)));
  }
  return spec;
}

inline std::vector<std::pair<std::string, TopologySpec>> all_fabrics() {
  return {{"10 nodes", topologies::leaf_spine(2, 3, 2)},
          {"8 racks", topologies::leaf_spine(8, 8, 4)},
          {"200 nodes", topologies::leaf_spine(12, 15, 8)},
          {"2,000 nodes", topologies::leaf_spine(64, 30, 16)},
          {"one rack", topologies::leaf_spine(1, 16, 1)},
          {"fat tree 4", topologies::fat_tree(4)},
          {"fat tree 16", topologies::fat_tree(16)},
          {"NVL72", lone_nvl72()},
          {"DGX-2", lone_dgx_2()},
          {"SuperPOD", superpod()},
          {"nine HGX", nine_hgx()},
          {"mixed racks", mixed_racks()},
          {"shared NICs", shared_nics()},
          {"ring", ring()}};
}

}  // namespace weft::testing
