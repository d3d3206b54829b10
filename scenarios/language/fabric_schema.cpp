#include <optional>
#include <string>
#include <vector>

#include "protocols/switching/switch_schema.hpp"
#include "scenarios/language/document.hpp"
#include "simcore/schema_builder.hpp"
#include "topologies/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::CustomSpec;

constexpr std::uint64_t kMaxParallelLinks = 1'024;
constexpr std::uint64_t kMaxRadix = 65'535;

schema::Object leaf_spine_schema() {
  return schema::describe<LeafSpineDocument>("leaf-spine",
                                             "one leaf per rack, every leaf joined to every spine")
      .field("spines", &LeafSpineDocument::spines, "how many")
      .required()
      .range(1, kMaxRadix)
      .field("links_per_pair", &LeafSpineDocument::links_per_pair,
             "parallel links between a leaf and a spine")
      .source("one link")
      .range(1, kMaxParallelLinks);
}

schema::Object fat_tree_schema() {
  return schema::describe<FatTreeDocument>("fat-tree", "k-ary tree of three tiers, k^3/4 hosts")
      .field("k", &FatTreeDocument::k, "ports per switch, an even number")
      .required()
      .range(2, 128)
      .object("server", &FatTreeDocument::server, topologies::server_part_schema(),
              "what each host is; one NIC")
      .source("400 Gbps per host")
      .default_part("host-400g")
      .check([](const FatTreeDocument& tree, std::vector<schema::Problem>& problems) {
        if (tree.k % 2 != 0) {
          problems.push_back({"k", "is odd; a k-ary fat tree needs an even k"});
        }
        if (tree.server.nics != 1) {
          problems.push_back({"server", "has " + std::to_string(tree.server.nics) +
                                            " NICs; a host of a fat tree has one"});
        }
      });
}

schema::Object node_schema() {
  using Node = CustomDocument::Node;
  return schema::describe<Node>("node", "a host or a switch")
      .field("name", &Node::name, "by which links and jobs refer to it")
      .required()
      .choice("kind", &Node::kind, {{"host", "one NIC, one link"}, {"switch", ""}}, "what it is")
      .required()
      .field("tier", &Node::tier, "of a switch: 1 if hosts hang on it, and so on upwards")
      .source("1 for a switch")
      .range(1, 16)
      .field("latency", &Node::latency, "pipeline of the switch, or receive latency of the NIC")
      .source("that of fabric.switch or fabric.nic")
      .check([](const Node& node, std::vector<schema::Problem>& problems) {
        if (node.tier && node.kind == CustomDocument::NodeKind::kHost) {
          problems.push_back({"tier", "has no meaning for a host"});
        }
      });
}

schema::Object custom_link_schema() {
  using Link = CustomDocument::Link;
  return schema::describe<Link>("link", "a cable between two nodes")
      .field("from", &Link::from, "a node")
      .required()
      .field("to", &Link::to, "the other node")
      .required()
      .include(&Link::link, link_schema())
      .field("count", &Link::count, "parallel cables")
      .source("one cable")
      .range(1, kMaxParallelLinks);
}

schema::Object next_hop_schema() {
  using Entry = CustomSpec::NextHopEntry;
  return schema::describe<Entry>("next hop", "a static route instead of shortest paths")
      .field("at", &Entry::at, "a switch")
      .required()
      .field("to", &Entry::to, "a host")
      .required()
      .words("via", &Entry::via, "neighbours of the switch")
      .required();
}

schema::Object custom_schema() {
  return schema::describe<CustomDocument>("custom", "nodes and links by name")
      .object("nic", &CustomDocument::nic, topologies::nic_part_schema(), "of every host")
      .source("400 Gbps per host")
      .default_part("connectx-7")
      .objects("nodes", &CustomDocument::nodes, node_schema(), "hosts and switches")
      .required()
      .not_empty()
      .objects("links", &CustomDocument::links, custom_link_schema(), "cables")
      .required()
      .not_empty()
      .objects("next_hops", &CustomDocument::next_hops, next_hop_schema(),
               "static routes instead of shortest paths")
      .source("equal-cost shortest paths");
}

schema::Object change_schema() {
  using Change = LinkChangeDocument;
  return schema::describe<Change>("changed links", "links that differ from their role")
      .field("from", &Change::from, "a node")
      .required()
      .field("to", &Change::to, "the other node; left out: every link of `from`")
      .source("every link of `from`")
      .include(&Change::link, link_schema());
}

}  // namespace

schema::Object link_schema() {
  return schema::describe<LinkDocument>("link", "a cable: a latency, or a length of some cable")
      .field("rate", &LinkDocument::rate, "per direction")
      .at_least(1_Mbps)
      .field("latency", &LinkDocument::latency, "of one direction, instead of length and cable")
      .field("length", &LinkDocument::length, "of the cable")
      .at_least(Millimetres(1))
      .at_most(Millimetres(100'000'000))
      .object("cable", &LinkDocument::cable, topologies::cable_part_schema(), "what kind of cable")
      .check([](const LinkDocument& link, std::vector<schema::Problem>& problems) {
        if (link.latency && (link.length || link.cable)) {
          problems.push_back({"latency",
                              "given together with length or cable; the latency of the "
                              "whole wire replaces both"});
        }
      });
}

schema::Object links_schema() {
  return schema::describe<LinksDocument>("links", "cables by role")
      .object("access", &LinksDocument::access, link_schema(), "between hosts and switches")
      .object("uplink", &LinksDocument::uplink, link_schema(), "between switches")
      .objects("changes", &LinksDocument::changes, change_schema(),
               "links that differ, such as one slow host")
      .source("all links of a role are alike");
}

schema::Object fabric_schema() {
  const auto topology = [](FabricDocument & f) -> auto& { return f.topology; };
  return schema::describe<FabricDocument>("fabric", "topology and switches")
      .tag("topology", "how switches and hosts are joined")
      .alternative<LeafSpineDocument>("leaf-spine", topology, leaf_spine_schema())
      .alternative<FatTreeDocument>("fat-tree", topology, fat_tree_schema())
      .alternative<CustomDocument>("custom", topology, custom_schema())
      .object("switch", &FabricDocument::switch_part, topologies::switch_part_schema(),
              "what every switch is")
      .source("a switch of the 400 and 800 Gbps generation")
      .default_part("spectrum-4")
      .include(&FabricDocument::policies, protocols::switch_schema())
      .field("convergence", &FabricDocument::convergence,
             "from the failure or repair of a link until all switches route by it; `never`: they "
             "keep their routes")
      .source(
          "an estimate: finding that a link is down and changing the groups of next hops takes "
          "about a millisecond, a routing protocol tens and more")
      .at_most(Picoseconds(100'000'000'000'000))
      .special("never", std::nullopt)
      .objects(
          "classes", &FabricDocument::classes, class_schema(),
          "traffic classes in ascending priority; jobs use the first unless they say otherwise")
      .source(
          "`data`, weighted, as flow_control and ecn say, and above it `control`, strict, lossy");
}

}  // namespace weft::scenarios::language
