#include "scenarios/blame/counterfactual/defect_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/spec/fault_spec.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// `the cable of h5`, `the cable between leaf0 and spine1`.
std::string defect_link_name(const char* what, const LinkSelection& links) {
  if (links.to.empty()) return fmt::format("the {} of {}", what, escaped(links.from));
  return fmt::format("the {} between {} and {}", what, escaped(links.from), escaped(links.to));
}

/// Of a fault, if it is of that kind; empty: it is of another.
std::string defect_name_of(std::string_view what, const FaultSpec& fault) {
  if (what == "nic-pauses") {
    const auto* pause = std::get_if<NicPause>(&fault.what);
    return pause == nullptr ? std::string() : "the NIC of " + escaped(pause->host);
  }
  if (what == "bit-errors") {
    const auto* errors = std::get_if<BitErrors>(&fault.what);
    return errors == nullptr ? std::string() : defect_link_name("cable", errors->links);
  }
  if (what != "link-failures") return {};
  if (const auto* off = std::get_if<SwitchDown>(&fault.what)) return "switch " + escaped(off->node);
  const bool is_down =
      std::holds_alternative<LinkDown>(fault.what) || std::holds_alternative<Flapping>(fault.what);
  return is_down ? defect_link_name("link", *links_of(fault)) : std::string();
}

}  // namespace

std::vector<std::string> defect_names(std::string_view what, const LoadedScenario& scenario) {
  // What all links have is nobody's.
  for (const std::string& part : removable_parts(std::string(what), scenario)) {
    if (!part.starts_with("faults[") && !part.starts_with("links.changes[")) return {};
  }
  std::vector<std::string> names;
  const auto add = [&names](std::string name) {
    if (name.empty() || std::ranges::find(names, name) != names.end()) return;
    names.push_back(std::move(name));
  };
  for (const FaultSpec& fault : scenario.scenario.faults) add(defect_name_of(what, fault));
  if (what != "bit-errors") return names;
  for (const LinkChange& change : scenario.scenario.link_changes) {
    const auto errors = change.link.errors.given();
    if (errors && errors->rate > 0) add(defect_link_name("cable", change.links));
  }
  return names;
}

}  // namespace weft::scenarios
