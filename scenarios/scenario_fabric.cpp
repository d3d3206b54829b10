#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenarios/load_scenario.hpp"
#include "simcore/nearest.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

/// Applies changed links to a fabric that nobody else has yet.
class LinkChanger {
 public:
  explicit LinkChanger(Fabric& fabric) : fabric_(fabric) {
    for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
      nodes_.emplace(fabric.nodes[i].name, NodeId(i));
    }
  }

  void apply(const LinkChange& change, const std::string& path) {
    const NodeId from = find(change.from, path + ".from");
    const NodeId to = change.to.empty() ? NodeId::none() : find(change.to, path + ".to");
    if (from.is_none() || (to.is_none() && !change.to.empty())) return;
    const Node& node = fabric_.node(from);
    bool is_found = false;
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      const PortId port(node.first_port.value() + i);
      if (!to.is_none() && fabric_.peer_node(port) != to) continue;
      is_found = true;
      set(port, change);
      set(fabric_.port(port).peer, change);
    }
    if (!is_found) {
      errors.push_back({"no link joins `" + change.from + "` and `" + change.to + "`",
                        {{}, 0, 0, path + ".to"}});
    }
  }

  Errors errors;

 private:
  NodeId find(const std::string& name, const std::string& key) {
    const auto found = nodes_.find(name);
    if (found != nodes_.end()) return found->second;
    std::vector<std::string> names;
    for (const Node& node : fabric_.nodes) names.push_back(node.name);
    errors.push_back(
        {"`" + name + "` is no node of the fabric" + did_you_mean(name, names), {{}, 0, 0, key}});
    return NodeId::none();
  }

  void set(PortId port, const LinkChange& change) {
    if (change.rate) fabric_.ports[port.value()].rate = *change.rate;
    if (change.latency) fabric_.ports[port.value()].wire_latency = *change.latency;
  }

  Fabric& fabric_;
  std::unordered_map<std::string, NodeId> nodes_;
};

}  // namespace

Result<Fabric> build_scenario_fabric(const Scenario& scenario) {
  Result<Fabric> fabric = topologies::build_fabric(scenario.topology);
  if (!fabric.ok() || scenario.link_changes.empty()) return fabric;
  LinkChanger changer(fabric.value());
  for (std::size_t i = 0; i < scenario.link_changes.size(); ++i) {
    changer.apply(scenario.link_changes[i], "links.changes[" + std::to_string(i) + "]");
  }
  if (!changer.errors.empty()) return changer.errors;
  return fabric;
}

}  // namespace weft::scenarios
