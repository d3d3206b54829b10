#pragma once

#include <variant>

#include "topologies/cabled/cabled_spec.hpp"
#include "topologies/clos/clos_spec.hpp"
#include "topologies/custom/custom_spec.hpp"
#include "topologies/fat_tree/fat_tree.hpp"
#include "topologies/single_domain/single_domain.hpp"
#include "topologies/topology.hpp"

namespace weft::topologies {

template <Topology... Types>
struct TopologyList {
  using Any = std::variant<Types...>;

  /// Calls `visit.operator()<T>()` for every topology, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<Types>(), ...);
  }
};

/// All topologies, in the order in which the reference lists them; the first is the default.
using Topologies =
    TopologyList<LeafSpine, RailOptimised, Clos, FatTree, Cabled, Custom, SingleDomain>;

/// One of them, as a scenario says it.
using AnyTopology = Topologies::Any;

/// What they stand for, and short forms.
using TopologySpec =
    std::variant<LeafSpineSpec, FatTreeSpec, CustomSpec, ClosSpec, SingleDomainSpec, CabledSpec>;

}  // namespace weft::topologies
