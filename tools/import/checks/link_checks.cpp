#include <fmt/format.h>

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "simcore/base/escape.hpp"
#include "tools/import/checks/checked_fabric.hpp"
#include "tools/import/switches/units.hpp"

namespace weft::import {
namespace {

/// What a port says of one thing, with the place.
using Said = std::optional<Stated<std::string>>;

struct EndRule {
  Aspect aspect;
  std::string_view label;
  std::string_view effect;
  Said (*said)(const SwitchPort& port);
};

template <class Value>
Said text_said(const std::optional<Stated<Value>>& value) {
  if (!value) return std::nullopt;
  return Stated<std::string>{text_of(value->value), value->where};
}

Said mtu_said(const SwitchPort& port) { return text_said(port.mtu); }
Said rate_said(const SwitchPort& port) { return text_said(port.rate); }
Said fec_said(const SwitchPort& port) {
  // `auto` agrees with whatever the other end has.
  return port.fec && port.fec->value == "auto" ? std::nullopt : port.fec;
}

constexpr std::array kRules = std::to_array<EndRule>(
    {{Aspect::kMtu, "MTU", "larger packets are lost in one direction", mtu_said},
     {Aspect::kRate, "rate", "the link does not come up", rate_said},
     {Aspect::kFec, "FEC", "the link does not come up, or corrects no errors", fec_said}});

struct Unlike {
  SourceLocation where{};
  SourceLocation other{};
  PortAt a;
  PortAt b;
  std::size_t cables = 0;
};

void check_rule(CheckedFabric& fabric, const EndRule& rule) {
  // Cables between the same switches that differ in the same way are one finding.
  std::map<std::tuple<std::size_t, std::size_t, std::string, std::string>, Unlike> unlike;
  for (const auto& [a, b] : fabric.cables()) {
    if (!fabric.port(a).is_up || !fabric.port(b).is_up) continue;
    const Said x = rule.said(fabric.port(a));
    const Said y = rule.said(fabric.port(b));
    if (!x || !y || x->value == y->value) continue;
    fabric.tell(a, rule.aspect);
    fabric.tell(b, rule.aspect);
    auto [it, is_new] = unlike.try_emplace({a.switch_index, b.switch_index, x->value, y->value});
    if (is_new) it->second = {.where = x->where, .other = y->where, .a = a, .b = b};
    ++it->second.cables;
  }
  for (const auto& [key, one] : unlike) {
    const auto& [s, t, x, y] = key;
    fabric.find(one.where,
                fmt::format("{} {} at {}, {} at {} ({}), the two ends of {}: {}", rule.label, x,
                            fabric.name(one.a), y, fabric.name(one.b), place_text(one.other),
                            one.cables == 1 ? "a cable" : fmt::format("{} cables", one.cables),
                            rule.effect));
  }
}

/// Ports of one switch that are shut down though a cable is on them are one finding.
void check_ports_are_up(CheckedFabric& fabric) {
  std::map<std::size_t, std::vector<PortAt>> down;
  for (const auto& [at, peer] : fabric.peers()) {
    if (!fabric.port(at).is_up) down[at.switch_index].push_back(at);
  }
  for (const auto& [index, ports] : down) {
    const PortName& peer = fabric.peers().at(ports.front());
    fabric.find(
        fabric.port(ports.front()).where,
        fmt::format("{} {} shut down, and {} to {} {}{}: nothing passes there, though the "
                    "scenario has {}",
                    port_list(fabric, ports), ports.size() == 1 ? "is" : "are",
                    ports.size() == 1 ? "a cable leads" : "cables lead", escaped(peer.device),
                    escaped(peer.port), ports.size() == 1 ? "" : " and others",
                    ports.size() == 1 ? "it as up" : "them as up"));
  }
}

}  // namespace

void check_cable_ends(CheckedFabric& fabric) {
  check_ports_are_up(fabric);
  for (const EndRule& rule : kRules) check_rule(fabric, rule);
}

}  // namespace weft::import
