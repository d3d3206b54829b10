#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scenarios/checks/static_checks.hpp"

namespace weft::scenarios {
namespace {

/// Whether a connection of class `c` has a transport that `is_meant(traits)`.
template <class IsMeant>
bool any_in_class(const Experiment& e, ClassId c, IsMeant is_meant) {
  std::vector<bool> meant;  // by transport
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    meant.push_back(is_meant(protocols::traits_of(transport)));
  }
  return std::ranges::any_of(e.workload.connections(), [&](const Connection& connection) {
    return connection.traffic_class == c && meant[connection.transport];
  });
}

/// Go-back-N and selective repeat answer a packet that overtook another as if that were lost, and
/// TCP one that overtook three.
void check_order(const Experiment& e, StaticFindings& findings) {
  using protocols::TransportTraits;
  const auto goes_back = [](const TransportTraits& t) {
    return t.is_acknowledged && !t.takes_any_order && !t.is_stream;
  };
  const auto repeats = [](const TransportTraits& t) {
    return t.selective && t.selective->reordering == 0;
  };
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    if (!switches.balancing(c).sprays()) continue;
    if (any_in_class(e, c, goes_back)) {
      findings.warnings.push_back(fmt::format(
          "packets of class {} are sprayed over several paths, and the receiver takes them in "
          "order only: one that overtakes another makes the sender send again from there; set "
          "transport.receiver to any-order, or take ecmp or flowlets",
          switches.classes[c].name));
    }
    if (any_in_class(e, c, repeats)) {
      findings.warnings.push_back(fmt::format(
          "packets of class {} are sprayed over several paths, and selective repeat takes one that "
          "overtakes another for a sign that this is lost, and sends it again; set "
          "transport.recovery.reordering to the packets by which they may, or take ecmp or "
          "flowlets",
          switches.classes[c].name));
    }
    if (any_in_class(e, c, [](const TransportTraits& t) { return t.is_stream; })) {
      findings.warnings.push_back(fmt::format(
          "packets of class {} are sprayed over several paths, and TCP takes a segment for lost "
          "that three others have overtaken: it sends it again and shrinks its window; take ecmp "
          "or flowlets for this class",
          switches.classes[c].name));
    }
  }
}

/// What senders choose is hashed by ECMP, and by nothing else; some choices hear of marks.
void check_entropy(const Experiment& e, StaticFindings& findings) {
  using protocols::TransportTraits;
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    const protocols::LoadBalancing& balancing = switches.balancing(c);
    const auto chooses = [](const TransportTraits& t) { return !t.has_fixed_entropy(); };
    if (balancing.type != protocols::LoadBalancing::kFlow && any_in_class(e, c, chooses)) {
      findings.warnings.push_back(fmt::format(
          "senders choose the entropy of packets of class {} (transport.entropy), and switches "
          "choose their way by something else; set load_balancing to ecmp, or entropy to fixed",
          switches.classes[c].name));
    }
    const auto hears = [](const TransportTraits& t) {
      return protocols::entropy::traits_of(t.entropy).hears_acks;
    };
    if (!switches.classes[c].ecn.enabled && any_in_class(e, c, hears)) {
      findings.warnings.push_back(fmt::format(
          "transport.entropy goes by marks, and class {} is not marked, so that only losses tell "
          "ways from each other; set ecn for this class",
          switches.classes[c].name));
    }
  }
}

/// TCP fills queues until something is dropped or marked; in a lossless class nothing is dropped.
void check_lossless_streams(const Experiment& e, StaticFindings& findings) {
  const protocols::SwitchConfig& switches = e.scenario.switches;
  for (const ClassId c : switches.all_classes()) {
    if (!switches.classes[c].is_lossless()) continue;
    if (!any_in_class(e, c, [](const auto& t) { return t.is_stream; })) continue;
    const bool is_marked = switches.classes[c].ecn.enabled;
    findings.warnings.push_back(fmt::format(
        "TCP is in class {}, which is lossless: {}; give TCP a class with `flow_control: none`, "
        "beside that of RDMA",
        switches.classes[c].name,
        is_marked ? "only marks slow it down, and where they come too late ports are paused"
                  : "nothing is marked or lost, so that its windows grow until ports are paused"));
  }
}

}  // namespace

void check_transports(const Experiment& experiment, StaticFindings& findings) {
  check_order(experiment, findings);
  check_entropy(experiment, findings);
  check_lossless_streams(experiment, findings);
}

}  // namespace weft::scenarios
