#include "topologies/fat_tree/fat_tree.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/schema/schema_builder.hpp"
#include "simcore/text/counted.hpp"
#include "topologies/assembly/assembler.hpp"
#include "topologies/clos/tier_schema.hpp"

namespace weft::topologies {

schema::Object<FatTree> FatTree::schema() {
  return schema::describe<FatTree>("fat-tree", "k-ary tree of three tiers, k^3/4 NIC ports")
      .field("k", &FatTree::k, "ports per switch, an even number")
      .required()
      .range(2, 128)
      .field("planes", &FatTree::planes,
             "trees alike that share nothing but the NICs, whose ports go to all of them")
      .source("one tree")
      .range(1, 64)
      .object("server", &FatTree::server, server_part_schema(),
              "what each server is; its NIC ports in a plane divide k/2")
      .source("400 Gbps per host")
      .default_part("host-400g")
      .group("edge", tier_schema(&FatTree::edge_switch),
             "the switches that servers are attached to")
      .group("aggregation", tier_schema(&FatTree::aggregation_switch), "the switches above")
      .group("core", tier_schema(&FatTree::core_switch), "the top switches")
      .check([](const FatTree& tree, std::vector<schema::Problem>& problems) {
        for (Error& error : check_fat_tree(tree.k, tree.server, tree.planes)) {
          problems.push_back({error.where.key, std::move(error.message)});
        }
      });
}

std::vector<SwitchUse> FatTree::switch_uses() const {
  return {switch_use("edge", edge_switch), switch_use("aggregation", aggregation_switch),
          switch_use("core", core_switch)};
}

std::vector<RackSpec> FatTree::own_racks() const {
  const std::uint32_t ports = server.nics * server.nic.ports / std::max(planes, 1U);
  const std::uint32_t half = k / 2;
  return {{.count = k * half, .servers = ports == 0 ? 0 : half / ports, .server = server}};
}

ClosSpec FatTree::specification(const FabricParts& parts) const {
  Clos keys;
  keys.pods = k;
  keys.planes = planes;
  keys.spines = k / 2;
  keys.super_spines = keys.spines * keys.spines;
  keys.leaf_switch = edge_switch;
  keys.spine_switch = aggregation_switch;
  keys.super_spine_switch = core_switch;
  ClosSpec spec(keys, parts);
  spec.is_fat_tree = true;
  return spec;
}

Errors check_fat_tree(std::uint32_t k, const ServerPart& server, std::uint32_t planes) {
  if (planes == 0) return {error_at("planes", "is 0; at least 1 is needed")};
  if (server.nic.ports % planes != 0) {
    return {error_at("server", "has NICs of " + weft::counted(server.nic.ports, "port") +
                                   "; a NIC has ports to " + weft::counted(planes, "plane") +
                                   ", the same number to each")};
  }
  const std::uint64_t ports = std::uint64_t{server.nics} * (server.nic.ports / planes);
  if (k % 2 != 0) return {error_at("k", "is odd; a k-ary fat tree needs an even k")};
  if (k == 0 || k > kMaxRadix) {
    return {error_at("k", "is not from 2 to " + std::to_string(kMaxRadix - 1))};
  }
  if (ports == 0 || k / 2 % ports != 0) {
    return {error_at("server", "has " + weft::counted(ports, "NIC port") +
                                   (planes > 1 ? " in each plane" : "") + "; an edge switch has " +
                                   weft::counted(k / 2, "port") +
                                   " for servers, which is to be a multiple")};
  }
  return {};
}

Result<ClosSpec> clos_of(const FatTreeSpec& spec) {
  FatTree tree;
  tree.k = spec.k;
  tree.server.nic.receive_latency = spec.nic_pipeline;
  if (Errors errors = check_fat_tree(tree.k, tree.server); !errors.empty()) {
    for (Error& error : errors) error.where.key = "fabric." + error.where.key;
    return errors;
  }
  FabricParts parts;
  parts.racks = tree.own_racks();
  parts.racks.front().access = spec.access;
  parts.uplink = parts.super_uplink = spec.uplink;
  // Buffers are those that the configuration of all switches says.
  parts.switches = {.buffer = 0_B, .cell = 0_B, .latency = spec.switch_pipeline};
  parts.routing = spec.routing;
  return tree.specification(parts);
}

}  // namespace weft::topologies
