#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/changed_links.hpp"
#include "scenarios/build/fabric_names.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::scenarios {
namespace {

/// Applies changed links to a fabric that nobody else has yet.
class LinkChanger {
 public:
  explicit LinkChanger(Fabric& fabric) : fabric_(fabric), names_(fabric) {}

  void apply(const LinkChange& change, const std::string& path) {
    if (errors.size() >= kMaxErrors) return;
    for (const PortId port : names_.ports(change.links, path, errors)) {
      set(port, change);
      set(fabric_.port(port).peer, change);
    }
  }

  Errors errors;

 private:
  /// Looking for the nearest name takes time on a large fabric.
  static constexpr std::size_t kMaxErrors = 50;

  void set(PortId port, const LinkChange& change) {
    Port& changed = fabric_.ports[port.value()];
    if (change.link.rate) set_rate(port, *change.link.rate);
    changed.wire_latency = change.link.wire_latency().value_or(changed.wire_latency);
    changed.errors = change.link.errors.given().value_or(changed.errors);
  }

  /// A link that several ports share is one.
  void set_rate(PortId port, BitsPerSecond rate) {
    for (const PortId sharer : sharers_of(fabric_, port)) {
      fabric_.ports[sharer.value()].rate = rate;
    }
  }

  Fabric& fabric_;
  FabricNames names_;
};

/// Links of scale-up domains retransmit corrupted frames, link by link, and so hide their errors.
Result<Fabric> without_errors_inside_domains(Result<Fabric> fabric) {
  const Fabric& f = fabric.value();
  for (std::uint32_t i = 0; i < f.ports.size(); ++i) {
    if (!f.ports[i].errors.any() || f.network_of(PortId(i)) != NetworkKind::kScaleUp) continue;
    return Error{f.port_name(PortId(i)) +
                     " belongs to a scale-up domain, whose links retransmit corrupted frames; only "
                     "links of the scale-out network can have bit_error_rate or frame_loss_rate",
                 {{}, 0, 0, "links"}};
  }
  return fabric;
}

}  // namespace

Result<Fabric> build_scenario_fabric(const Scenario& scenario) {
  Result<Fabric> fabric = topologies::build_fabric(scenario.topology);
  if (!fabric.ok()) return fabric;
  if (Errors errors = change_buffers(scenario, fabric.value()); !errors.empty()) return errors;
  if (scenario.link_changes.empty()) return without_errors_inside_domains(std::move(fabric));
  LinkChanger changer(fabric.value());
  for (std::size_t i = 0; i < scenario.link_changes.size(); ++i) {
    changer.apply(scenario.link_changes[i], "links.changes[" + std::to_string(i) + "]");
  }
  if (!changer.errors.empty()) return changer.errors;
  return without_errors_inside_domains(std::move(fabric));
}

}  // namespace weft::scenarios
