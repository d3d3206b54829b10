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

/// Where the load balancing of a class stands.
std::string balancing_path(const Context& context, std::size_t traffic_class) {
  const auto& classes = context.document.fabric.classes;
  const bool is_own =
      traffic_class < classes.size() && classes[traffic_class].load_balancing.has_value();
  return (is_own ? element_path("fabric.classes", traffic_class) : std::string("fabric")) +
         ".load_balancing";
}

void check_balancing(const Context& context, const Scenario& scenario) {
  const bool is_datagram =
      std::holds_alternative<protocols::DatagramConfig>(context.document.transport);
  const protocols::SwitchConfig& switches = scenario.switches;
  for (std::size_t c = 0; c < switches.classes.size(); ++c) {
    const protocols::LoadBalancing& balancing = switches.balancing(c);
    if (is_datagram && balancing.sprays()) {
      return context.fail(
          balancing_path(context, c),
          "spraying reorders packets, and datagrams of several packets are put together in "
          "order only; use ecmp, or transport roce with receiver any-order");
    }
    if (balancing.type == protocols::LoadBalancing::kAdaptive &&
        switches.queueing == protocols::SwitchConfig::Queueing::kInput) {
      return context.fail(balancing_path(context, c),
                          "`adaptive` compares queues at the outputs, of which a switch with "
                          "`queueing: input` has none");
    }
  }
}

void check_run(const Context& context) {
  const RunSpec& run = context.document.run;
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
  check_run(context);
  lower_classes(context, scenario);
  check_balancing(context, scenario);
  lower_jobs(context, scenario);
  lower_faults(context, scenario);
  return scenario;
}

}  // namespace weft::scenarios::language
