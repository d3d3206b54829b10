#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "scenarios/language/lowering/lower.hpp"

namespace weft::scenarios::language {
namespace {

using protocols::PortSpreading;
using protocols::ScaleUpConfig;
using topologies::ScaleUpPart;

PortSpreading spreading_of(ScaleUpPart::Spreading spreading) {
  switch (spreading) {
    case ScaleUpPart::Spreading::kFlow:
      return PortSpreading::kFlow;
    case ScaleUpPart::Spreading::kRandom:
      return PortSpreading::kRandom;
    case ScaleUpPart::Spreading::kRoundRobin:
      break;
  }
  return PortSpreading::kRoundRobin;
}

/// What the protocol takes of the link besides payload, as a header of every packet.
Bytes header_of(const ScaleUpPart& part, double further_efficiency = 1) {
  const double efficiency = part.payload_efficiency.value_or(1) * further_efficiency;
  const auto payload = static_cast<double>(part.packet.count());
  return Bytes(std::llround(payload / efficiency)) - part.packet;
}

/// One class of credits per kind of domain, with a name that no other class has.
protocols::TrafficClass class_of(const ScaleUpPart& part, const protocols::SwitchConfig& switches) {
  protocols::TrafficClass c;
  c.name = "scale-up";
  const auto is_taken = [&](const std::string& name) {
    for (const protocols::TrafficClass& other : switches.classes) {
      if (other.name == name) return true;
    }
    return false;
  };
  for (int number = 2; is_taken(c.name); ++number) c.name = "scale-up-" + std::to_string(number);
  c.network = NetworkKind::kScaleUp;
  c.ecn.enabled = false;
  // Updates ride on packets of the other direction and take no time of the link; scale-up switch
  // and GPU need about as long for them as for data.
  c.flow_control =
      protocols::CreditConfig{.buffer = part.port_buffer,
                              .update = 0_B,
                              .processing = std::min(part.switch_latency, part.gpu_latency)};
  return c;
}

/// Domains that differ in what only the builder needs are of one kind.
bool are_of_one_kind(const ScaleUpPart& a, const ScaleUpPart& b) {
  return a.packet == b.packet && header_of(a) == header_of(b) && a.spreading == b.spreading &&
         a.port_buffer == b.port_buffer &&
         std::min(a.switch_latency, a.gpu_latency) == std::min(b.switch_latency, b.gpu_latency) &&
         a.reduction_window == b.reduction_window && a.gpus == b.gpus &&
         a.reduction_efficiency == b.reduction_efficiency;
}

/// Of every group of racks, or of the domains that a topology lists.
std::vector<std::optional<ScaleUpPart>> parts_of(const topologies::TopologySpec& topology) {
  return std::visit(
      [](const auto& spec) -> std::vector<std::optional<ScaleUpPart>> {
        if constexpr (requires { spec.scale_up_parts(); }) {
          return spec.scale_up_parts();
        } else {
          return {};
        }
      },
      topology);
}

}  // namespace

void lower_scale_up(const Context& context, Scenario& scenario) {
  std::vector<ScaleUpPart> kinds;
  for (const std::optional<ScaleUpPart>& part : parts_of(scenario.topology)) {
    if (!part) {
      scenario.scale_up_of_group.push_back(0);
      continue;
    }
    std::size_t kind = 0;
    while (kind < kinds.size() && !are_of_one_kind(kinds[kind], *part)) ++kind;
    scenario.scale_up_of_group.push_back(static_cast<std::uint8_t>(kind));
    if (kind == kinds.size()) kinds.push_back(*part);
  }
  if (kinds.size() > protocols::kMaxScaleUpKinds) {
    context.fail("racks", "have " + std::to_string(kinds.size()) +
                              " kinds of scale-up domains that differ in packet, efficiency, "
                              "spreading or buffer; at most " +
                              std::to_string(protocols::kMaxScaleUpKinds) + " are supported");
    return;
  }
  protocols::SwitchConfig& switches = scenario.switches;
  if (switches.classes.size() + kinds.size() > protocols::kMaxClasses) {
    context.fail("fabric.classes",
                 "leave no room: every kind of scale-up domain needs a class of its own, and there "
                 "are at most " +
                     std::to_string(protocols::kMaxClasses));
    return;
  }
  for (const ScaleUpPart& part : kinds) {
    ScaleUpConfig config;
    config.format = {part.packet, header_of(part)};
    config.spreading = spreading_of(part.spreading);
    config.reduction_window = part.reduction_window;
    config.gpus = part.gpus;
    config.reduction_header = header_of(part, part.reduction_efficiency);
    const Bytes whole = part.packet + std::max(config.format.header, config.reduction_header);
    if (whole > protocols::kMaxPacket) {
      context.fail("racks", "have a scale-up `packet` of " + std::to_string(part.packet.count()) +
                                " B, which takes " + std::to_string(whole.count()) +
                                " B of a link; at most " +
                                std::to_string(protocols::kMaxPacket.count()) + " B are possible");
    }
    config.traffic_class = ClassId(switches.classes.size());
    switches.classes.push_back(class_of(part, switches));
    scenario.scale_up.push_back(config);
  }
}

}  // namespace weft::scenarios::language
