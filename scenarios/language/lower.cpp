#include "scenarios/language/lower.hpp"

#include <string>
#include <utility>
#include <variant>

#include "simcore/quantity_text.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::CustomSpec;
using topologies::LinkSpec;
using topologies::TopologySpec;

TopologySpec lower_leaf_spine(const Document& document, const LeafSpineDocument& fabric) {
  const RacksDocument& racks = *document.racks;
  topologies::LeafSpineSpec spec;
  spec.racks = racks.count;
  spec.servers_per_rack = racks.servers;
  spec.nics_per_server = racks.server.nics;
  spec.spines = fabric.spines;
  spec.links_per_pair = fabric.links_per_pair;
  spec.access = link_spec(document.links.access);
  spec.uplink = link_spec(document.links.uplink);
  spec.switch_pipeline = document.fabric.switch_part.latency;
  spec.nic_pipeline = racks.server.nic.receive_latency;
  return spec;
}

TopologySpec lower_fat_tree(const Document& document, const FatTreeDocument& tree) {
  topologies::FatTreeSpec spec;
  spec.k = tree.k;
  spec.access = link_spec(document.links.access);
  spec.uplink = link_spec(document.links.uplink);
  spec.switch_pipeline = document.fabric.switch_part.latency;
  spec.nic_pipeline = tree.server.nic.receive_latency;
  return spec;
}

TopologySpec lower_custom(const Document& document, const CustomDocument& custom) {
  CustomSpec spec;
  for (const CustomDocument::Node& node : custom.nodes) {
    const bool is_switch = node.kind == CustomDocument::NodeKind::kSwitch;
    const Picoseconds latency =
        is_switch ? document.fabric.switch_part.latency : custom.nic.receive_latency;
    spec.nodes.push_back(
        {node.name, is_switch, node.tier.value_or(1), node.latency.value_or(latency)});
  }
  for (const CustomDocument::Link& link : custom.links) {
    spec.links.push_back({link.from, link.to, link_spec(link.link), link.count});
  }
  spec.next_hops = custom.next_hops;
  return spec;
}

/// The NIC of every host.
const topologies::NicPart& nic_part(const Document& document) {
  const auto& topology = document.fabric.topology;
  if (const auto* tree = std::get_if<FatTreeDocument>(&topology)) return tree->server.nic;
  if (const auto* custom = std::get_if<CustomDocument>(&topology)) return custom->nic;
  return document.racks->server.nic;
}

LinkChange lower_change(const LinkChangeDocument& document) {
  LinkChange change{document.from, document.to, document.link.rate, document.link.latency};
  if (document.link.cable && document.link.length) {
    change.latency = document.link.cable->latency(*document.link.length);
  }
  return change;
}

void check_policies(const Context& context) {
  const Document& document = context.document;
  const auto* roce = std::get_if<protocols::RoceConfig>(&document.transport);
  const bool sprays = document.fabric.policies.sprays();
  if (roce != nullptr && sprays && roce->receiver == protocols::RoceConfig::Receiver::kInOrder) {
    context.fail(
        "fabric.load_balancing",
        "spraying reorders packets, which `receiver: in-order` answers with go-back-N; set "
        "transport.receiver to any-order");
  }
  if (roce == nullptr && sprays) {
    context.fail("fabric.load_balancing",
                 "spraying reorders packets, and datagrams of several packets are put together in "
                 "order only; use ecmp, or transport roce with receiver any-order");
  }
  const RunSpec& run = document.run;
  if (run.until && *run.until <= run.warmup) {
    context.fail("run.until", quantity_text(run.until->count(), dimension_of<Picoseconds>()) +
                                  " is not after the warm-up (" +
                                  quantity_text(run.warmup.count(), dimension_of<Picoseconds>()) +
                                  ")");
  }
}

}  // namespace

TopologySpec lower_topology(const Document& document) {
  const auto& topology = document.fabric.topology;
  if (const auto* tree = std::get_if<FatTreeDocument>(&topology)) {
    return lower_fat_tree(document, *tree);
  }
  if (const auto* custom = std::get_if<CustomDocument>(&topology)) {
    return lower_custom(document, *custom);
  }
  return lower_leaf_spine(document, std::get<LeafSpineDocument>(topology));
}

Scenario lower(const Context& context) {
  const Document& document = context.document;
  Scenario scenario;
  scenario.name = document.name;
  scenario.seed = document.seed;
  scenario.topology = lower_topology(document);
  for (const LinkChangeDocument& change : document.links.changes) {
    scenario.link_changes.push_back(lower_change(change));
  }
  scenario.switches = document.fabric.policies;
  scenario.switches.buffer = document.fabric.switch_part.buffer;
  scenario.switches.cell = document.fabric.switch_part.cell;
  const topologies::NicPart& nic = nic_part(document);
  scenario.nic = {nic.receive_rate, nic.receive_buffer, nic.xoff, nic.xon};
  scenario.transport = document.transport;
  scenario.run = document.run;
  scenario.observe = document.observe;
  check_policies(context);
  lower_classes(context, scenario);
  lower_jobs(context, scenario);
  lower_faults(context, scenario);
  lower_scale_up(context, scenario);
  return scenario;
}

}  // namespace weft::scenarios::language
