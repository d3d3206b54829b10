#include "scenarios/language/lowering/lower.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/text/quantity_text.hpp"
#include "topologies/clos/fat_tree.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::CustomSpec;
using topologies::LinkSpec;
using topologies::TopologySpec;

using topologies::ClosSpec;
using topologies::RackSpec;
using topologies::SwitchPart;

/// A tier's own switch. Buffers of the others are those of the configuration.
SwitchPart tier_part(const Document& document, const TierDocument& tier) {
  if (tier.switch_part) return *tier.switch_part;
  return {.buffer = 0_B,
          .cell = 0_B,
          .latency = document.fabric.switch_part.latency,
          .capacity = document.fabric.switch_part.capacity};
}

std::vector<RackSpec> lower_racks(const Document& document) {
  std::vector<RackSpec> racks;
  for (const RacksDocument& rack : document.racks) {
    LinkDocument access = document.links.access;
    if (!access.rate) access.rate = rack.server.nic.rate;
    racks.push_back({rack.count, rack.servers, rack.server, link_spec(access)});
  }
  return racks;
}

/// What all fabrics of leaves and spines share.
ClosSpec lower_tiers(const Document& document, const LeafSpineDocument& tiers) {
  ClosSpec spec;
  spec.racks = lower_racks(document);
  spec.leaves = tiers.leaves;
  spec.planes = tiers.planes;
  spec.spines = tiers.spines;
  spec.links_per_pair = tiers.links_per_pair;
  spec.uplink = link_spec(document.links.uplink);
  spec.leaf = tier_part(document, tiers.leaf);
  spec.spine = tier_part(document, tiers.spine);
  spec.routing = document.fabric.routing;
  return spec;
}

ClosSpec lower_rail(const Document& document, const RailDocument& rail) {
  ClosSpec spec = lower_tiers(document, rail.tiers);
  spec.attachment = ClosSpec::Attachment::kRail;
  spec.group = rail.group;
  return spec;
}

ClosSpec lower_clos(const Document& document, const ClosDocument& clos) {
  ClosSpec spec = lower_tiers(document, clos.tiers);
  if (clos.attachment == ClosDocument::Attachment::kRail) {
    spec.attachment = ClosSpec::Attachment::kRail;
    spec.group = clos.group;
  }
  spec.pods = clos.pods;
  spec.super_spines = clos.super_spines;
  spec.super_links_per_pair = clos.super_links_per_pair;
  spec.super_wiring = clos.super_wiring;
  spec.super_uplink = link_spec(document.links.super_uplink);
  spec.super_spine = tier_part(document, clos.super_spine);
  return spec;
}

ClosSpec lower_fat_tree(const Document& document, const FatTreeDocument& tree) {
  ClosSpec spec;
  LinkDocument access = document.links.access;
  if (!access.rate) access.rate = tree.server.nic.rate;
  // The schema has checked what could be wrong.
  static_cast<void>(topologies::make_fat_tree(
      tree.k, {.server = tree.server, .access = link_spec(access)}, spec));
  spec.uplink = link_spec(document.links.uplink);
  spec.super_uplink = link_spec(document.links.super_uplink);
  spec.leaf = tier_part(document, tree.edge);
  spec.spine = tier_part(document, tree.aggregation);
  spec.super_spine = tier_part(document, tree.core);
  spec.routing = document.fabric.routing;
  return spec;
}

CustomSpec lower_custom(const Document& document, const CustomDocument& custom) {
  CustomSpec spec;
  for (const CustomDocument::Node& node : custom.nodes) {
    CustomSpec::NodeSpec lowered{.name = node.name,
                                 .is_switch = node.kind == CustomDocument::NodeKind::kSwitch,
                                 .tier = node.tier.value_or(1)};
    Picoseconds latency = custom.nic.arrival_latency();
    if (lowered.is_switch) {
      const SwitchPart part = tier_part(document, {node.switch_part});
      latency = part.latency;
      lowered.buffer = part.buffer;
      lowered.cell = part.cell;
      lowered.capacity = part.capacity.value_or(BitsPerSecond());
      lowered.network = node.network;
    }
    lowered.pipeline = node.latency.value_or(latency);
    if (node.domain) lowered.domain = static_cast<std::int32_t>(*node.domain);
    spec.nodes.push_back(std::move(lowered));
  }
  for (const CustomDocument::Link& link : custom.links) {
    spec.links.push_back({link.from, link.to, link_spec(link.link), link.count});
  }
  spec.next_hops = custom.next_hops;
  spec.routing = document.fabric.routing;
  return spec;
}

/// The NIC of every host.
const topologies::NicPart& nic_part(const Document& document) {
  const auto& topology = document.fabric.topology;
  if (const auto* tree = std::get_if<FatTreeDocument>(&topology)) return tree->server.nic;
  if (const auto* custom = std::get_if<CustomDocument>(&topology)) return custom->nic;
  return document.racks.front().server.nic;
}

/// Of the NICs of all racks.
NicTransport nic_transport(const Document& document) {
  const topologies::NicPart& first = nic_part(document);
  NicTransport slowest{first.transport_latency, first.start_latency};
  for (const RacksDocument& racks : document.racks) {
    const topologies::NicPart& nic = racks.server.nic;
    slowest.latency = std::max(slowest.latency, nic.transport_latency);
    slowest.start = std::max(slowest.start, nic.start_latency);
  }
  return slowest;
}

/// Receivers are one configuration for all hosts.
void check_receivers(const Context& context) {
  const std::vector<RacksDocument>& racks = context.document.racks;
  const auto receiver = [](const topologies::NicPart& nic) {
    return std::tuple(nic.receive_rate, nic.receive_buffer, nic.xoff, nic.xon);
  };
  for (std::size_t i = 1; i < racks.size(); ++i) {
    if (receiver(racks[i].server.nic) == receiver(racks.front().server.nic)) continue;
    context.fail(element_path("racks", i) + ".server.nic",
                 "takes in packets differently from the NICs of the first racks (receive_rate, "
                 "receive_buffer, xoff, xon); these must be alike");
  }
}

LinkChange lower_change(const LinkChangeDocument& document) {
  LinkChange change{document.links, document.link.rate, document.link.latency};
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
  struct Lower {
    const Document& document;
    TopologySpec operator()(const LeafSpineDocument& d) const { return lower_tiers(document, d); }
    TopologySpec operator()(const RailDocument& d) const { return lower_rail(document, d); }
    TopologySpec operator()(const ClosDocument& d) const { return lower_clos(document, d); }
    TopologySpec operator()(const FatTreeDocument& d) const { return lower_fat_tree(document, d); }
    TopologySpec operator()(const CustomDocument& d) const { return lower_custom(document, d); }
    TopologySpec operator()(const LoneDocument&) const {
      topologies::LoneSpec spec{{}, document.fabric.routing};
      for (const RacksDocument& rack : document.racks) {
        spec.racks.push_back({.count = rack.count, .servers = rack.servers, .server = rack.server});
        topologies::ServerPart& server = spec.racks.back().server;
        if (server.gpus > 0) server.nics = server.rails = 0;
      }
      return spec;
    }
  };
  return std::visit(Lower{document}, document.fabric.topology);
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
  scenario.nic_transport = nic_transport(document);
  scenario.transport = document.transport;
  scenario.pxn = document.pxn;
  scenario.run = document.run;
  scenario.observe = document.observe;
  check_receivers(context);
  check_run(context);
  lower_classes(context, scenario);
  check_balancing(context, scenario);
  lower_jobs(context, scenario);
  lower_faults(context, scenario);
  lower_scale_up(context, scenario);
  return scenario;
}

}  // namespace weft::scenarios::language
