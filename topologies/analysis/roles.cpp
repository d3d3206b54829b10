#include "topologies/analysis/roles.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "simcore/text/counted.hpp"

namespace weft::topologies {
namespace {

/// More kinds of names than this in one tier are names, not roles.
constexpr std::size_t kMaxStems = 3;

/// `pod3-edge1` has the stem `edge`: the last letters before the trailing number.
std::string stem_of(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && std::isalpha(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  return name.substr(begin, end - begin);
}

using TierKey = std::tuple<bool, bool, std::uint32_t>;  ///< switch, scale-out, tier
TierKey tier_key(const Node& node) {
  const bool is_switch = node.kind == NodeKind::kSwitch;
  return {is_switch, is_switch && node.network == NetworkKind::kScaleOut, node.tier};
}

class RoleFinder {
 public:
  explicit RoleFinder(const Fabric& fabric) : fabric_(fabric) {}

  RoleTable find() {
    name_tiers();
    assign();
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) measure(NodeId(i));
    collect_links();
    return std::move(table_);
  }

 private:
  void name_tiers() {
    for (const NodeId id : fabric_.switches) {
      const Node& node = fabric_.node(id);
      std::set<std::string>& stems = stems_[tier_key(node)];
      if (stems.size() <= kMaxStems) stems.insert(stem_of(node.name));
    }
  }

  [[nodiscard]] std::string role_name(const Node& node) const {
    if (node.kind == NodeKind::kHost) return node.domain >= 0 ? "GPU" : "host";
    if (node.is_nic) return "NIC";
    const std::set<std::string>& stems = stems_.at(tier_key(node));
    std::string stem = stem_of(node.name);
    // Single letters are names of nodes, not of what they do.
    const bool is_telling = stems.size() <= kMaxStems && stem.size() > 1;
    if (is_telling) return stem;
    return node.network == NetworkKind::kScaleUp ? "chip" : "switch";
  }

  void assign() {
    std::map<std::pair<TierKey, std::string>, std::vector<NodeId>> members;
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      const Node& node = fabric_.nodes[i];
      members[{tier_key(node), role_name(node)}].emplace_back(i);
    }
    table_.role_of.resize(fabric_.nodes.size());
    for (const auto& [key, nodes] : members) {
      const Node& first = fabric_.node(nodes.front());
      for (const NodeId id : nodes) {
        table_.role_of[id.value()] = static_cast<std::uint32_t>(table_.roles.size());
      }
      Role role;
      role.kind = first.kind;
      role.network = first.network;
      role.tier = first.tier;
      role.name = key.second;
      role.first = nodes.front();
      role.nodes = static_cast<std::uint32_t>(nodes.size());
      role.fewest_ports = first.port_count;
      table_.roles.push_back(std::move(role));
    }
  }

  void measure(NodeId id) {
    const Node& node = fabric_.node(id);
    Role& role = table_.roles[table_.role_of[id.value()]];
    role.fewest_ports = std::min(role.fewest_ports, node.port_count);
    role.max_ports = std::max(role.max_ports, node.port_count);
    BitsPerSecond down;
    BitsPerSecond up;
    for (const Port& port : fabric_.ports_of(id)) {
      const Node& peer = fabric_.node(fabric_.port(port.peer).node);
      const bool is_host_scale_up =
          node.kind == NodeKind::kHost && peer.network == NetworkKind::kScaleUp;
      if (peer.tier == node.tier || is_host_scale_up) {
        role.across += port.rate;
      } else {
        (peer.tier < node.tier ? down : up) += port.rate;
      }
    }
    role.down += down;
    role.up += up;
    if (up.count() > 0 && down.count() > 0) {
      role.oversubscription = std::max(role.oversubscription, static_cast<double>(down.count()) /
                                                                  static_cast<double>(up.count()));
    }
  }

  void collect_links() {
    using Key = std::tuple<std::uint32_t, std::uint32_t, BitsPerSecond, Picoseconds>;
    std::map<Key, std::uint64_t> links;
    for (std::size_t i = 0; i < fabric_.ports.size(); ++i) {
      const Port& port = fabric_.ports[i];
      if (port.peer.value() < i) continue;
      const std::uint32_t a = table_.role_of[port.node.value()];
      const std::uint32_t b = table_.role_of[fabric_.port(port.peer).node.value()];
      ++links[{std::min(a, b), std::max(a, b), port.rate, port.wire_latency}];
    }
    for (const auto& [key, count] : links) {
      const auto& [lower, upper, rate, latency] = key;
      table_.links.push_back({lower, upper, rate, latency, count});
    }
  }

  const Fabric& fabric_;
  RoleTable table_;
  std::map<TierKey, std::set<std::string>> stems_;
};

}  // namespace

RoleTable find_roles(const Fabric& fabric) { return RoleFinder(fabric).find(); }

std::string counted(std::uint64_t count, const std::string& name) {
  const auto number = static_cast<std::int64_t>(count);
  if (name.empty()) return format_count(number) + " ";
  if (name == "leaf") return weft::counted(number, name, "leaves");
  const char last = name.back();
  const bool hisses = last == 's' || last == 'x' || last == 'h';
  return weft::counted(number, name, hisses ? name + "es" : name + "s");
}

}  // namespace weft::topologies
