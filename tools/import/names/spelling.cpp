#include "tools/import/names/spelling.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/reading.hpp"
#include "tools/import/parse/text_parts.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

/// Calls `visit(name, place)` with every name of a device.
template <class Visit>
void visit_names(Description& description, const Visit& visit) {
  for (Cable& cable : description.cables) {
    visit(cable.a.device, cable.where);
    visit(cable.b.device, cable.where);
  }
  for (Server& server : description.servers) {
    if (server.host) visit(*server.host, server.where);
  }
  for (SwitchSettings& settings : description.switches) {
    if (settings.name) visit(*settings.name, settings.where);
  }
  for (Device& device : description.devices) visit(device.name, device.where);
  for (Placement& placement : description.placements) {
    visit(placement.node, placement.where);
    visit(placement.group, placement.where);
  }
  for (SwitchParent& parent : description.parents) {
    visit(parent.child, parent.where);
    visit(parent.parent, parent.where);
  }
}

using Spellings = std::map<std::string, SourceLocation>;

const std::string& best_of(const Spellings& spellings) {
  for (const auto& [spelling, place] : spellings) {
    if (spelling == lower_case(spelling)) return spelling;
  }
  return spellings.begin()->first;
}

}  // namespace

void spell_alike(Description& description) {
  std::map<std::string, Spellings, CaselessOrder> names;
  visit_names(description, [&names](const std::string& name, const SourceLocation& where) {
    Spellings& spellings = names.try_emplace(name).first->second;
    const auto [known, is_new] = spellings.try_emplace(name, where);
    // Whatever the order of the files is, the place is the same.
    if (!is_new &&
        std::tie(where.file, where.line) < std::tie(known->second.file, known->second.line)) {
      known->second = where;
    }
  });
  std::erase_if(names, [](const auto& name) { return name.second.size() < 2; });
  if (names.empty()) return;
  visit_names(description, [&names](std::string& name, const SourceLocation&) {
    const auto found = names.find(name);
    if (found != names.end()) name = best_of(found->second);
  });
  const Spellings& first = names.begin()->second;
  const std::string& best = best_of(first);
  const auto other = first.begin()->first == best ? std::next(first.begin()) : first.begin();
  add_warning(description.remarks, other->second,
              fmt::format("{} is {} of {}: case does not count in names of devices{}",
                          backquoted(other->first), backquoted(best), short_place(first.at(best)),
                          names.size() == 1 ? ""
                                            : fmt::format(", also of {}", counted(names.size() - 1,
                                                                                  "more device"))));
}

}  // namespace weft::import
