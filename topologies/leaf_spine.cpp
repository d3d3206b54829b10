#include "topologies/leaf_spine.hpp"

#include <string>
#include <utility>

#include "topologies/assembler.hpp"

namespace weft::topologies {
namespace {

Errors check(const LeafSpineSpec& spec) {
  Errors errors;
  check_at_least_one(spec.racks, "racks.count", errors);
  check_at_least_one(spec.servers_per_rack, "racks.servers", errors);
  check_at_least_one(spec.nics_per_server, "racks.server.nics", errors);
  check_at_least_one(spec.spines, "fabric.spines", errors);
  check_at_least_one(spec.links_per_pair, "fabric.links_per_pair", errors);
  check_link(spec.access, "links.access", errors);
  check_link(spec.uplink, "links.uplink", errors);
  check_not_negative(spec.switch_pipeline, "fabric.switch", errors);
  check_not_negative(spec.nic_pipeline, "racks.server", errors);
  const std::uint64_t hosts =
      saturating_product(std::uint64_t{spec.racks} * spec.servers_per_rack, spec.nics_per_server);
  const std::uint64_t uplinks =
      saturating_product(std::uint64_t{spec.racks} * spec.spines, spec.links_per_pair);
  check_size(hosts, saturating_product(2, saturating_sum(hosts, uplinks)), errors);
  return errors;
}

}  // namespace

Result<Fabric> build_leaf_spine(const LeafSpineSpec& spec) {
  if (Errors errors = check(spec); !errors.empty()) return errors;
  const std::uint32_t per_rack = spec.servers_per_rack * spec.nics_per_server;
  const std::uint32_t hosts = spec.racks * per_rack;
  Assembler assembler;
  assembler.reserve(hosts + spec.racks + spec.spines,
                    hosts + spec.racks * spec.spines * spec.links_per_pair);
  for (std::uint32_t i = 0; i < hosts; ++i) {
    assembler.add_host("h" + std::to_string(i), static_cast<std::int32_t>(i / per_rack),
                       spec.nic_pipeline);
  }
  for (std::uint32_t rack = 0; rack < spec.racks; ++rack) {
    const NodeId leaf = assembler.add_switch("leaf" + std::to_string(rack), 1,
                                             static_cast<std::int32_t>(rack), spec.switch_pipeline);
    for (std::uint32_t i = 0; i < per_rack; ++i) {
      assembler.add_cable({NodeId(rack * per_rack + i), leaf, spec.access});
    }
  }
  for (std::uint32_t i = 0; i < spec.spines; ++i) {
    const NodeId spine =
        assembler.add_switch("spine" + std::to_string(i), 2, -1, spec.switch_pipeline);
    for (std::uint32_t rack = 0; rack < spec.racks; ++rack) {
      for (std::uint32_t link = 0; link < spec.links_per_pair; ++link) {
        assembler.add_cable({NodeId(hosts + rack), spine, spec.uplink});
      }
    }
  }
  return std::move(assembler).finish();
}

}  // namespace weft::topologies
