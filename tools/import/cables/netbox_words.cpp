#include "tools/import/cables/netbox_words.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {

bool NetboxCables::takes_status(const NetboxCable& cable) {
  static const std::vector<std::string> known{"connected", "planned", "decommissioning"};
  const std::string status = lower_case(cable.status);
  if (status.empty() || status == "connected") return true;
  if (status == "planned") {
    ++planned_;
  } else if (status == "decommissioning") {
    ++decommissioning_;
  } else {
    reading_.error(cable.where, fmt::format("{}: status {} is not known ({}){}", cable.what,
                                            backquoted(cable.status), listing(known),
                                            did_you_mean(status, known)));
  }
  return false;
}

bool NetboxCables::takes_kind(std::string_view kind, std::string_view device,
                              const NetboxCable& cable) {
  if (kind.empty() || kind == "dcim.interface") return true;
  if (kind == "dcim.frontport" || kind == "dcim.rearport") {
    reading_.error(cable.where,
                   fmt::format("{} ends in patch panel {}: weft does not trace cables through "
                               "panels; write the cable from interface to interface",
                               cable.what, backquoted(device)));
    return false;
  }
  for (const std::string_view other :
       {"dcim.consoleport", "dcim.consoleserverport", "dcim.powerport", "dcim.poweroutlet",
        "dcim.powerfeed", "circuits.circuittermination"}) {
    if (kind != other) continue;
    ++other_kinds_;
    return false;
  }
  reading_.error(cable.where, fmt::format("{} ends in {}: `dcim.interface` expected", cable.what,
                                          backquoted(kind)));
  return false;
}

bool NetboxCables::has_end(std::string_view side, std::string_view device, std::string_view port,
                           const NetboxCable& cable) {
  if (device.empty() && port.empty()) {
    reading_.error(cable.where, fmt::format("{} has no {} end", cable.what, side));
    return false;
  }
  const bool is_named =
      reading_
          .name(device, fmt::format("the device of {} at end {}", cable.what, side), cable.where)
          .has_value();
  return reading_.name(port, fmt::format("the port of {} at end {}", cable.what, side), cable.where)
             .has_value() &&
         is_named;
}

void NetboxCables::read_medium(const NetboxCable& from, Cable& to) {
  const std::string type = lower_case(from.type);
  if (type.empty()) return;
  const auto says = [&type](std::string_view word) { return type.find(word) != std::string::npos; };
  const auto begins = [&type](std::string_view word) { return type.starts_with(word); };
  if (begins("dac") || begins("cat") || begins("coax") || begins("mrj21") || says("copper")) {
    to.medium = Stated<std::string>{"copper", from.where};
  } else if (begins("aoc") || begins("mmf") || begins("smf") || says("optical") || says("fiber") ||
             says("fibre") || begins("multimode") || begins("singlemode")) {
    to.medium = Stated<std::string>{"fibre", from.where};
  } else {
    reading_.unknown("type of cable", from.type, from.where, {});
  }
}

void NetboxCables::read_length(const NetboxCable& from, Cable& to) {
  if (from.length.empty()) return;
  OrProblem<Millimetres> length;
  if (!from.unit_is_apart) {
    length = parse_cable_length(from.length);
  } else if (from.length.find_first_not_of("0123456789.") != std::string_view::npos) {
    length = fmt::format("length {}: a number expected, its unit in length_unit",
                         backquoted(from.length));
  } else if (from.length_unit.empty()) {
    length = fmt::format("length {} has no length_unit: km, m, cm, mi, ft or in",
                         backquoted(from.length));
  } else {
    length = parse_cable_length(from.length, from.length_unit);
  }
  if (const auto* value = std::get_if<Millimetres>(&length)) {
    to.length = Stated<Millimetres>{*value, from.where};
  } else {
    reading_.error(from.where, fmt::format("{}: {}", from.what, std::get<std::string>(length)));
  }
}

void NetboxCables::add(const NetboxCable& cable) {
  if (!takes_status(cable)) return;
  if (!takes_kind(cable.kind_a, cable.device_a, cable) ||
      !takes_kind(cable.kind_b, cable.device_b, cable)) {
    return;
  }
  const bool has_a = has_end("A", cable.device_a, cable.port_a, cable);
  if (!has_end("B", cable.device_b, cable.port_b, cable) || !has_a) return;
  Cable found;
  found.a = {std::string(cable.device_a), std::string(cable.port_a)};
  found.b = {std::string(cable.device_b), std::string(cable.port_b)};
  found.where = cable.where;
  read_medium(cable, found);
  read_length(cable, found);
  cables_.add(std::move(found));
}

std::string NetboxCables::finish() {
  if (planned_ > 0) {
    reading_.warning({}, fmt::format("{} planned, left out", counted(planned_, "cable")));
  }
  if (decommissioning_ > 0) {
    reading_.warning(
        {}, fmt::format("{} decommissioning, left out", counted(decommissioning_, "cable")));
  }
  if (other_kinds_ > 0) {
    reading_.warning({}, fmt::format("{} of power, consoles or circuits, left out",
                                     counted(other_kinds_, "cable")));
  }
  if (cables_.size() == 0 && !reading_.has_errors()) {
    reading_.error({}, "holds no cable that is connected");
  }
  return counted(cables_.size(), "cable");
}

}  // namespace weft::import
