#include "tools/import/cluster/odd_cables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"

namespace weft::import {
namespace {

/// Most findings of one kind that are listed; then their number is said.
constexpr std::size_t kMaxListed = 20;

/// The value that more than half of a group has; null: there is none.
template <class T>
const T* majority(const std::map<T, std::size_t>& counts) {
  std::size_t all = 0;
  for (const auto& [value, count] : counts) all += count;
  for (const auto& [value, count] : counts) {
    if (2 * count > all) return &value;
  }
  return nullptr;
}

class CablingChecks {
 public:
  CablingChecks(const Cluster& cluster, Remarks& remarks) : cluster_(cluster), remarks_(remarks) {
    levels_.assign(cluster.switches.size(), 0);
    for (const ClusterCable& cable : cluster.cables) {
      if (cable.a.is_server) levels_[cable.b.device] = 1;
    }
  }

  void run() {
    nics_without_cables();
    pairs_with_fewer_cables();
    slow_cables();
    rails();
    for (const auto& [kind, count] : counts_) {
      if (count > kMaxListed) {
        add_finding(remarks_, {}, fmt::format("{} more: {}", count - kMaxListed, kind));
      }
    }
  }

 private:
  void say(const std::string& kind, std::string text, SourceLocation where = {}) {
    if (++counts_[kind] <= kMaxListed) add_finding(remarks_, std::move(where), std::move(text));
  }

  [[nodiscard]] std::string name_of(const ClusterEnd& end) const {
    if (!end.is_server) return cluster_.switches[end.device].name;
    const ClusterServer& server = cluster_.servers[end.device];
    return server.name + "/" + server.nics[end.nic].name;
  }

  void nics_without_cables() {
    std::set<std::pair<std::size_t, std::size_t>> cabled;
    for (const ClusterCable& cable : cluster_.cables) {
      if (cable.a.is_server) cabled.emplace(cable.a.device, cable.a.nic);
    }
    for (std::size_t i = 0; i < cluster_.servers.size(); ++i) {
      for (std::size_t k = 0; k < cluster_.servers[i].nics.size(); ++k) {
        if (cabled.contains({i, k})) continue;
        say("NICs without a cable",
            fmt::format("{} has no cable", escaped(name_of({true, i, k, {}}))));
      }
    }
  }

  /// Leaf to spine: within the pairs of tiers alike, most have the same number of cables.
  void pairs_with_fewer_cables() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> cables;
    for (const ClusterCable& cable : cluster_.cables) {
      if (!cable.a.is_server) ++cables[std::minmax(cable.a.device, cable.b.device)];
    }
    std::map<std::size_t, std::size_t> counts;
    for (const auto& [pair, count] : cables) ++counts[count];
    const std::size_t* usual = majority(counts);
    if (usual == nullptr) return;
    for (const auto& [pair, count] : cables) {
      if (count == *usual) continue;
      say("pairs of switches with another number of cables than most",
          fmt::format("{} and {} are joined by {} cables; most pairs of switches by {}",
                      escaped(cluster_.switches[pair.first].name),
                      escaped(cluster_.switches[pair.second].name), count, *usual));
    }
    missing_pairs(cables);
  }

  /// A leaf that is not on a spine that nearly all leaves are on.
  void missing_pairs(const std::map<std::pair<std::size_t, std::size_t>, std::size_t>& cables) {
    std::map<std::size_t, std::set<std::size_t>> leaves_of;
    std::size_t leaves = 0;
    for (const std::size_t level : levels_) leaves += level == 1 ? 1 : 0;
    for (const auto& [pair, count] : cables) {
      if (levels_[pair.first] == 1 && levels_[pair.second] == 0)
        leaves_of[pair.second].insert(pair.first);
      if (levels_[pair.second] == 1 && levels_[pair.first] == 0)
        leaves_of[pair.first].insert(pair.second);
    }
    for (const auto& [spine, below] : leaves_of) {
      if (below.size() == leaves || 4 * below.size() < 3 * leaves) continue;
      for (std::size_t leaf = 0; leaf < levels_.size(); ++leaf) {
        if (levels_[leaf] != 1 || below.contains(leaf)) continue;
        say("leaves that miss a spine",
            fmt::format("{} has no cable to {}, which {} of {} leaves have",
                        escaped(cluster_.switches[leaf].name),
                        escaped(cluster_.switches[spine].name), below.size(), leaves));
      }
    }
  }

  void slow_cables() {
    for (const bool to_servers : {true, false}) {
      std::map<std::int64_t, std::size_t> counts;
      for (const ClusterCable& cable : cluster_.cables) {
        if (cable.a.is_server == to_servers && cable.rate) ++counts[cable.rate->value.count()];
      }
      const std::int64_t* usual = majority(counts);
      if (usual == nullptr) continue;
      for (const ClusterCable& cable : cluster_.cables) {
        if (cable.a.is_server != to_servers || !cable.rate) continue;
        if (cable.rate->value.count() >= *usual) continue;
        say("cables slower than their likes",
            fmt::format("{} to {} runs at {:g} Gb/s ({}); most of its likes at {:g}",
                        escaped(name_of(cable.a)), escaped(name_of(cable.b)),
                        static_cast<double>(cable.rate->value.count()) / 1e9, cable.rate->from,
                        static_cast<double>(*usual) / 1e9));
      }
    }
  }

  /// NIC k of most servers is on the leaf of rail k, or all NICs of a server are on one leaf: a
  /// server whose NICs are spread otherwise is miswired.
  void rails() {
    std::map<std::vector<std::size_t>, std::vector<std::size_t>> servers_by_leaves;
    std::vector<std::vector<std::size_t>> leaves(cluster_.servers.size());
    for (std::size_t i = 0; i < cluster_.servers.size(); ++i) {
      leaves[i].assign(cluster_.servers[i].nics.size(), SIZE_MAX);
    }
    for (const ClusterCable& cable : cluster_.cables) {
      if (cable.a.is_server) leaves[cable.a.device][cable.a.nic] = cable.b.device;
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) servers_by_leaves[leaves[i]].push_back(i);
    for (const auto& [odd, servers] : servers_by_leaves) {
      if (servers.size() > 1) continue;
      for (const auto& [usual, others] : servers_by_leaves) {
        if (others.size() < 2 || usual.size() != odd.size()) continue;
        name_miswired(odd, usual, servers.front(), others.front());
      }
    }
  }

  /// Where a server has the leaves of its likes but for two NICs, which are swapped, or one.
  void name_miswired(const std::vector<std::size_t>& odd, const std::vector<std::size_t>& usual,
                     std::size_t server, std::size_t like) {
    std::vector<std::size_t> differ;
    for (std::size_t i = 0; i < odd.size(); ++i) {
      if (odd[i] != usual[i] && odd[i] != SIZE_MAX) differ.push_back(i);
    }
    if (differ.empty() || differ.size() > 2 || 2 * differ.size() >= odd.size()) return;
    for (const std::size_t i : differ) {
      const std::string expected = usual[i] == SIZE_MAX ? "none" : cluster_.switches[usual[i]].name;
      say("NICs on other leaves than their likes",
          fmt::format("{} is on {}; the same NIC of {} is on {}",
                      escaped(name_of({true, server, i, {}})),
                      escaped(cluster_.switches[odd[i]].name), escaped(cluster_.servers[like].name),
                      escaped(expected)));
    }
  }

  const Cluster& cluster_;
  Remarks& remarks_;
  std::vector<std::size_t> levels_;  ///< by switch: 1 where servers are attached
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

void check_cabling(const Cluster& cluster, Remarks& remarks) {
  CablingChecks(cluster, remarks).run();
}

}  // namespace weft::import
