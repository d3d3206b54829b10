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
  return selection_text(*links_of(fault));
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
  std::vector<std::string> lines;
  const std::size_t all = scenario.link_changes.size() + scenario.faults.size();
  if (all == 0) return lines;
  const FabricNames names(fabric);
  Errors errors;  // none: the fabric was built, and the faults were resolved
  for (std::size_t i = 0; i < std::min(scenario.link_changes.size(), kMaxLines); ++i) {
    const std::string path = fmt::format("links.changes[{}]", i);
    const LinkSelection& links = scenario.link_changes[i].links;
    lines.push_back(fmt::format("{} ({}): {}", path, selection_text(links),
                                directions_text(fabric, names.ports(links, path, errors), 2)));
  }
  for (std::size_t i = 0; i < scenario.faults.size() && lines.size() < kMaxLines; ++i) {
    const std::string path = fmt::format("faults[{}]", i);
    const FaultSpec& fault = scenario.faults[i];
    const bool is_pause = fault.kind() == protocols::Fault::Kind::kNicPause;
    lines.push_back(
        fmt::format("{} ({}): {}", path, subject_text(fault),
                    directions_text(fabric, fault_ports(fabric, names, fault, path, errors),
                                    is_pause ? 1 : 2)));
  }
  if (all > lines.size()) lines.push_back(fmt::format("and {} more", all - lines.size()));
  return lines;
}

}  // namespace weft::scenarios
