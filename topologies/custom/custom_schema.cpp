#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/custom/custom_spec.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::topologies {
namespace {

schema::Object<Custom::Node> node_schema() {
  using Node = Custom::Node;
  return schema::describe<Node>("node", "a host or a switch")
      .field("name", &Node::name, "by which links and jobs refer to it")
      .changes_output()
      .required()
      .choice("kind", &Node::kind,
              {{NodeKind::kHost, "host", "a NIC, or a GPU with all its links"},
               {NodeKind::kSwitch, "switch", ""}},
              "what it is")
      .required()
      .field("tier", &Node::tier, "of a switch: 1 if hosts are attached to it, and so on upwards")
      .source("1 for a switch")
      .range(1, 16)
      .field("latency", &Node::latency, "pipeline of the switch, or receive latency of the NIC")
      .source("that of its switch, of fabric.switch or fabric.nic")
      .field("domain", &Node::domain, "scale-up domain of a GPU, or of a switch that serves one")
      .source("none")
      .choice("network", &Node::network,
              {{NetworkKind::kScaleOut, "scale-out", ""},
               {NetworkKind::kScaleUp, "scale-up", "between the GPUs of one domain"}},
              "of a switch; hosts are in both")
      .source("scale-out")
      .only_if([](const Node& n) { return n.kind == NodeKind::kSwitch; }, "for a switch")
      .object("switch", &Node::switch_part, switch_part_schema(),
              "what a switch is, if not fabric.switch")
      .source("fabric.switch")
      .check([](const Node& node, std::vector<schema::Problem>& problems) {
        if (node.tier && node.kind == NodeKind::kHost) {
          problems.push_back({"tier", "has no meaning for a host"});
        }
        if (node.switch_part && node.kind == NodeKind::kHost) {
          problems.push_back({"switch", "has no meaning for a host"});
        }
      });
}

schema::Object<Custom::Link> custom_link_schema() {
  using Link = Custom::Link;
  return schema::describe<Link>("link", "a cable between two nodes")
      .field("from", &Link::from, "a node")
      .required()
      .field("to", &Link::to, "the other node")
      .required()
      .include(&Link::link, link_part_schema())
      .field("count", &Link::count, "parallel cables")
      .source("one cable")
      .range(1, kMaxParallelLinks);
}

schema::Object<CustomSpec::NextHopEntry> next_hop_schema() {
  using Entry = CustomSpec::NextHopEntry;
  return schema::describe<Entry>("next hop", "a static route instead of shortest paths")
      .field("at", &Entry::at, "a switch")
      .required()
      .field("to", &Entry::to, "a host")
      .required()
      .words("via", &Entry::via, "neighbours of the switch")
      .required();
}

}  // namespace

schema::Object<Custom> Custom::schema() {
  return schema::describe<Custom>("custom", "nodes and links by name")
      .object("nic", &Custom::nic, nic_part_schema(), "of every host")
      .source("400 Gbps per host")
      .default_part("connectx-7")
      .objects("nodes", &Custom::nodes, node_schema(), "hosts and switches")
      .required()
      .not_empty()
      .objects("links", &Custom::links, custom_link_schema(), "cables")
      .required()
      .not_empty()
      .objects("next_hops", &Custom::next_hops, next_hop_schema(),
               "static routes instead of shortest paths")
      .source("equal-cost shortest paths");
}

std::vector<SwitchUse> Custom::switch_uses() const {
  std::vector<SwitchUse> uses;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.kind == NodeKind::kHost || node.network == NetworkKind::kScaleUp) continue;
    uses.push_back({"nodes[" + std::to_string(i) + "].switch",
                    node.switch_part ? &*node.switch_part : nullptr});
  }
  return uses;
}

std::vector<std::string> Custom::host_names() const {
  std::vector<std::string> names;
  for (const Node& node : nodes) {
    if (node.kind == NodeKind::kHost) names.push_back(node.name);
  }
  return names;
}

CustomSpec Custom::specification(const FabricParts& parts) const {
  CustomSpec spec;
  for (const Node& node : nodes) {
    CustomSpec::NodeSpec specified{.name = node.name,
                                   .is_switch = node.kind == NodeKind::kSwitch,
                                   .tier = node.tier.value_or(1)};
    Picoseconds pipeline = nic.arrival_latency();
    if (specified.is_switch) {
      const SwitchPart part = node.switch_part.value_or(parts.switches);
      pipeline = part.latency;
      specified.buffer = part.buffer;
      specified.cell = part.cell;
      specified.headroom_pool = part.headroom_pool;
      specified.capacity = part.capacity.value_or(BitsPerSecond());
      specified.network = node.network;
    }
    specified.pipeline = node.latency.value_or(pipeline);
    if (node.domain) specified.domain = static_cast<std::int32_t>(*node.domain);
    spec.nodes.push_back(std::move(specified));
  }
  for (const Link& link : links) {
    spec.links.push_back({link.from, link.to, link_spec(link.link), link.count});
  }
  spec.next_hops = next_hops;
  spec.routing = parts.routing;
  return spec;
}

}  // namespace weft::topologies
