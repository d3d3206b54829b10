#include "tools/deploy/slurm_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "tools/deploy/hostlist.hpp"
#include "tools/diagnose/model/places.hpp"

namespace weft::deploy {
namespace {

/// Sets that grow together.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

/// A switch of Slurm's tree.
struct Branch {
  std::string name;
  std::vector<std::string> merged;  ///< switches of the fabric that it stands for
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
};

class TreeWriter {
 public:
  explicit TreeWriter(const Fabric& fabric)
      : fabric_(fabric), places_(fabric), groups_(fabric.switches.size()) {
    for (const NodeId id : fabric.switches) {
      const Node& node = fabric.node(id);
      if (node.network == NetworkKind::kScaleOut && !node.is_nic) tiers_.insert(node.tier);
    }
  }

  Result<Deployed> write() {
    if (tiers_.empty()) return Error{"has no switches between servers: there is no tree to write"};
    join_leaves();
    std::map<std::size_t, std::vector<std::size_t>> below = leaf_branches();
    if (branches_.empty()) return Error{"has no leaf with a server: there is no tree to write"};
    for (auto tier = std::next(tiers_.begin()); tier != tiers_.end(); ++tier) {
      join_tier(*tier);
      below = add_tier(*tier, below);
    }
    return text();
  }

 private:
  [[nodiscard]] const Node& switch_at(std::size_t i) const {
    return fabric_.node(fabric_.switches[i]);
  }
  [[nodiscard]] bool is_of_tier(const Node& node, std::uint32_t tier) const {
    return node.kind == NodeKind::kSwitch && node.network == NetworkKind::kScaleOut &&
           !node.is_nic && node.tier == tier;
  }

  /// Calls `visit` with every switch that a node has a cable to, through NICs that are nodes.
  template <class Visit>
  void for_each_peer(const Node& node, Visit visit) const {
    for (std::uint32_t p = 0; p < node.port_count; ++p) {
      const Node& peer = fabric_.node(fabric_.peer_node(PortId(node.first_port.value() + p)));
      if (peer.kind != NodeKind::kSwitch || peer.network != NetworkKind::kScaleOut) continue;
      if (!peer.is_nic) {
        visit(peer);
      } else if (node.kind == NodeKind::kHost) {
        for_each_peer(peer, visit);
      }
    }
  }

  /// Leaves that share a server are one switch.
  void join_leaves() {
    leaves_of_.resize(places_.servers.size());
    for (std::size_t server = 0; server < leaves_of_.size(); ++server) {
      for (const std::uint32_t host : places_.servers[server].hosts) {
        for_each_peer(fabric_.host(HostId(host)),
                      [&](const Node& leaf) { leaves_of_[server].insert(leaf.index); });
      }
      if (leaves_of_[server].empty()) continue;
      for (const std::size_t leaf : leaves_of_[server])
        groups_.join(leaf, *leaves_of_[server].begin());
      has_rails_ = has_rails_ || leaves_of_[server].size() > 1;
    }
  }

  std::map<std::size_t, std::vector<std::size_t>> leaf_branches() {
    std::map<std::size_t, Branch> by_group;
    for (std::size_t i = 0; i < fabric_.switches.size(); ++i) {
      if (is_of_tier(switch_at(i), *tiers_.begin())) {
        by_group[groups_.find(i)].merged.push_back(switch_at(i).name);
      }
    }
    for (std::size_t server = 0; server < leaves_of_.size(); ++server) {
      if (leaves_of_[server].empty()) continue;
      by_group[groups_.find(*leaves_of_[server].begin())].nodes.push_back(
          places_.servers[server].name);
    }
    std::map<std::size_t, std::vector<std::size_t>> made;
    for (auto& [group, branch] : by_group) {
      if (branch.nodes.empty()) continue;
      branch.name = branch.merged.size() == 1 ? branch.merged.front()
                                              : fmt::format("group{}", branches_.size());
      made[group].push_back(branches_.size());
      branches_.push_back(std::move(branch));
    }
    return made;
  }

  /// Switches of a tier are one with what is below them.
  void join_tier(std::uint32_t tier) {
    for (std::size_t i = 0; i < fabric_.switches.size(); ++i) {
      if (!is_of_tier(switch_at(i), tier)) continue;
      for_each_peer(switch_at(i), [&](const Node& peer) {
        if (peer.tier < tier) groups_.join(i, peer.index);
      });
    }
  }

  std::map<std::size_t, std::vector<std::size_t>> add_tier(
      std::uint32_t tier, const std::map<std::size_t, std::vector<std::size_t>>& below) {
    std::map<std::size_t, std::vector<std::size_t>> children;
    for (const auto& [group, branches] : below) {
      std::vector<std::size_t>& all = children[groups_.find(group)];
      all.insert(all.end(), branches.begin(), branches.end());
    }
    std::map<std::size_t, std::vector<std::size_t>> made;
    for (const auto& [group, branches] : children) {
      Branch branch;
      for (std::size_t i = 0; i < fabric_.switches.size(); ++i) {
        if (is_of_tier(switch_at(i), tier) && groups_.find(i) == group) {
          branch.merged.push_back(switch_at(i).name);
        }
      }
      if (branch.merged.empty()) {
        made[group] = branches;
        continue;
      }
      for (const std::size_t child : branches) branch.switches.push_back(branches_[child].name);
      branch.name = branch.merged.size() == 1 ? branch.merged.front()
                                              : fmt::format("tier{}-{}", tier, made.size());
      made[group] = {branches_.size()};
      branches_.push_back(std::move(branch));
    }
    return made;
  }

  Deployed text() const {
    Deployed deployed;
    deployed.text = "# Slurm topology.conf, for TopologyPlugin=topology/tree\n";
    for (const Branch& branch : branches_) {
      if (branch.merged.size() > 1) {
        deployed.text += fmt::format("# {} stands for {}\n", branch.name, hostlist(branch.merged));
      }
      deployed.text += "SwitchName=" + branch.name;
      if (!branch.nodes.empty()) deployed.text += " Nodes=" + hostlist(branch.nodes);
      if (!branch.switches.empty()) deployed.text += " Switches=" + hostlist(branch.switches);
      deployed.text += "\n";
    }
    if (has_rails_) {
      deployed.remarks.emplace_back(
          "servers have NICs on several leaves, which Slurm's tree cannot say: the leaves of a "
          "group are one switch");
    }
    return deployed;
  }

  const Fabric& fabric_;
  diagnose::Places places_;
  Groups groups_;
  std::set<std::uint32_t> tiers_;
  std::vector<std::set<std::size_t>> leaves_of_;  ///< by server
  std::vector<Branch> branches_;
  bool has_rails_ = false;
};

/// Nodes of a domain that is several: `rack0n1`, or `rack0` alone.
std::vector<std::string> nodes_of(const std::string& server, std::size_t gpus,
                                  std::uint32_t per_node) {
  std::vector<std::string> nodes;
  for (std::size_t first = 0; first < gpus; first += per_node) {
    nodes.push_back(fmt::format("{}n{}", server, first / per_node));
  }
  return nodes;
}

Deployed block_topology(const std::vector<diagnose::ServerPlace>& servers,
                        std::uint32_t gpus_per_node) {
  Deployed deployed;
  deployed.text = "# Slurm topology.conf, for TopologyPlugin=topology/block\n";
  std::size_t smallest = SIZE_MAX;
  for (const diagnose::ServerPlace& server : servers) {
    const auto nodes = nodes_of(server.name, server.hosts.size(), gpus_per_node);
    smallest = std::min(smallest, nodes.size());
    deployed.text += fmt::format("BlockName={} Nodes={}\n", server.name, hostlist(nodes));
  }
  deployed.text += fmt::format("BlockSizes={}\n", smallest);
  deployed.remarks.push_back(
      fmt::format("nodes of {} GPUs are called after their domain, as `{}n0`: put your names in",
                  gpus_per_node, servers.front().name));
  return deployed;
}

}  // namespace

Result<Deployed> slurm_topology(const Fabric& fabric, std::uint32_t gpus_per_node) {
  const std::vector<diagnose::ServerPlace> servers = diagnose::Places(fabric).servers;
  const bool has_blocks =
      gpus_per_node > 0 &&
      std::ranges::any_of(servers, [gpus_per_node](const diagnose::ServerPlace& server) {
        return server.hosts.size() > gpus_per_node;
      });
  if (has_blocks) return block_topology(servers, gpus_per_node);
  return TreeWriter(fabric).write();
}

}  // namespace weft::deploy
