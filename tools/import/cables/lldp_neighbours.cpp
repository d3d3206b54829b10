#include "tools/import/cables/lldp_neighbours.hpp"

#include <fmt/format.h>

#include <utility>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {

void LldpNeighbours::add(const LldpNeighbour& neighbour) {
  const auto local = reading_.name(neighbour.local_port, "a port", neighbour.where);
  const auto device = reading_.name(neighbour.device, "a neighbour", neighbour.where);
  // Hosts send a MAC as id of the port and its name as description; SONiC sends its alias as id.
  const bool is_address = is_mac(neighbour.port_id);
  if (is_address && neighbour.description.empty()) {
    reading_.warning(neighbour.where,
                     fmt::format("the neighbour of {} names its port by the address {} alone",
                                 backquoted(neighbour.local_port), backquoted(neighbour.port_id)));
  }
  const bool takes_description = is_address && !neighbour.description.empty();
  const auto port =
      reading_.name(takes_description ? neighbour.description : neighbour.port_id,
                    fmt::format("the port of {}", backquoted(neighbour.device)), neighbour.where);
  if (!local || !device || !port) return;
  if (neighbour.is_nameless) {
    reading_.warning(neighbour.where,
                     fmt::format("the neighbour of {} has no name but {}: firmware of a NIC may "
                                 "have answered for its host",
                                 backquoted(*local), backquoted(*device)));
  }
  Cable cable;
  cable.a = {"", *local};
  cable.b = {*device, *port, !takes_description && !neighbour.is_interface_name};
  if (!takes_description && !neighbour.description.empty()) {
    cable.note = reading_.name(neighbour.description, "a port's description", neighbour.where);
  }
  cable.known_by = Knowledge::kSeen;
  cable.where = neighbour.where;
  Device& known = devices_.try_emplace(*device).first->second;
  known.name = *device;
  if (known.where.line == 0) known.where = neighbour.where;
  // A host with containers bridges, too; one that routes and bridges is a switch.
  if (neighbour.is_bridge && neighbour.is_router) known.kind = DeviceKind::kSwitch;
  if (neighbour.is_station) known.kind = DeviceKind::kServer;
  cables_.add(std::move(cable));
}

std::string LldpNeighbours::finish() {
  for (auto& [name, device] : devices_) reading_.found.devices.push_back(std::move(device));
  if (cables_.size() == 0 && !reading_.has_errors()) {
    reading_.error({}, "holds no neighbour: does LLDP run on both ends?");
  }
  return counted(cables_.size(), "neighbour");
}

}  // namespace weft::import
