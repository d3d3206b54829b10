#include "topologies/clos/leaf_spine.hpp"

namespace weft::topologies {

ClosSpec clos_of(const LeafSpineSpec& spec) {
  RackSpec rack{.count = spec.racks, .servers = spec.servers_per_rack, .access = spec.access};
  rack.server.nics = spec.nics_per_server;
  rack.server.nic.receive_latency = spec.nic_pipeline;
  ClosSpec clos;
  clos.racks = {rack};
  clos.spines = spec.spines;
  clos.links_per_pair = spec.links_per_pair;
  clos.uplink = spec.uplink;
  // Buffers are those that the configuration of all switches says.
  clos.leaf = clos.spine = {.buffer = 0_B, .cell = 0_B, .latency = spec.switch_pipeline};
  clos.routing = spec.routing;
  return clos;
}

}  // namespace weft::topologies
