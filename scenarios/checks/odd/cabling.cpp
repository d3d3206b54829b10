#include "scenarios/checks/odd/cabling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "scenarios/checks/odd/majority.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

/// Most findings of one kind that are listed; then their number is said.
constexpr std::size_t kMaxListed = 20;

double gigabits(BitsPerSecond rate) { return static_cast<double>(rate.count()) / 1e9; }

class CablingChecks {
 public:
  explicit CablingChecks(const Cabling& cabling) : cabling_(cabling), leaves_(leaves_of(cabling)) {}

  std::vector<OddCable> run() {
    nics_without_cables();
    pairs_with_fewer_cables();
    slow_access_cables();
    slow_cables_between_switches();
    rails();
    for (const auto& [kind, count] : counts_) {
      if (count > kMaxListed) {
        found_.push_back({fmt::format("{} more: {}", count - kMaxListed, kind), {}, {}});
      }
    }
    return std::move(found_);
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  void say(const std::string& kind, OddCable found) {
    if (++counts_[kind] <= kMaxListed) found_.push_back(std::move(found));
  }
  [[nodiscard]] std::string name(const Cabling::End& end) const {
    return escaped(cabling_.name_of(end));
  }
  [[nodiscard]] std::string switch_name(std::size_t index) const {
    return escaped(cabling_.switches[index].name);
  }

  /// By server and NIC the switches that it is on, ascending.
  static std::vector<std::vector<std::vector<std::size_t>>> leaves_of(const Cabling& cabling) {
    std::vector<std::vector<std::vector<std::size_t>>> leaves;
    leaves.reserve(cabling.servers.size());
    for (const Cabling::Server& server : cabling.servers) leaves.emplace_back(server.nics.size());
    for (const Cabling::Cable& cable : cabling.cables) {
      if (cable.a.is_server) leaves[cable.a.device][cable.a.nic].push_back(cable.b.device);
    }
    for (auto& server : leaves) {
      for (auto& nic : server) std::ranges::sort(nic);
    }
    return leaves;
  }

  void nics_without_cables() {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      for (std::size_t k = 0; k < leaves_[i].size(); ++k) {
        if (!leaves_[i][k].empty()) continue;
        const Cabling::End end{true, i, k};
        say("NICs without a cable", {name(end) + " has no cable", {}, {end}});
      }
    }
  }

  /// Switches whose cables are to be alike: by the tiers at both ends.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> tiers_of(const Pair& pair) const {
    return std::minmax(cabling_.switches[pair.first].tier, cabling_.switches[pair.second].tier);
  }

  /// Leaf to spine: within the pairs of tiers alike, most have the same number of cables.
  void pairs_with_fewer_cables() {
    std::map<Pair, std::vector<std::size_t>> cables;
    for (std::size_t i = 0; i < cabling_.cables.size(); ++i) {
      const Cabling::Cable& cable = cabling_.cables[i];
      if (!cable.a.is_server) cables[std::minmax(cable.a.device, cable.b.device)].push_back(i);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::size_t, std::size_t>> counts;
    for (const auto& [pair, some] : cables) ++counts[tiers_of(pair)][some.size()];
    for (const auto& [pair, some] : cables) {
      const std::size_t* usual = majority(counts.at(tiers_of(pair)));
      if (usual == nullptr || some.size() == *usual) continue;
      say("pairs of switches with another number of cables than most",
          {fmt::format("{} and {} are joined by {} cable{}; most pairs of switches by {}",
                       switch_name(pair.first), switch_name(pair.second), some.size(),
                       some.size() == 1 ? "" : "s", *usual),
           some,
           {{false, pair.first, 0}, {false, pair.second, 0}}});
    }
    missing_pairs(cables);
  }

  /// A leaf that is not on a spine that nearly all leaves are on.
  void missing_pairs(const std::map<Pair, std::vector<std::size_t>>& cables) {
    std::map<std::size_t, std::set<std::size_t>> leaves_of;
    std::size_t leaves = 0;
    for (const Cabling::Switch& one : cabling_.switches) leaves += one.tier == 1 ? 1 : 0;
    for (const auto& [pair, some] : cables) {
      const auto [a, b] = pair;
      const bool a_is_leaf = cabling_.switches[a].tier == 1;
      const bool b_is_leaf = cabling_.switches[b].tier == 1;
      if (a_is_leaf && !b_is_leaf) leaves_of[b].insert(a);
      if (b_is_leaf && !a_is_leaf) leaves_of[a].insert(b);
    }
    for (const auto& [spine, below] : leaves_of) {
      if (below.size() == leaves || 4 * below.size() < 3 * leaves) continue;
      for (std::size_t leaf = 0; leaf < cabling_.switches.size(); ++leaf) {
        if (cabling_.switches[leaf].tier != 1 || below.contains(leaf)) continue;
        say("leaves that miss a spine",
            {fmt::format("{} has no cable to {}, which {} of {} leaves have", switch_name(leaf),
                         switch_name(spine), below.size(), leaves),
             {},
             {{false, leaf, 0}, {false, spine, 0}}});
      }
    }
  }

  void say_slow(std::size_t index, BitsPerSecond usual) {
    const Cabling::Cable& cable = cabling_.cables[index];
    say("cables slower than their likes",
        {fmt::format("{} to {} runs at {:g} Gb/s{}; most of its likes at {:g}", name(cable.a),
                     name(cable.b), gigabits(cable.rate),
                     cable.rate_from.empty() ? "" : " (" + cable.rate_from + ")", gigabits(usual)),
         {index},
         {}});
  }

  /// Likes are the NICs of the same name, where several servers have it, else all NICs. A leaf all
  /// of whose NICs are slower is one for other servers.
  void slow_access_cables() {
    std::map<std::string, std::map<BitsPerSecond, std::size_t>> of_name;
    std::map<BitsPerSecond, std::size_t> of_all;
    std::map<std::size_t, std::map<BitsPerSecond, std::set<std::size_t>>> of_leaf;
    const auto nic_name = [&](const Cabling::Cable& cable) {
      return cabling_.servers[cable.a.device].nics[cable.a.nic];
    };
    for (const Cabling::Cable& cable : cabling_.cables) {
      if (!cable.a.is_server || cable.rate == BitsPerSecond()) continue;
      ++of_name[nic_name(cable)][cable.rate];
      ++of_all[cable.rate];
      of_leaf[cable.b.device][cable.rate].insert(cable.a.device);
    }
    for (std::size_t i = 0; i < cabling_.cables.size(); ++i) {
      const Cabling::Cable& cable = cabling_.cables[i];
      if (!cable.a.is_server || cable.rate == BitsPerSecond()) continue;
      const auto& likes = of_name.at(nic_name(cable));
      std::size_t several = 0;
      for (const auto& [rate, count] : likes) several += count;
      const BitsPerSecond* usual = majority(several > 1 ? likes : of_all);
      const auto& leaf = of_leaf.at(cable.b.device);
      const bool is_leaf_of_its_own = leaf.size() == 1 && leaf.begin()->second.size() > 1;
      if (usual == nullptr || cable.rate >= *usual || is_leaf_of_its_own) continue;
      say_slow(i, *usual);
    }
  }

  void slow_cables_between_switches() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<BitsPerSecond, std::size_t>> counts;
    const auto tiers = [&](const Cabling::Cable& cable) {
      return tiers_of({cable.a.device, cable.b.device});
    };
    for (const Cabling::Cable& cable : cabling_.cables) {
      if (!cable.a.is_server && cable.rate > BitsPerSecond()) ++counts[tiers(cable)][cable.rate];
    }
    for (std::size_t i = 0; i < cabling_.cables.size(); ++i) {
      const Cabling::Cable& cable = cabling_.cables[i];
      if (cable.a.is_server || cable.rate == BitsPerSecond()) continue;
      const BitsPerSecond* usual = majority(counts.at(tiers(cable)));
      if (usual != nullptr && cable.rate < *usual) say_slow(i, *usual);
    }
  }

  /// NIC k of most servers is on the leaf of rail k, or all NICs of a server are on one leaf: a
  /// server whose NICs are spread otherwise is miswired.
  void rails() {
    std::map<std::vector<std::vector<std::size_t>>, std::vector<std::size_t>> servers_by_leaves;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      if (leaves_[i].size() > 1) servers_by_leaves[leaves_[i]].push_back(i);
    }
    for (const auto& [odd, servers] : servers_by_leaves) {
      if (servers.size() > 1) continue;
      for (const auto& [usual, others] : servers_by_leaves) {
        if (others.size() < 2 || usual.size() != odd.size()) continue;
        name_miswired(servers.front(), others.front());
      }
    }
    servers_on_one_leaf();
  }

  /// The leaf that at least three of four NICs of a server are on. Nothing: they are spread.
  [[nodiscard]] const std::size_t* leaf_of_most(std::size_t server) const {
    const std::size_t* usual = nullptr;
    std::size_t on_it = 0;
    const auto& nics = leaves_[server];
    for (const auto& nic : nics) {
      if (nic.size() != 1) continue;
      const auto on = static_cast<std::size_t>(std::ranges::count(nics, nic));
      if (on <= on_it) continue;
      on_it = on;
      usual = &nic.front();
    }
    const auto cabled = static_cast<std::size_t>(
        std::ranges::count_if(nics, [](const auto& nic) { return nic.size() == 1; }));
    return nics.size() > 1 && 4 * on_it >= 3 * cabled ? usual : nullptr;
  }

  /// Where the NICs of most servers are on one leaf, a NIC apart from the others of its server is
  /// miswired. One that most servers have apart, on a leaf where no server is at home, is meant so.
  void servers_on_one_leaf() {
    std::size_t together = 0;
    std::size_t several = 0;  // servers with cables of several NICs
    std::vector<Pair> apart;  // server, NIC
    std::map<std::size_t, std::size_t> apart_of_nic;
    std::set<std::size_t> homes;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const auto is_cabled = [](const auto& nic) { return nic.size() == 1; };
      if (leaves_[i].size() < 2 || std::ranges::none_of(leaves_[i], is_cabled)) continue;
      ++several;
      const std::size_t* usual = leaf_of_most(i);
      if (usual == nullptr) continue;
      ++together;
      homes.insert(*usual);
      for (std::size_t k = 0; k < leaves_[i].size(); ++k) {
        if (!is_cabled(leaves_[i][k]) || leaves_[i][k].front() == *usual) continue;
        apart.emplace_back(i, k);
        ++apart_of_nic[k];
      }
    }
    if (2 * together <= several) return;
    for (const auto& [server, nic] : apart) {
      const bool is_meant =
          2 * apart_of_nic.at(nic) > several && !homes.contains(leaves_[server][nic].front());
      if (is_meant || miswired_.contains({server, nic})) continue;
      say("NICs on other leaves than their likes",
          {fmt::format("{} is on {}; most NICs of {} are on {}", name({true, server, nic}),
                       switch_names(leaves_[server][nic]), escaped(cabling_.servers[server].name),
                       switch_name(*leaf_of_most(server))),
           cables_of(server, nic),
           {{true, server, nic}}});
    }
  }

  [[nodiscard]] std::string switch_names(const std::vector<std::size_t>& switches) const {
    std::string text;
    for (const std::size_t one : switches) text += (text.empty() ? "" : ", ") + switch_name(one);
    return text.empty() ? "none" : text;
  }

  /// Where a server has the leaves of its likes but for two NICs, which are swapped, or one.
  void name_miswired(std::size_t server, std::size_t like) {
    const auto& odd = leaves_[server];
    const auto& usual = leaves_[like];
    std::vector<std::size_t> differ;
    for (std::size_t i = 0; i < odd.size(); ++i) {
      if (odd[i] != usual[i] && !odd[i].empty()) differ.push_back(i);
    }
    if (differ.empty() || differ.size() > 2 || 2 * differ.size() >= odd.size()) return;
    for (const std::size_t i : differ) {
      if (!miswired_.insert({server, i}).second) continue;
      say("NICs on other leaves than their likes",
          {fmt::format("{} is on {}; the same NIC of {} is on {}", name({true, server, i}),
                       switch_names(odd[i]), escaped(cabling_.servers[like].name),
                       switch_names(usual[i])),
           cables_of(server, i),
           {{true, server, i}}});
    }
  }

  [[nodiscard]] std::vector<std::size_t> cables_of(std::size_t server, std::size_t nic) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < cabling_.cables.size(); ++i) {
      const Cabling::End& a = cabling_.cables[i].a;
      if (a.is_server && a.device == server && a.nic == nic) found.push_back(i);
    }
    return found;
  }

  const Cabling& cabling_;
  std::vector<std::vector<std::vector<std::size_t>>> leaves_;
  std::set<Pair> miswired_;  ///< servers and NICs that were named
  std::vector<OddCable> found_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

std::string Cabling::name_of(const End& end) const {
  if (!end.is_server) return switches[end.device].name;
  const Server& server = servers[end.device];
  return server.name.empty() ? server.nics[end.nic] : server.name + "/" + server.nics[end.nic];
}

std::vector<OddCable> find_odd_cables(const Cabling& cabling) {
  return CablingChecks(cabling).run();
}

}  // namespace weft::scenarios
