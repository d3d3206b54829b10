#include "topologies/clos/clos.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "simcore/text/counted.hpp"
#include "topologies/assembly/assembler.hpp"
#include "topologies/assembly/servers.hpp"

namespace weft::topologies {
namespace {

std::string racks_key(const ClosSpec& spec) { return spec.is_fat_tree ? "fabric" : "racks"; }

/// How many of each kind there are; all numbers saturate.
struct Plan {
  explicit Plan(const ClosSpec& spec) : servers(spec.racks) {
    const bool by_rail = spec.attachment == ClosSpec::Attachment::kRail;
    const std::uint64_t group = std::max(1U, spec.group);
    blocks = by_rail ? saturating_sum(servers.servers(), group - 1) / group : servers.racks();
    // Servers with fewer have no NIC on the last ones.
    for (const RackSpec& rack : spec.racks) {
      if (by_rail) rails = std::max(rails, rails_of(rack.server));
    }
    leaves_per_block = std::uint64_t{rails} * spec.leaves;
    pods = std::max(1U, spec.pods);
    blocks_per_pod = (saturating_sum(blocks, pods - 1)) / pods;
    leaves = saturating_product(blocks, leaves_per_block);
    spines = std::uint64_t{pods} * spec.spines;
    if (spec.pods == 0) return;
    const bool is_full = spec.super_wiring == ClosSpec::SuperSpines::kAll;
    supers_of_spine = is_full ? spec.super_spines : spec.super_spines / std::max(1U, spec.spines);
  }

  [[nodiscard]] std::uint64_t cables(const ClosSpec& spec) const {
    const std::uint64_t up =
        saturating_product(leaves, saturating_product(spec.spines, spec.links_per_pair));
    const std::uint64_t super_up =
        saturating_product(spines, saturating_product(supers_of_spine, spec.super_links_per_pair));
    return saturating_sum(saturating_sum(servers.inner_cables(), servers.nic_ports()),
                          saturating_product(spec.planes, saturating_sum(up, super_up)));
  }

  Servers servers;
  std::uint64_t blocks = 0;
  std::uint32_t rails = 1;
  std::uint64_t leaves_per_block = 1;
  std::uint64_t pods = 1;
  std::uint64_t blocks_per_pod = 1;
  std::uint64_t leaves = 0;  ///< of a plane, as are the following
  std::uint64_t spines = 0;
  std::uint64_t supers_of_spine = 0;  ///< that one spine is attached to
};

class ClosChecker {
 public:
  explicit ClosChecker(const ClosSpec& spec) : spec_(spec) {}

  Errors run() {
    errors_ = Plan(spec_).servers.check(racks_key(spec_));
    check_at_least_one(spec_.spines, "fabric.spines", errors_);
    check_at_least_one(spec_.links_per_pair, "fabric.links_per_pair", errors_);
    check_at_least_one(spec_.planes, "fabric.planes", errors_);
    check_at_least_one(spec_.leaves, "fabric.leaves", errors_);
    for (std::size_t i = 0; i < spec_.racks.size(); ++i) check_rack(i);
    check_link(spec_.uplink, "links.uplink", errors_);
    check_part(spec_.leaf, "fabric.leaf");
    check_part(spec_.spine, "fabric.spine");
    check_at_least_one(spec_.group, "fabric.group", errors_);
    if (spec_.pods > 0) check_pods();
    if (!errors_.empty()) return std::move(errors_);
    const Plan plan(spec_);
    check_size(plan.servers.hosts(), saturating_product(2, plan.cables(spec_)), errors_);
    return std::move(errors_);
  }

 private:
  void fail(std::string key, std::string message) {
    errors_.push_back(error_at(std::move(key), std::move(message)));
  }

  void check_part(const SwitchPart& part, const std::string& key) {
    check_not_negative(part.latency, key + ".latency", errors_);
  }

  void check_rack(std::size_t i) {
    const RackSpec& rack = spec_.racks[i];
    std::string key = racks_key(spec_);
    if (spec_.racks.size() > 1) key += "[" + std::to_string(i) + "]";
    check_link(rack.access, "links.access", errors_);
    if (rack.server.nics == 0) {
      fail(key + ".server.nics", "is 0; servers on a scale-out fabric have NICs");
    }
    const bool by_port = spec_.plane_of == ClosSpec::PlaneOf::kPort;
    const std::uint64_t ways = std::uint64_t{by_port ? spec_.planes : 1} * spec_.leaves;
    if (ways > 0 && rack.server.nic.ports % ways != 0) {
      fail(key + ".server.nic.ports",
           "is " + std::to_string(rack.server.nic.ports) + "; a NIC has ports to " +
               (by_port && spec_.planes > 1 ? weft::counted(ways, "plane")
                                            : weft::counted(ways, "leaf", "leaves")) +
               ", the same number to each");
    }
    if (!by_port && spec_.planes > 0) check_planes_of_nics(rack.server, key + ".server");
  }

  /// A message between planes goes by a GPU on the rail of its receiver, which must be in the
  /// receiver's plane.
  void check_planes_of_nics(const ServerPart& server, const std::string& key) {
    if (server.nics % spec_.planes != 0) {
      fail(key + ".nics", "is " + std::to_string(server.nics) + "; with `plane_of: nic` the " +
                              std::to_string(spec_.planes) +
                              " planes have the same number of NICs each; take a multiple");
    } else if (rails_of(server) % spec_.planes != 0) {
      fail(key + ".rails", "is " + std::to_string(rails_of(server)) +
                               "; with `plane_of: nic` NICs of one rail are in one of the " +
                               std::to_string(spec_.planes) + " planes; take a multiple");
    }
  }

  void check_pods() {
    check_at_least_one(spec_.super_spines, "fabric.super_spines", errors_);
    check_at_least_one(spec_.super_links_per_pair, "fabric.super_links_per_pair", errors_);
    check_link(spec_.super_uplink, "links.super_uplink", errors_);
    check_part(spec_.super_spine, "fabric.super_spine");
    const Plan plan(spec_);
    if (saturating_product(plan.pods - 1, plan.blocks_per_pod) >= plan.blocks && plan.blocks > 0) {
      fail("fabric.pods", "is " + std::to_string(spec_.pods) + "; " +
                              weft::counted(plan.blocks, "rack or group", "racks or groups") +
                              " in order, " + std::to_string(plan.blocks_per_pod) +
                              " per pod, would leave some pod empty");
    }
    if (spec_.super_wiring == ClosSpec::SuperSpines::kGroups && spec_.spines > 0 &&
        spec_.super_spines % spec_.spines != 0) {
      fail("fabric.super_spines", "is " + std::to_string(spec_.super_spines) +
                                      ", which cannot be split evenly over the " +
                                      std::to_string(spec_.spines) +
                                      " spines of a pod; take a multiple, or `super_wiring: all`");
    }
  }

  const ClosSpec& spec_;
  Errors errors_;
};

class ClosBuilder {
 public:
  explicit ClosBuilder(const ClosSpec& spec) : spec_(spec), plan_(spec) {}

  Result<Fabric> build() {
    const std::uint64_t switches = spec_.planes * (plan_.leaves + plan_.spines);
    assembler_.reserve(plan_.servers.hosts() + switches, plan_.cables(spec_));
    const std::vector<Servers::NicPort> nic_ports = plan_.servers.add_to(assembler_);
    base_tier_ = plan_.servers.has_nic_nodes() ? 2 : 1;
    add_switches();
    for (const Servers::NicPort& port : nic_ports) attach(port);
    for (std::uint32_t plane = 0; plane < spec_.planes; ++plane) {
      join_leaves(plane);
      if (spec_.pods > 0) join_spines(plane);
    }
    if (spec_.is_fat_tree) group_hosts_by_pod(nic_ports);
    return std::move(assembler_).finish();
  }

 private:
  [[nodiscard]] std::string name(std::uint32_t plane, const char* kind, std::uint64_t index) const {
    const std::string prefix = spec_.planes > 1 ? "p" + std::to_string(plane) + "-" : "";
    return prefix + kind + std::to_string(index);
  }
  /// `pod0-edge1`: how the switches of a fat tree's pod are called; `p1-pod0-edge1` in plane 1.
  [[nodiscard]] std::string name_in_pod(std::uint32_t plane, std::uint64_t pod, const char* kind,
                                        std::uint64_t index) const {
    return name(plane, "pod", pod) + "-" + kind + std::to_string(index);
  }

  template <class Name, class Group>
  void add_tier(std::vector<NodeId>& tier, std::uint32_t level, std::uint64_t count,
                const SwitchPart& part, Name name_of, Group group_of) {
    for (std::uint32_t plane = 0; plane < spec_.planes; ++plane) {
      for (std::uint64_t i = 0; i < count; ++i) {
        tier.push_back(assembler_.add_switch(name_of(plane, i), base_tier_ + level,
                                             static_cast<std::int32_t>(group_of(i)), part));
      }
    }
  }

  void add_switches() {
    const bool is_tree = spec_.is_fat_tree;
    const std::uint64_t leaves_per_pod = plan_.blocks_per_pod * plan_.leaves_per_block;
    add_tier(
        leaves_, 0, plan_.leaves, spec_.leaf,
        [&](std::uint32_t plane, std::uint64_t i) {
          return is_tree ? name_in_pod(plane, i / leaves_per_pod, "edge", i % leaves_per_pod)
                         : name(plane, "leaf", i);
        },
        [&](std::uint64_t i) { return i / (is_tree ? leaves_per_pod : plan_.leaves_per_block); });
    add_tier(
        spines_, 1, plan_.spines, spec_.spine,
        [&](std::uint32_t plane, std::uint64_t i) {
          return is_tree ? name_in_pod(plane, i / spec_.spines, "agg", i % spec_.spines)
                         : name(plane, "spine", i);
        },
        [&](std::uint64_t i) {
          return spec_.pods == 0 ? -1 : static_cast<std::int64_t>(i / spec_.spines);
        });
    if (spec_.pods == 0) return;
    add_tier(
        supers_, 2, spec_.super_spines, spec_.super_spine,
        [&](std::uint32_t plane, std::uint64_t i) {
          return name(plane, is_tree ? "core" : "super", i);
        },
        [](std::uint64_t) { return -1; });
  }

  [[nodiscard]] std::uint64_t block_of(const Servers::NicPort& port) const {
    return spec_.attachment == ClosSpec::Attachment::kRail ? port.server / spec_.group : port.rack;
  }

  void attach(const Servers::NicPort& port) {
    const bool by_port = spec_.plane_of == ClosSpec::PlaneOf::kPort;
    const std::uint32_t plane = (by_port ? port.port : port.nic) % spec_.planes;
    const std::uint32_t which = (by_port ? port.port / spec_.planes : port.port) % spec_.leaves;
    const std::uint64_t rail = spec_.attachment == ClosSpec::Attachment::kRail ? port.rail : 0;
    const std::uint64_t leaf =
        block_of(port) * plan_.leaves_per_block + rail * spec_.leaves + which;
    assembler_.add_cable({.a = port.node,
                          .b = leaves_[plane * plan_.leaves + leaf],
                          .link = port.spec->access,
                          .edge_from_a = port.sending,
                          .edge_from_b = port.receiving});
  }

  void join(NodeId a, NodeId b, const LinkSpec& link, std::uint32_t times) {
    for (std::uint32_t i = 0; i < times; ++i) assembler_.add_cable({a, b, link});
  }

  void join_leaves(std::uint32_t plane) {
    const std::uint64_t per_pod = plan_.blocks_per_pod * plan_.leaves_per_block;
    for (std::uint64_t leaf = 0; leaf < plan_.leaves; ++leaf) {
      for (std::uint32_t j = 0; j < spec_.spines; ++j) {
        const std::uint64_t spine = leaf / per_pod * spec_.spines + j;
        join(leaves_[plane * plan_.leaves + leaf], spines_[plane * plan_.spines + spine],
             spec_.uplink, spec_.links_per_pair);
      }
    }
  }

  void join_spines(std::uint32_t plane) {
    const bool is_full = spec_.super_wiring == ClosSpec::SuperSpines::kAll;
    for (std::uint64_t spine = 0; spine < plan_.spines; ++spine) {
      const std::uint64_t first = is_full ? 0 : spine % spec_.spines * plan_.supers_of_spine;
      for (std::uint64_t i = first; i < first + plan_.supers_of_spine; ++i) {
        join(spines_[plane * plan_.spines + spine],
             supers_[std::uint64_t{plane} * spec_.super_spines + i], spec_.super_uplink,
             spec_.super_links_per_pair);
      }
    }
  }

  void group_hosts_by_pod(const std::vector<Servers::NicPort>& nic_ports) {
    for (const Servers::NicPort& port : nic_ports) {
      assembler_.node(port.node).group =
          static_cast<std::int32_t>(block_of(port) / plan_.blocks_per_pod);
    }
  }

  const ClosSpec& spec_;
  Plan plan_;
  Assembler assembler_;
  std::uint32_t base_tier_ = 1;
  std::vector<NodeId> leaves_;  ///< plane by plane
  std::vector<NodeId> spines_;
  std::vector<NodeId> supers_;
};

}  // namespace

Result<Fabric> build(const ClosSpec& spec) {
  if (Errors errors = ClosChecker(spec).run(); !errors.empty()) return errors;
  return ClosBuilder(spec).build();
}

}  // namespace weft::topologies
