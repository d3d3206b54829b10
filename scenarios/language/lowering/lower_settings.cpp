#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

using protocols::SwitchConfig;
using protocols::TrafficClass;

constexpr const char* kNoInputQueues =
    "is of queues at outputs, of which a switch with `queueing: input` has none";

bool queues_at_inputs(const Scenario& scenario) {
  return scenario.switches.queueing == SwitchConfig::Queueing::kInput;
}

/// What holds of early drops wherever they are.
void check_wred(const Context& context, const Scenario& scenario, const TrafficClass& c,
                const std::string& path) {
  if (!c.wred.enabled) return;
  if (c.is_credit()) {
    context.fail(path, "drops packets, and class " + backquoted(c.name) +
                           " has credits, which promise room for them; set flow_control: none or "
                           "pfc for it, or leave it out");
  }
  if (queues_at_inputs(scenario)) context.fail(path, kNoInputQueues);
}

void check_watchdog(const Context& context, const Scenario& scenario,
                    const protocols::PfcWatchdogConfig& watchdog, const std::string& path,
                    std::uint8_t pausable) {
  if (!watchdog.enabled) return;
  if (pausable == 0) context.fail(path, "looks after pauses, but no traffic class has PFC");
  if (queues_at_inputs(scenario)) context.fail(path, kNoInputQueues);
}

void check_link_retry(const Context& context, const Scenario& scenario) {
  if (!scenario.switches.link_retry.enabled) return;
  const std::string path = "fabric.link_retry";
  if (link_layer_of(context.document) == LinkLayer::kInfiniBand) {
    context.fail(path,
                 "is an option of Ethernet links, and the switches here are InfiniBand's; "
                 "expected none");
    return;
  }
  for (const TrafficClass& c : scenario.switches.classes) {
    if (c.network != NetworkKind::kScaleOut || !c.is_credit()) continue;
    if (c.is_cbfc()) {
      using Forwarding = protocols::SwitchConfig::Forwarding;
      if (scenario.switches.forwarding == Forwarding::kStoreAndForward) continue;
      context.fail(path,
                   "beside flow_control: cbfc needs switches that check frames before they count "
                   "them; expected forwarding: store-and-forward, or link_retry: none");
      return;
    }
    context.fail(path, "gives up frames of class " + backquoted(c.name) +
                           " after its replays, and their credits with them; expected "
                           "flow_control: cbfc, pfc or none for it, or link_retry: none");
  }
}

/// What one class may be at some ports, and not at others.
void check_class(const Context& context, const Scenario& scenario, const ClassChange& change,
                 const std::string& path) {
  const std::optional<ClassId> id = find_class(context, change.name, path + ".name", {});
  if (!id || *id >= ClassId(scenario.switches.classes.size())) return;
  const TrafficClass& everywhere = scenario.switches.classes[*id];
  const std::string name = backquoted(everywhere.name);
  if (!change.flow_control && change.is_only_flow_control()) {
    return context.fail(path, "changes nothing of class " + name +
                                  "; expected flow_control, ecn, wred, egress_limit, "
                                  "egress_reserved or egress_alpha");
  }
  TrafficClass there = everywhere;
  if (change.flow_control) there.flow_control = *change.flow_control;
  if (change.wred) there.wred = *change.wred;
  if (there.is_credit() != everywhere.is_credit() || (there.is_credit() && change.flow_control)) {
    return context.fail(path + ".flow_control",
                        "credits are the same at all ports: both ends of a link count them; "
                        "class " +
                            name + " has " + (everywhere.is_credit() ? "credits" : "none"));
  }
  const Bytes limit = change.egress_limit.value_or(everywhere.egress_limit);
  if (there.is_pfc() && (limit > 0_B || everywhere.trimming.enabled)) {
    context.fail(path + (change.flow_control ? ".flow_control" : ".egress_limit"),
                 "gives PFC to class " + name + ", which has " +
                     (limit > 0_B ? "an egress_limit" : "trimming") +
                     " there: that is for lossy classes");
  }
  if (limit > 0_B && queues_at_inputs(scenario)) {
    context.fail(path + ".egress_limit", kNoInputQueues);
  }
  if (change.wred) check_wred(context, scenario, there, path + ".wred");
}

void check_change(const Context& context, const Scenario& scenario, const SettingsChange& change,
                  const std::string& path) {
  const bool is_of_switch = change.buffer || change.headroom_pool;
  if (!is_of_switch && !change.is_of_ports() && !change.congestion_control && !change.mtu) {
    return context.fail(path,
                        "changes nothing; expected buffer, headroom_pool, honours_pause, mtu, "
                        "pfc_watchdog, congestion_control or classes");
  }
  if (is_of_switch && !change.to.empty()) {
    context.fail(path + (change.buffer ? ".buffer" : ".headroom_pool"),
                 "belongs to a whole switch, and `to` names some of its ports");
  }
  if (change.congestion_control && !change.to.empty()) {
    context.fail(path + ".congestion_control",
                 "is of all that a host sends, and `to` names some of its ports");
  }
  if (change.headroom_pool && change.buffer && *change.headroom_pool > *change.buffer) {
    context.fail(path + ".headroom_pool", "is more than the buffer");
  }
  for (std::size_t i = 0; i < change.classes.size(); ++i) {
    check_class(context, scenario, change.classes[i], element_path(path + ".classes", i));
  }
}

/// PFC of any class, anywhere.
std::uint8_t pausable_anywhere(const Scenario& scenario) {
  std::uint8_t mask = scenario.switches.pausable_classes();
  for (const SettingsChange& change : scenario.settings_changes) {
    for (const ClassChange& c : change.classes) {
      if (c.flow_control && std::holds_alternative<protocols::PfcConfig>(*c.flow_control)) mask = 1;
    }
  }
  return mask;
}

}  // namespace

void lower_settings(const Context& context, Scenario& scenario) {
  scenario.settings_changes = context.document.fabric.changes;
  const std::vector<ClassDocument>& documents = context.document.fabric.classes;
  for (const ClassId id : scenario.switches.all_classes()) {
    const bool is_own = id.value() < documents.size() && documents[id.value()].wred.has_value();
    check_wred(context, scenario, scenario.switches.classes[id],
               (is_own ? element_path("fabric.classes", id.value()) : "fabric") + ".wred");
  }
  check_link_retry(context, scenario);
  const std::uint8_t pausable = pausable_anywhere(scenario);
  check_watchdog(context, scenario, scenario.switches.watchdog, "fabric.pfc_watchdog", pausable);
  for (std::size_t i = 0; i < scenario.settings_changes.size(); ++i) {
    const SettingsChange& change = scenario.settings_changes[i];
    const std::string path = element_path("fabric.changes", i);
    check_change(context, scenario, change, path);
    if (change.watchdog) {
      check_watchdog(context, scenario, *change.watchdog, path + ".pfc_watchdog", pausable);
    }
  }
}

}  // namespace weft::scenarios::language
