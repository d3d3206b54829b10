#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "scenarios/build/resolve_faults.hpp"
#include "scenarios/checks/odd/cable_keys.hpp"
#include "scenarios/checks/odd/cabling.hpp"
#include "scenarios/checks/odd/odd_ones.hpp"
#include "scenarios/text/format.hpp"
#include "topologies/list.hpp"

namespace weft::scenarios {
namespace {

/// A fabric as servers, switches and cables. A NIC is a host, or a node between GPUs and leaves.
class FabricCabling {
 public:
  explicit FabricCabling(const Fabric& fabric, bool names_servers)
      : fabric_(fabric), names_servers_(names_servers), place_of_(fabric.nodes.size()) {
    for (std::size_t i = 0; i < fabric.nodes.size(); ++i) add_node(NodeId(i));
    for (std::size_t i = 0; i < fabric.ports.size(); ++i) add_cable(PortId(i));
  }

  [[nodiscard]] const Cabling& cabling() const { return cabling_; }
  [[nodiscard]] PortId port(std::size_t cable) const { return ports_[cable]; }
  [[nodiscard]] NodeId node(const Cabling::End& end) const {
    return end.is_server ? nics_[end.device][end.nic] : switches_[end.device];
  }

 private:
  static bool is_nic(const Node& node) { return node.kind == NodeKind::kHost ? true : node.is_nic; }

  void add_node(NodeId id) {
    const Node& node = fabric_.node(id);
    if (node.kind == NodeKind::kSwitch && !node.is_nic) {
      if (node.network == NetworkKind::kScaleUp) return;
      place_of_[id.value()] = {false, switches_.size(), 0};
      cabling_.switches.push_back({node.name, node.tier});
      switches_.push_back(id);
      return;
    }
    if (!has_cable_of_its_own(id)) return;
    const std::string server = server_of(id);
    const auto [it, is_new] = servers_.try_emplace(server, cabling_.servers.size());
    if (is_new) {
      cabling_.servers.push_back({names_servers_ ? server : "", {}});
      nics_.emplace_back();
    }
    Cabling::Server& own = cabling_.servers[it->second];
    place_of_[id.value()] = {true, it->second, own.nics.size()};
    own.nics.push_back(names_servers_ ? node.name.substr(server.size() + 1) : node.name);
    nics_[it->second].push_back(id);
  }

  /// A GPU whose NIC is a node has none; one without any link out may miss it.
  [[nodiscard]] bool has_cable_of_its_own(NodeId id) const {
    for (const Port& port : fabric_.ports_of(id)) {
      const Node& peer = fabric_.node(fabric_.port(port.peer).node);
      if (peer.kind == NodeKind::kSwitch && !peer.is_nic &&
          peer.network == NetworkKind::kScaleOut) {
        return true;
      }
    }
    if (!names_servers_ || fabric_.node(id).kind != NodeKind::kHost) return false;
    return std::ranges::none_of(fabric_.ports_of(id), [this](const Port& port) {
      return fabric_.node(fabric_.port(port.peer).node).is_nic;
    });
  }

  [[nodiscard]] std::string server_of(NodeId id) const {
    const Node& node = fabric_.node(id);
    if (names_servers_) return node.name.substr(0, node.name.rfind('/'));
    return node.domain < 0 ? node.name : fmt::format("/{}", node.domain);
  }

  void add_cable(PortId id) {
    const Port& port = fabric_.port(id);
    if (fabric_.network_of(id) != NetworkKind::kScaleOut) return;
    const Node& a = fabric_.node(port.node);
    const Node& b = fabric_.node(fabric_.peer_node(id));
    if (is_nic(b) || (!is_nic(a) && port.peer < id)) return;
    cabling_.cables.push_back(
        {place_of_[port.node.value()], place_of_[fabric_.peer_node(id).value()], port.rate, {}});
    ports_.push_back(id);
  }

  const Fabric& fabric_;
  bool names_servers_;
  Cabling cabling_;
  std::map<std::string, std::size_t> servers_;
  std::vector<NodeId> switches_;
  std::vector<std::vector<NodeId>> nics_;
  std::vector<PortId> ports_;           ///< by cable
  std::vector<Cabling::End> place_of_;  ///< by NodeId
};

OddOne placed(const OddCable& odd, const FabricCabling& fabric, const CableKeys& keys) {
  OddOne one{.text = odd.text};
  for (const std::size_t cable : odd.cables) one.ports.push_back(fabric.port(cable));
  for (const Cabling::End& end : odd.ends) one.nodes.push_back(fabric.node(end));
  if (!one.ports.empty()) {
    one.where.key = keys.of(one.ports.front());
  } else if (!odd.ends.empty()) {
    one.where.key = keys.of_node(fabric.cabling().name_of(odd.ends.front()));
  }
  return one;
}

/// Cables that are slow, or dead, from the beginning to the end of a run.
void add_lasting_faults(const Scenario& scenario, const Fabric& fabric,
                        std::vector<OddOne>& found) {
  const FabricNames names(fabric);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const FaultSpec& fault = scenario.faults[i];
    const auto* slow = std::get_if<LinkRate>(&fault.what);
    const auto* down = std::get_if<LinkDown>(&fault.what);
    if ((slow == nullptr && down == nullptr) || fault.at > Picoseconds() || fault.until) continue;
    Errors ignored;
    const std::string key = fmt::format("faults[{}]", i);
    OddOne one{.where = {.key = key}, .ports = fault_ports(fabric, names, fault, key, ignored)};
    if (one.ports.empty()) continue;
    const LinkSelection& links = slow != nullptr ? slow->links : down->links;
    const std::string who = links.to.empty() ? links.from : links.from + " to " + links.to;
    one.text =
        slow == nullptr
            ? who + " is down"
            : fmt::format(
                  "{} runs at {} of {}", who, format_rate(static_cast<double>(slow->rate.count())),
                  format_rate(static_cast<double>(fabric.port(one.ports.front()).rate.count())));
    found.push_back(std::move(one));
  }
}

}  // namespace

std::vector<OddOne> odd_cables_of(const Scenario& scenario, const Fabric& fabric) {
  std::vector<OddOne> found;
  const bool is_by_name = std::holds_alternative<topologies::CabledSpec>(scenario.topology) ||
                          std::holds_alternative<topologies::CustomSpec>(scenario.topology);
  // Topologies of parameters are regular but for what is changed in them.
  if (is_by_name || !scenario.link_changes.empty()) {
    const FabricCabling cabling(fabric,
                                std::holds_alternative<topologies::CabledSpec>(scenario.topology));
    const std::vector<OddCable> odd = find_odd_cables(cabling.cabling());
    if (!odd.empty()) {
      const CableKeys keys(scenario, fabric);
      for (const OddCable& one : odd) found.push_back(placed(one, cabling, keys));
    }
  }
  add_lasting_faults(scenario, fabric, found);
  return found;
}

}  // namespace weft::scenarios
