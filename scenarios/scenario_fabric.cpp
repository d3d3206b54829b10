#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/fabric_names.hpp"
#include "scenarios/load_scenario.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

/// Applies changed links to a fabric that nobody else has yet.
class LinkChanger {
 public:
  explicit LinkChanger(Fabric& fabric) : fabric_(fabric), names_(fabric) {}

  void apply(const LinkChange& change, const std::string& path) {
    if (errors.size() >= kMaxErrors) return;
    const NodeId from = find(change.from, path + ".from");
    const NodeId to = change.to.empty() ? NodeId::none() : find(change.to, path + ".to");
    if (from.is_none() || (to.is_none() && !change.to.empty())) return;
    const std::vector<PortId> ports = names_.ports(from, to);
    for (const PortId port : ports) {
      set(port, change);
      set(fabric_.port(port).peer, change);
    }
    if (ports.empty()) {
      errors.push_back({"no link joins `" + change.from + "` and `" + change.to + "`",
                        {{}, 0, 0, path + ".to"}});
    }
  }

  Errors errors;

 private:
  /// Looking for the nearest name takes time on a large fabric.
  static constexpr std::size_t kMaxErrors = 50;

  NodeId find(const std::string& name, const std::string& key) {
    const NodeId node = names_.find(name);
    if (node.is_none()) errors.push_back({names_.unknown(name), {{}, 0, 0, key}});
    return node;
  }

  void set(PortId port, const LinkChange& change) {
    if (change.rate) fabric_.ports[port.value()].rate = *change.rate;
    if (change.latency) fabric_.ports[port.value()].wire_latency = *change.latency;
  }

  Fabric& fabric_;
  FabricNames names_;
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
