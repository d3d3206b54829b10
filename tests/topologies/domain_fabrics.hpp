#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "topologies/assembly/assembler.hpp"

/// Fabrics with scale-up domains, wired by hand.
namespace weft::topologies {

/// Links of NVLink 5: 50 GB/s per direction.
inline constexpr LinkSpec kNvlink{400_Gbps, 20_ns};
inline constexpr LinkSpec kNicLink{400_Gbps, 100_ns};

inline Fabric finished(Assembler assembler) {
  auto built = std::move(assembler).finish();
  if (!built) {
    ADD_FAILURE() << built.errors().front().to_string();
    return {};
  }
  return std::move(built).value();
}

/// Domains of `gpus` GPUs with a link to each of their `switches` scale-up switches, and behind
/// them a leaf-spine of `rails` leaves: GPU i of a domain is on leaf i modulo rails. No rails: no
/// scale-out network.
struct PartFabric {
  std::uint32_t domains = 1;
  std::uint32_t gpus = 72;
  std::uint32_t switches = 18;
  std::uint32_t rails = 0;
  std::uint32_t leaves_per_rail = 1;  ///< domains are split over them in order
  std::uint32_t spines = 0;
  std::uint32_t links_per_pair = 1;  ///< between a leaf and a spine

  [[nodiscard]] Fabric build() const {
    Assembler assembler;
    for (std::uint32_t i = 0; i < domains * gpus; ++i) {
      assembler.add_host("d" + std::to_string(i / gpus) + "-g" + std::to_string(i % gpus),
                         static_cast<std::int32_t>(i / gpus), 0_ps);
    }
    for (std::uint32_t i = 0; i < domains * switches; ++i) {
      assembler.add_switch(
          "d" + std::to_string(i / switches) + "-chip" + std::to_string(i % switches), 1,
          static_cast<std::int32_t>(i / switches), 100_ns);
    }
    const std::uint32_t leaves = rails * leaves_per_rail;
    for (std::uint32_t i = 0; i < leaves; ++i) {
      assembler.add_switch("leaf" + std::to_string(i), 1, -1, 500_ns);
    }
    for (std::uint32_t i = 0; i < spines; ++i) {
      assembler.add_switch("spine" + std::to_string(i), 2, -1, 500_ns);
    }
    add_cables(assembler);
    // Domains without a network between them are not in one piece: their test builds one.
    Fabric fabric = finished(std::move(assembler));
    mark(fabric);
    return fabric;
  }

 private:
  [[nodiscard]] std::uint32_t first_leaf() const { return domains * (gpus + switches); }

  void add_cables(Assembler& assembler) const {
    const std::uint32_t hosts = domains * gpus;
    const std::uint32_t leaves = rails * leaves_per_rail;
    for (std::uint32_t i = 0; i < hosts; ++i) {
      const std::uint32_t domain = i / gpus;
      for (std::uint32_t chip = 0; chip < switches; ++chip) {
        assembler.add_cable({NodeId(i), NodeId(hosts + domain * switches + chip), kNvlink});
      }
      if (rails == 0) continue;
      const std::uint32_t leaf =
          i % gpus % rails * leaves_per_rail + domain * leaves_per_rail / domains;
      assembler.add_cable({NodeId(i), NodeId(first_leaf() + leaf), kNicLink});
    }
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      for (std::uint32_t spine = 0; spine < spines; ++spine) {
        for (std::uint32_t i = 0; i < links_per_pair; ++i) {
          assembler.add_cable(
              {NodeId(first_leaf() + leaf), NodeId(first_leaf() + leaves + spine), kNicLink});
        }
      }
    }
  }

  void mark(Fabric& fabric) const {
    for (std::uint32_t i = 0; i < domains * (gpus + switches) && i < fabric.nodes.size(); ++i) {
      Node& node = fabric.nodes[i];
      const bool is_scale_up_switch = i >= domains * gpus;
      const std::uint32_t of_kind = is_scale_up_switch ? i - domains * gpus : i;
      node.domain = static_cast<std::int32_t>(of_kind / (is_scale_up_switch ? switches : gpus));
      if (is_scale_up_switch) node.network = NetworkKind::kScaleUp;
      if (!is_scale_up_switch && rails > 0)
        node.rail = static_cast<std::int32_t>(of_kind % gpus % rails);
    }
  }
};

/// 72 GPUs with a link to each of 18 scale-up switches.
inline Fabric nvl72_fabric() { return PartFabric{}.build(); }

/// 8 x NVL72 on four rails of eight leaves (18 GPUs each), non-blocking to nine spines.
inline Fabric superpod_fabric() {
  return PartFabric{
      .domains = 8, .rails = 4, .leaves_per_rail = 8, .spines = 9, .links_per_pair = 2}
      .build();
}

/// 16 GPUs on two boards of six scale-up switches; every GPU has one link to each scale-up switch
/// of its board, every scale-up switch eight trunks to its counterpart on the other board.
inline Fabric two_boards_fabric() {
  Assembler assembler;
  for (std::uint32_t i = 0; i < 16; ++i) assembler.add_host("g" + std::to_string(i), 0, 0_ps);
  for (std::uint32_t i = 0; i < 12; ++i) {
    assembler.add_switch("chip" + std::to_string(i), 1, 0, 100_ns);
  }
  for (std::uint32_t gpu = 0; gpu < 16; ++gpu) {
    for (std::uint32_t chip = 0; chip < 6; ++chip) {
      assembler.add_cable({NodeId(gpu), NodeId(16 + gpu / 8 * 6 + chip), {200_Gbps, 20_ns}});
    }
  }
  for (std::uint32_t chip = 0; chip < 6; ++chip) {
    for (int i = 0; i < 8; ++i) {
      assembler.add_cable({NodeId(16 + chip), NodeId(22 + chip), {200_Gbps, 20_ns}});
    }
  }
  Fabric fabric = finished(std::move(assembler));
  for (Node& node : fabric.nodes) {
    node.domain = 0;
    if (node.kind == NodeKind::kSwitch) node.network = NetworkKind::kScaleUp;
  }
  return fabric;
}

/// `planes` leaf-spines over the same hosts, each of which has one link to a leaf of every plane.
inline Fabric planes_fabric(std::uint32_t planes, std::uint32_t leaves,
                            std::uint32_t hosts_per_leaf, std::uint32_t spines) {
  Assembler assembler;
  const std::uint32_t hosts = leaves * hosts_per_leaf;
  for (std::uint32_t i = 0; i < hosts; ++i) {
    assembler.add_host("h" + std::to_string(i), static_cast<std::int32_t>(i / hosts_per_leaf),
                       0_ps);
  }
  for (std::uint32_t i = 0; i < planes * leaves; ++i) {
    assembler.add_switch("leaf" + std::to_string(i), 1, -1, 500_ns);
  }
  for (std::uint32_t i = 0; i < planes * spines; ++i) {
    assembler.add_switch("spine" + std::to_string(i), 2, -1, 500_ns);
  }
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    for (std::uint32_t i = 0; i < hosts; ++i) {
      const std::uint32_t leaf = plane * leaves + i / hosts_per_leaf;
      assembler.add_cable({NodeId(i), NodeId(hosts + leaf), {200_Gbps, 100_ns}});
    }
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      for (std::uint32_t spine = 0; spine < spines; ++spine) {
        assembler.add_cable({NodeId(hosts + plane * leaves + leaf),
                             NodeId(hosts + planes * leaves + plane * spines + spine),
                             {200_Gbps, 100_ns}});
      }
    }
  }
  return finished(std::move(assembler));
}

}  // namespace weft::topologies
