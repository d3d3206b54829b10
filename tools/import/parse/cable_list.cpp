#include "tools/import/parse/cable_list.hpp"

#include <fmt/format.h>

#include <utility>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

template <class T>
bool same_value(const std::optional<Stated<T>>& a, const std::optional<Stated<T>>& b) {
  return a.has_value() == b.has_value() && (!a || a->value == b->value);
}

std::string shown_port(const PortName& port) {
  if (port.device.empty()) return backquoted(port.port);
  return backquoted(port.device + " " + port.port);
}

/// Ports of names that differ in case alone are of one device.
PortName in_one_case(const PortName& port) {
  return {lower_case(port.device), port.port, port.may_be_alias};
}

}  // namespace

std::string CableList::place(const Cable& cable) const {
  if (cable.where.line == 0) return cable.where.key;
  return fmt::format("{} {}", unit_, cable.where.line);
}

bool CableList::is_repeated(const Cable& cable) {
  const PortName a = in_one_case(cable.a);
  const PortName b = in_one_case(cable.b);
  const auto found = by_port_.find(a);
  if (found == by_port_.end()) return false;
  const Cable& first = reading_.found.cables[found->second];
  const PortName first_a = in_one_case(first.a);
  const PortName first_b = in_one_case(first.b);
  const bool is_same = (first_a == a && first_b == b) || (first_a == b && first_b == a);
  if (!is_same) return false;
  if (!same_value(first.rate, cable.rate) || !same_value(first.length, cable.length) ||
      !same_value(first.medium, cable.medium)) {
    reading_.error(
        cable.where,
        fmt::format("{} repeats {} with another rate, length or medium: which one holds?",
                    place(cable), place(first)));
    return true;
  }
  reading_.warning(cable.where, fmt::format("{} repeats {}: the cable is counted once",
                                            place(cable), place(first)));
  return true;
}

void CableList::add(Cable cable) {
  if (in_one_case(cable.a) == in_one_case(cable.b)) {
    reading_.error(cable.where,
                   fmt::format("{}: both ends are {}", place(cable), shown_port(cable.a)));
    return;
  }
  if (is_repeated(cable)) return;
  std::vector<Cable>& cables = reading_.found.cables;
  if (cables.size() >= kMaxObjects) {
    if (cables.size() == kMaxObjects) {
      reading_.error(cable.where, fmt::format("more than {} cables", kMaxObjects));
    }
    return;
  }
  for (const PortName* end : {&cable.a, &cable.b}) {
    const auto [at, is_new] = by_port_.try_emplace(in_one_case(*end), cables.size());
    if (is_new) continue;
    reading_.error(cable.where,
                   fmt::format("{} is in {} and {}: one port holds one cable", shown_port(*end),
                               place(cables[at->second]), place(cable)));
  }
  cables.push_back(std::move(cable));
}

}  // namespace weft::import
