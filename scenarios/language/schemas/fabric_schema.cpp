#include <optional>
#include <string>
#include <vector>

#include "protocols/config/switch_schema.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

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

schema::Object<LinkChange> change_schema() {
  using Change = LinkChange;
  return schema::describe<Change>("changed links", "links that differ from their role")
      .include(&Change::links, link_selection_schema())
      .include(&Change::link, topologies::link_part_schema());
}

}  // namespace

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
      .object("access", &LinksDocument::access, topologies::link_part_schema(),
              "between NICs and leaves")
      .object("uplink", &LinksDocument::uplink, topologies::link_part_schema(),
              "between leaves and spines")
      .object("super_uplink", &LinksDocument::super_uplink, topologies::link_part_schema(),
              "between spines and super-spines")
      .objects("changes", &LinksDocument::changes, change_schema(),
               "links that differ, such as one slow host")
      .source("all links of a role are alike");
}

schema::Object<FabricDocument> fabric_schema(LinkLayer layer) {
  const auto topology = [](FabricDocument & f) -> auto& { return f.topology; };
  auto keys = schema::describe<FabricDocument>("fabric", "topology and switches");
  keys.tag("topology", "how switches and hosts are joined");
  topologies::Topologies::for_each([&]<class T>() {
    keys.template alternative<T>(T::kName, topology, T::schema());
    if constexpr (requires { T::kAlias; }) keys.also(T::kAlias);
    if constexpr (requires { T::kFormerName; }) keys.alternative_formerly(T::kFormerName);
  });
  return keys
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
          "unless the links are InfiniBand's")
      .objects("changes", &FabricDocument::changes, settings_change_schema(layer),
               "switches, ports and NICs whose settings differ; of several that concern a port, "
               "the last counts")
      .source("all switches are set alike");
}

}  // namespace weft::scenarios::language
