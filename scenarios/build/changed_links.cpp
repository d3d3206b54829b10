#include "scenarios/build/changed_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "scenarios/build/fabric_names.hpp"
#include "scenarios/build/resolve_faults.hpp"

namespace weft::scenarios {
namespace {

/// More lines tell nobody anything.
constexpr std::size_t kMaxLines = 20;

std::string selection_text(const LinkSelection& links) {
  return links.to.empty() ? links.from : links.from + " and " + links.to;
}

std::string subject_text(const FaultSpec& fault) {
  if (const auto* pause = std::get_if<NicPause>(&fault.what)) return pause->host;
  if (const auto* off = std::get_if<SwitchDown>(&fault.what)) return off->node;
  std::string text = selection_text(*links_of(fault));
  if (direction_of(fault) == LinkDirection::kOut) text += ", out";
  if (direction_of(fault) == LinkDirection::kIn) text += ", in";
  return text;
}

/// Of a GPU that shares its NIC: its way there is not the NIC's cable.
std::string shared_nic_text(const Fabric& fabric, const LinkSelection& links,
                            const std::vector<PortId>& ports) {
  if (!links.to.empty()) return {};
  for (const PortId port : ports) {
    const Node& peer = fabric.node(fabric.peer_node(port));
    if (!peer.is_nic || fabric.node(fabric.port(port).node).kind != NodeKind::kHost) continue;
    return fmt::format(": its path to {0}, which GPUs share; `from: {0}` names that NIC's cables",
                       peer.name);
  }
  return {};
}

std::string directions_text(const Fabric& fabric, const std::vector<PortId>& ports,
                            std::ptrdiff_t directions_per_port) {
  const std::ptrdiff_t up = directions_per_port * std::ranges::count_if(ports, [&](PortId port) {
                              return fabric.network_of(port) == NetworkKind::kScaleUp;
                            });
  const std::ptrdiff_t out = directions_per_port * std::ssize(ports) - up;
  const char* noun = out + up == 1 ? "direction" : "directions";
  if (out != 0 && up != 0) {
    return fmt::format("{} {} of the scale-out and {} of the scale-up network", out, noun, up);
  }
  return fmt::format("{} {} of the {} network", out + up, noun, up != 0 ? "scale-up" : "scale-out");
}

}  // namespace

std::vector<std::string> describe_changed_links(const Scenario& scenario, const Fabric& fabric) {
  std::vector<std::string> lines = describe_changed_settings(scenario, fabric);
  const std::size_t first = lines.size();
  const std::size_t all = scenario.link_changes.size() + scenario.faults.size();
  if (all == 0) return lines;
  const FabricNames names(fabric);
  Errors errors;  // none: the fabric was built, and the faults were resolved
  for (std::size_t i = 0; i < std::min(scenario.link_changes.size(), kMaxLines); ++i) {
    const std::string path = fmt::format("links.changes[{}]", i);
    const LinkSelection& links = scenario.link_changes[i].links;
    const std::vector<PortId> ports = names.ports(links, path, errors);
    lines.push_back(fmt::format("{} ({}): {}{}", path, selection_text(links),
                                directions_text(fabric, ports, 2),
                                shared_nic_text(fabric, links, ports)));
  }
  for (std::size_t i = 0; i < scenario.faults.size() && lines.size() - first < kMaxLines; ++i) {
    const std::string path = fmt::format("faults[{}]", i);
    const FaultSpec& fault = scenario.faults[i];
    const bool is_one_way = fault.kind() == protocols::Fault::Kind::kNicPause ||
                            direction_of(fault) != LinkDirection::kBoth;
    const std::vector<PortId> ports = fault_ports(fabric, names, fault, path, errors);
    const LinkSelection* links = links_of(fault);
    lines.push_back(fmt::format("{} ({}): {}{}", path, subject_text(fault),
                                directions_text(fabric, ports, is_one_way ? 1 : 2),
                                links == nullptr ? "" : shared_nic_text(fabric, *links, ports)));
  }
  const std::size_t told = lines.size() - first;
  if (all > told) lines.push_back(fmt::format("and {} more", all - told));
  return lines;
}

}  // namespace weft::scenarios
