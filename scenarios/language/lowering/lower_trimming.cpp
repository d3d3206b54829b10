#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "protocols/config/response_class.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

using protocols::SwitchConfig;
using protocols::TrafficClass;

/// Where a class says so itself, or the fabric for it.
std::string path_of(const Context& context, ClassId c, bool is_own, const char* key) {
  const std::size_t place = c.value();
  const bool is_listed = place < context.document.fabric.classes.size();
  const std::string at =
      is_listed && is_own ? element_path("fabric.classes", place) : std::string("fabric");
  return at + "." + key;
}

bool says_limit(const Context& context, ClassId c) {
  const auto& classes = context.document.fabric.classes;
  return c.value() < classes.size() && classes[c.value()].egress_limit.has_value();
}
bool says_trimming(const Context& context, ClassId c) {
  const auto& classes = context.document.fabric.classes;
  return c.value() < classes.size() && classes[c.value()].trimming.has_value();
}

/// A class that takes trimmed packets does not trim them by what the fabric says for all.
void exempt_service_classes(const Context& context, Scenario& scenario) {
  std::vector<ClassId> served;
  const SwitchConfig& switches = scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    const TrafficClass& own = switches.classes[c];
    if (own.trimming.enabled) served.push_back(c);
  }
  for (const ClassId c : served) {
    const std::string name = switches.classes[c].trimming.service_class;
    const std::string path = path_of(context, c, says_trimming(context, c), "trimming.class");
    if (name != protocols::kHighestClass && !find_class(context, name, path, {})) continue;
    const ClassId to = protocols::response_class(switches, name, c);
    if (!says_trimming(context, to) && to.value() < context.document.fabric.classes.size()) {
      scenario.switches.classes[to].trimming.enabled = false;
    }
  }
}

void check_limit(const Context& context, const Scenario& scenario, ClassId c) {
  const TrafficClass& own = scenario.switches.classes[c];
  if (own.egress_limit == 0_B) return;
  const std::string path = path_of(context, c, says_limit(context, c), "egress_limit");
  if (own.is_lossless()) {
    context.fail(path, "is for lossy classes, and class " + backquoted(own.name) +
                           " has flow control, which keeps its queues from overflowing; set "
                           "flow_control: none for it, or leave the limit out");
  }
  if (scenario.switches.queueing == SwitchConfig::Queueing::kInput) {
    context.fail(path,
                 "is of queues at outputs, of which a switch with `queueing: input` has none");
  }
  Bytes packet;
  for (const protocols::TransportConfig& transport : scenario.transports()) {
    packet = std::max(packet, protocols::traits_of(transport).ack_size);
  }
  if (own.egress_limit < packet) {
    context.fail(
        path, "never has room for an acknowledgement of " + std::to_string(packet.count()) + " B");
  }
}

void check_trimming(const Context& context, const Scenario& scenario, ClassId c) {
  const SwitchConfig& switches = scenario.switches;
  const TrafficClass& own = switches.classes[c];
  if (!own.trimming.enabled) return;
  const std::string path = path_of(context, c, says_trimming(context, c), "trimming");
  if (own.is_lossless()) {
    context.fail(path, "is for lossy classes, and class " + backquoted(own.name) +
                           " has flow control, so that nothing would ever be trimmed; set "
                           "flow_control: none for it, or trimming: none");
    return;
  }
  if (switches.queueing == SwitchConfig::Queueing::kInput) {
    context.fail(path,
                 "is of queues at outputs, of which a switch with `queueing: input` has none");
  }
  const std::string& name = own.trimming.service_class;
  if (name != protocols::kHighestClass && !find_class(context, name, path + ".class", {})) return;
  const ClassId to = protocols::response_class(switches, name, c);
  const TrafficClass& service = switches.classes[to];
  if (to == c) {
    context.fail(path + ".class", "is class " + backquoted(own.name) +
                                      " itself; trimmed packets need a class of their own");
  } else if (service.is_lossless()) {
    context.fail(path + ".class", "is " + backquoted(service.name) +
                                      ", which has flow control; a switch cannot ask anybody to "
                                      "hold back headers that it makes itself; set flow_control: "
                                      "none for it");
  } else if (service.trimming.enabled) {
    context.fail(path + ".class",
                 "is " + backquoted(service.name) + ", which trims packets itself");
  }
}

}  // namespace

void lower_trimming(const Context& context, Scenario& scenario) {
  exempt_service_classes(context, scenario);
  for (const ClassId c : scenario.switches.all_classes()) {
    if (scenario.switches.classes[c].network != NetworkKind::kScaleOut) continue;
    check_limit(context, scenario, c);
    check_trimming(context, scenario, c);
  }
}

}  // namespace weft::scenarios::language
