#include <optional>
#include <string>
#include <vector>

#include "protocols/config/switch_schema.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::CustomSpec;

constexpr std::uint64_t kMaxParallelLinks = 1'024;
constexpr std::uint64_t kMaxRadix = 65'535;

schema::Object<TierDocument> tier_schema() {
  return schema::describe<TierDocument>("tier", "the switches of one tier")
      .object("switch", &TierDocument::switch_part, topologies::switch_part_schema(),
              "what they are, if not fabric.switch")
      .source("fabric.switch");
}

schema::Object<LeafSpineDocument> tiers_schema() {
  using Document = LeafSpineDocument;
  return schema::describe<Document>("leaf-spine", "racks on leaves, every leaf on every spine")
      .field(
          "leaves", &Document::leaves,
          "of each rack (or rail of a group), in every plane; 2 is dual-ToR: a NIC's ports to both")
      .source("one leaf")
      .range(1, 64)
      .field("planes", &Document::planes,
             "fabrics alike that share nothing but the NICs, whose ports go to all of them")
      .source("one fabric")
      .range(1, 64)
      .field("spines", &Document::spines, "how many, in each plane (and pod)")
      .required()
      .range(1, kMaxRadix)
      .field("links_per_pair", &Document::links_per_pair,
             "parallel links between a leaf and a spine")
      .source("one link")
      .range(1, kMaxParallelLinks)
      .object("leaf", &Document::leaf, tier_schema(), "the leaves")
      .object("spine", &Document::spine, tier_schema(), "the spines");
}

schema::Object<RailDocument> rail_schema() {
  return schema::describe<RailDocument>("rail-optimised",
                                        "NIC i of every server of a group on leaf i of the group")
      .field("group", &RailDocument::group, "servers that share their leaves, in order")
      .required()
      .range(1, 262'144)
      .include(&RailDocument::tiers, tiers_schema());
}

schema::Object<ClosDocument> clos_schema() {
  using Document = ClosDocument;
  return schema::describe<Document>("clos", "three tiers: pods of leaves and spines, super-spines")
      .choice("attachment", &Document::attachment,
              {{Document::Attachment::kRack, "rack", "a leaf per rack"},
               {Document::Attachment::kRail, "rail", "a leaf per rail of a group of servers"}},
              "what hangs on a leaf")
      .source("a leaf per rack")
      .field("group", &Document::group, "servers that share their leaves, in order")
      .source("one server")
      .range(1, 262'144)
      .only_if([](const Document& d) { return d.attachment == Document::Attachment::kRail; },
               "with `attachment: rail`")
      .include(&Document::tiers, tiers_schema())
      .field("pods", &Document::pods, "racks or groups are split over them in order")
      .required()
      .range(1, 262'144)
      .field("super_spines", &Document::super_spines, "how many, in each plane")
      .required()
      .range(1, 262'144)
      .field("super_links_per_pair", &Document::super_links_per_pair,
             "parallel links between a spine and a super-spine")
      .source("one link")
      .range(1, kMaxParallelLinks)
      .choice("super_wiring", &Document::super_wiring,
              {{topologies::ClosSpec::SuperSpines::kGroups, "groups",
                "spine j of every pod on the j-th part of them"},
               {topologies::ClosSpec::SuperSpines::kAll, "all", "every spine on all of them"}},
              "which super-spines a spine hangs on")
      .source("as in a fat tree")
      .object("super_spine", &Document::super_spine, tier_schema(), "the super-spines");
}

schema::Object<FatTreeDocument> fat_tree_schema() {
  return schema::describe<FatTreeDocument>("fat-tree", "k-ary tree of three tiers, k^3/4 NIC ports")
      .field("k", &FatTreeDocument::k, "ports per switch, an even number")
      .required()
      .range(2, 128)
      .object("server", &FatTreeDocument::server, topologies::server_part_schema(),
              "what each server is; its NIC ports divide k/2")
      .source("400 Gbps per host")
      .default_part("host-400g")
      .object("edge", &FatTreeDocument::edge, tier_schema(), "the switches that servers hang on")
      .object("aggregation", &FatTreeDocument::aggregation, tier_schema(), "the switches above")
      .object("core", &FatTreeDocument::core, tier_schema(), "the top switches")
      .check([](const FatTreeDocument& tree, std::vector<schema::Problem>& problems) {
        const std::uint32_t ports = tree.server.nics * tree.server.nic.ports;
        if (tree.k % 2 != 0) {
          problems.push_back({"k", "is odd; a k-ary fat tree needs an even k"});
        } else if (ports == 0 || tree.k / 2 % ports != 0) {
          problems.push_back({"server", "has " + std::to_string(ports) +
                                            " NIC ports; they must divide the " +
                                            std::to_string(tree.k / 2) +
                                            " ports that an edge switch has for servers"});
        }
      });
}

schema::Object<LoneDocument> lone_schema() {
  return schema::describe<LoneDocument>("none",
                                        "a scale-up domain alone: one server, its NICs left out");
}

schema::Object<topologies::RoutingSpec> fabric_routing_schema() {
  using topologies::RoutingSpec;
  const auto type = [](RoutingSpec & r) -> auto& { return r.hash.type; };
  const auto seeds = [](RoutingSpec & r) -> auto& { return r.hash.seeds; };
  return schema::describe<RoutingSpec>("routing", "how packets choose among shortest paths")
      .field("weighted_ecmp", &RoutingSpec::weighted_ecmp,
             "next hops get shares in proportion to the rates of their links")
      .source("plain ECMP: equal shares")
      .group("hash",
             schema::describe<RoutingSpec>("hash", "which next hop a flow takes")
                 .choice("type", type,
                         {{PathHash::Type::kMix, "mix", "choices of two seeds are independent"},
                          {PathHash::Type::kCrc16, "crc16",
                           "linear: what meets on one tier meets on the next"}},
                         "the function")
                 .source("no polarisation")
                 .choice("seeds", seeds,
                         {{PathHash::Seeds::kPerSwitch, "per-switch", ""},
                          {PathHash::Seeds::kSame, "same",
                           "the second tier repeats the first one's choices: polarisation"}},
                         "where it starts")
                 .source("no polarisation"),
             "of ECMP by flow");
}

schema::Object<CustomDocument::Node> node_schema() {
  using Node = CustomDocument::Node;
  return schema::describe<Node>("node", "a host or a switch")
      .field("name", &Node::name, "by which links and jobs refer to it")
      .required()
      .choice("kind", &Node::kind,
              {{CustomDocument::NodeKind::kHost, "host", "a NIC, or a GPU with all its links"},
               {CustomDocument::NodeKind::kSwitch, "switch", ""}},
              "what it is")
      .required()
      .field("tier", &Node::tier, "of a switch: 1 if hosts hang on it, and so on upwards")
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
      .only_if([](const Node& n) { return n.kind == CustomDocument::NodeKind::kSwitch; },
               "for a switch")
      .object("switch", &Node::switch_part, topologies::switch_part_schema(),
              "what a switch is, if not fabric.switch")
      .source("fabric.switch")
      .check([](const Node& node, std::vector<schema::Problem>& problems) {
        if (node.tier && node.kind == CustomDocument::NodeKind::kHost) {
          problems.push_back({"tier", "has no meaning for a host"});
        }
        if (node.switch_part && node.kind == CustomDocument::NodeKind::kHost) {
          problems.push_back({"switch", "has no meaning for a host"});
        }
      });
}

schema::Object<CustomDocument::Link> custom_link_schema() {
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

schema::Object<CustomDocument> custom_schema() {
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

schema::Object<LinkChangeDocument> change_schema() {
  using Change = LinkChangeDocument;
  return schema::describe<Change>("changed links", "links that differ from their role")
      .include(&Change::links, link_selection_schema())
      .include(&Change::link, link_schema());
}

}  // namespace

schema::Object<LinkDocument> link_schema() {
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

schema::Object<LinkSelection> link_selection_schema() {
  using Links = LinkSelection;
  return schema::describe<Links>("which links", "those between two nodes, or those of one")
      .field("from", &Links::from, "a node")
      .required()
      .field("to", &Links::to, "the other node; left out: every link of `from` in `network`")
      .source("every link of `from` in `network`")
      .choice(
          "network", &Links::network,
          {{Links::Network::kScaleOut, "scale-out", "NICs, leaves, spines"},
           {Links::Network::kScaleUp, "scale-up", "between the GPUs of one domain, such as NVLink"},
           {Links::Network::kBoth, "both", "of a GPU: all that it has"}},
          "in which network, where `to` is left out")
      .source("the idiom of a slow NIC, whose GPU keeps its scale-up links")
      .only_if([](const Links& links) { return links.to.empty(); },
               "without `to`, which says which links are meant");
}

schema::Object<LinksDocument> links_schema() {
  return schema::describe<LinksDocument>("links", "cables by role")
      .object("access", &LinksDocument::access, link_schema(), "between NICs and leaves")
      .object("uplink", &LinksDocument::uplink, link_schema(), "between leaves and spines")
      .object("super_uplink", &LinksDocument::super_uplink, link_schema(),
              "between spines and super-spines")
      .objects("changes", &LinksDocument::changes, change_schema(),
               "links that differ, such as one slow host")
      .source("all links of a role are alike");
}

schema::Object<FabricDocument> fabric_schema(LinkLayer layer) {
  const auto topology = [](FabricDocument & f) -> auto& { return f.topology; };
  return schema::describe<FabricDocument>("fabric", "topology and switches")
      .tag("topology", "how switches and hosts are joined")
      .alternative<LeafSpineDocument>("leaf-spine", topology, tiers_schema())
      .alternative<RailDocument>("rail-optimised", topology, rail_schema())
      .also("rail-optimized")
      .alternative<ClosDocument>("clos", topology, clos_schema())
      .alternative<FatTreeDocument>("fat-tree", topology, fat_tree_schema())
      .alternative<CustomDocument>("custom", topology, custom_schema())
      .alternative<LoneDocument>("none", topology, lone_schema())
      .object("switch", &FabricDocument::switch_part, topologies::switch_part_schema(),
              "what every switch is, unless its tier says otherwise")
      .source("a switch of the 400 and 800 Gbps generation")
      .default_part("spectrum-4")
      .include(&FabricDocument::routing, fabric_routing_schema())
      .include(&FabricDocument::policies, protocols::switch_schema(layer))
      .field("convergence", &FabricDocument::convergence,
             "from the failure or repair of a link until all switches route by it; `never`: they "
             "keep their routes")
      .source(
          "an estimate: finding that a link is down and changing the groups of next hops takes "
          "about a millisecond, a routing protocol tens and more")
      .at_most(Picoseconds(100'000'000'000'000))
      .special("never", std::nullopt)
      .objects(
          "classes", &FabricDocument::classes, class_schema(layer),
          "traffic classes in ascending priority; jobs use the first unless they say otherwise")
      .source(
          "`data`, weighted, as flow_control and ecn say, and above it `control`, strict, lossy "
          "unless the links are InfiniBand's");
}

}  // namespace weft::scenarios::language
