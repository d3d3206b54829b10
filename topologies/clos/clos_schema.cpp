#include <optional>

#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "topologies/clos/clos_spec.hpp"
#include "topologies/clos/tier_schema.hpp"

namespace weft::topologies {
namespace {

template <class Keys>
LeafSpine& as_leaf_spine(Keys& keys) {
  return keys;
}

}  // namespace

schema::Object<LeafSpine> LeafSpine::schema() {
  using Keys = LeafSpine;
  return schema::describe<Keys>("leaf-spine", "racks on leaves, every leaf on every spine")
      .field(
          "leaves", &Keys::leaves,
          "of each rack (or rail of a group), in every plane; 2 is dual-ToR: a NIC's ports to both")
      .source("one leaf")
      .range(1, 64)
      .field("planes", &Keys::planes,
             "fabrics alike that share nothing but the NICs, whose ports go to all of them")
      .source("one fabric")
      .range(1, 64)
      .choice("plane_of", &Keys::plane_of,
              {{PlaneOf::kPort, "port", "port p of every NIC is in plane p modulo planes"},
               {PlaneOf::kNic, "nic",
                "NIC i of a server is in plane i modulo planes; other planes are reached by other "
                "GPUs of the server alone"}},
              "what of a server a plane has")
      .source("NICs with a port per plane; a NIC per plane: DeepSeek-V3, arXiv 2505.09343")
      .matters_if([](const Keys& d) { return d.planes > 1; }, "with several planes")
      .field("spines", &Keys::spines, "how many, in each plane (and pod)")
      .required()
      .range(1, kMaxRadix)
      .field("links_per_pair", &Keys::links_per_pair, "parallel links between a leaf and a spine")
      .source("one link")
      .range(1, kMaxParallelLinks)
      .group("leaf", tier_schema(&Keys::leaf_switch), "the leaves")
      .group("spine", tier_schema(&Keys::spine_switch), "the spines");
}

schema::Object<RailOptimised> RailOptimised::schema() {
  return schema::describe<RailOptimised>("rail-optimised",
                                         "NIC i of every server of a group on leaf i of the group")
      .field("group", &RailOptimised::group, "servers that share their leaves, in order")
      .required()
      .range(1, kMaxHosts)
      .include(as_leaf_spine<RailOptimised>, LeafSpine::schema());
}

schema::Object<Clos> Clos::schema() {
  using Keys = Clos;
  return schema::describe<Keys>("clos", "three tiers: pods of leaves and spines, super-spines")
      .choice("attachment", &Keys::attachment,
              {{Attachment::kRack, "rack", "a leaf per rack"},
               {Attachment::kRail, "rail", "a leaf per rail of a group of servers"}},
              "what is attached to a leaf")
      .source("a leaf per rack")
      .field("group", &Keys::group, "servers that share their leaves, in order")
      .source("one server")
      .range(1, kMaxHosts)
      .only_if([](const Keys& d) { return d.attachment == Attachment::kRail; },
               "with `attachment: rail`")
      .include(as_leaf_spine<Clos>, LeafSpine::schema())
      .field("pods", &Keys::pods, "racks or groups are split over them in order")
      .required()
      .range(1, kMaxHosts)
      .field("super_spines", &Keys::super_spines, "how many, in each plane")
      .required()
      .range(1, kMaxHosts)
      .field("super_links_per_pair", &Keys::super_links_per_pair,
             "parallel links between a spine and a super-spine")
      .source("one link")
      .range(1, kMaxParallelLinks)
      .choice("super_wiring", &Keys::super_wiring,
              {{SuperSpines::kGroups, "groups", "spine j of every pod on the j-th part of them"},
               {SuperSpines::kAll, "all", "every spine on all of them"}},
              "which super-spines a spine is attached to")
      .source("as in a fat tree")
      .group("super_spine", tier_schema(&Keys::super_spine_switch), "the super-spines");
}

std::vector<SwitchUse> LeafSpine::switch_uses() const {
  return {switch_use("leaf", leaf_switch), switch_use("spine", spine_switch)};
}

std::vector<SwitchUse> Clos::switch_uses() const {
  std::vector<SwitchUse> uses = LeafSpine::switch_uses();
  uses.push_back(switch_use("super_spine", super_spine_switch));
  return uses;
}

ClosSpec::ClosSpec(const Clos& keys, const FabricParts& parts)
    : Clos(keys),
      racks(parts.racks),
      uplink(parts.uplink),
      super_uplink(parts.super_uplink),
      leaf(leaf_switch.value_or(parts.switches)),
      spine(spine_switch.value_or(parts.switches)),
      super_spine(super_spine_switch.value_or(parts.switches)),
      routing(parts.routing) {}

ClosSpec LeafSpine::specification(const FabricParts& parts) const {
  Clos keys;
  static_cast<LeafSpine&>(keys) = *this;
  return {keys, parts};
}

ClosSpec RailOptimised::specification(const FabricParts& parts) const {
  ClosSpec spec = LeafSpine::specification(parts);
  spec.attachment = Clos::Attachment::kRail;
  spec.group = group;
  return spec;
}

ClosSpec Clos::specification(const FabricParts& parts) const { return {*this, parts}; }

}  // namespace weft::topologies
