#include "topologies/clos/fat_tree.hpp"

#include <string>
#include <utility>

#include "topologies/assembly/assembler.hpp"

namespace weft::topologies {

Errors make_fat_tree(std::uint32_t k, const RackSpec& rack, ClosSpec& clos) {
  if (k < 2 || k % 2 != 0 || k > kMaxRadix) {
    return {error_at("fabric.k", "is " + std::to_string(k) + "; an even number from 2 to " +
                                     std::to_string(kMaxRadix - 1) + " is needed")};
  }
  const std::uint64_t ports = std::uint64_t{rack.server.nics} * rack.server.nic.ports;
  const std::uint32_t half = k / 2;
  if (ports == 0 || half % ports != 0) {
    return {error_at("fabric.server", "has " + std::to_string(ports) +
                                          " ports; they must divide the " + std::to_string(half) +
                                          " ports that an edge switch has for servers")};
  }
  clos.racks = {rack};
  clos.racks.front().count = k * half;
  clos.racks.front().servers = static_cast<std::uint32_t>(half / ports);
  clos.pods = k;
  clos.spines = half;
  clos.super_spines = half * half;
  clos.is_fat_tree = true;
  return {};
}

Result<ClosSpec> clos_of(const FatTreeSpec& spec) {
  RackSpec rack{.access = spec.access};
  rack.server.nic.receive_latency = spec.nic_pipeline;
  ClosSpec clos;
  clos.uplink = clos.super_uplink = spec.uplink;
  // Buffers are those that the configuration of all switches says.
  clos.leaf = clos.spine =
      clos.super_spine = {.buffer = 0_B, .cell = 0_B, .latency = spec.switch_pipeline};
  clos.routing = spec.routing;
  if (Errors errors = make_fat_tree(spec.k, rack, clos); !errors.empty()) return errors;
  return clos;
}

}  // namespace weft::topologies
