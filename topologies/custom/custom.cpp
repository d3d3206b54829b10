#include "topologies/custom/custom.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "topologies/assembly/assembler.hpp"
#include "topologies/custom/name_index.hpp"

namespace weft::topologies {
namespace {

/// Checks a specification and keeps what the checks find out.
class CustomChecker {
 public:
  explicit CustomChecker(const CustomSpec& spec) : spec_(spec), links_of_(spec.nodes.size()) {}

  /// Errors of nodes and links, as many as there are.
  Errors run() {
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) check_node(i);
    for (std::size_t i = 0; i < spec_.links.size(); ++i) check_entry(i);
    if (errors_.empty()) check_hosts();
    std::uint64_t ports = 0;
    for (const std::uint64_t links : links_of_) ports = saturating_sum(ports, links);
    const auto hosts = std::ranges::count(spec_.nodes, false, &CustomSpec::NodeSpec::is_switch);
    check_size(static_cast<std::uint64_t>(hosts), ports, errors_);
    return std::move(errors_);
  }
  [[nodiscard]] std::uint32_t place(const std::string& name) const { return *names_.find(name); }

 private:
  void fail(std::string key, std::string message) {
    errors_.push_back(error_at(std::move(key), std::move(message)));
  }

  void check_node(std::size_t i) {
    const CustomSpec::NodeSpec& node = spec_.nodes[i];
    const std::string key = indexed("fabric.nodes", i);
    if (node.name.empty()) fail(key + ".name", "is empty; every node needs a name");
    if (!names_.add(node.name, static_cast<std::uint32_t>(i))) {
      fail(key + ".name", "`" + node.name + "` is the name of fabric.nodes[" +
                              std::to_string(place(node.name)) + "] already");
    }
    if (node.is_switch) check_at_least_one(node.tier, key + ".tier", errors_);
    if (node.is_switch && node.network == NetworkKind::kScaleUp && node.domain < 0) {
      fail(key + ".domain", "is missing; a scale-up switch serves one domain");
    }
    check_not_negative(node.pipeline, key + ".pipeline", errors_);
  }

  const std::uint32_t* check_end(const std::string& name, const std::string& key) {
    const std::uint32_t* found = names_.find(name);
    if (found == nullptr) fail(key, names_.unknown(name));
    return found;
  }

  void check_entry(std::size_t i) {
    const CustomSpec::LinkEntry& entry = spec_.links[i];
    const std::string key = indexed("fabric.links", i);
    check_link(entry.link, key, errors_);
    check_at_least_one(entry.count, key + ".count", errors_);
    const std::uint32_t* from = check_end(entry.from, key + ".from");
    const std::uint32_t* to = check_end(entry.to, key + ".to");
    if (from == nullptr || to == nullptr) return;
    if (*from == *to) {
      fail(key + ".to", "joins `" + entry.to + "` to itself; a link needs two nodes");
    } else if (!spec_.nodes[*from].is_switch && !spec_.nodes[*to].is_switch) {
      fail(key + ".to", "joins the hosts `" + entry.from + "` and `" + entry.to +
                            "`; the other end of a host's link must be a switch");
    }
    check_networks(spec_.nodes[*from], spec_.nodes[*to], key);
    links_of_[*from] += entry.count;
    links_of_[*to] += entry.count;
  }

  /// The two networks meet in hosts only, and a domain's scale-up switches join nothing but the
  /// domain.
  void check_networks(const CustomSpec::NodeSpec& from, const CustomSpec::NodeSpec& to,
                      const std::string& key) {
    const auto is_scale_up_switch = [](const CustomSpec::NodeSpec& node) {
      return node.is_switch && node.network == NetworkKind::kScaleUp;
    };
    if (from.is_switch && to.is_switch && is_scale_up_switch(from) != is_scale_up_switch(to)) {
      fail(key + ".to", "joins `" + from.name + "` and `" + to.name +
                            "`, which are of different networks; these meet in hosts only");
    } else if ((is_scale_up_switch(from) || is_scale_up_switch(to)) && from.domain != to.domain) {
      fail(key + ".to", "joins `" + from.name + "` and `" + to.name +
                            "`; a scale-up link stays inside of one domain");
    }
  }

  void check_hosts() {
    std::vector<bool> has_scale_up_switch(spec_.nodes.size());
    for (const CustomSpec::LinkEntry& entry : spec_.links) {
      const std::uint32_t from = place(entry.from);
      const std::uint32_t to = place(entry.to);
      if (spec_.nodes[to].network == NetworkKind::kScaleUp) has_scale_up_switch[from] = true;
      if (spec_.nodes[from].network == NetworkKind::kScaleUp) has_scale_up_switch[to] = true;
    }
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      const CustomSpec::NodeSpec& node = spec_.nodes[i];
      if (node.is_switch) continue;
      if (links_of_[i] == 0) {
        fail(indexed("fabric.nodes", i), "host `" + node.name + "` has no link");
      } else if (node.domain >= 0 && !has_scale_up_switch[i]) {
        fail(indexed("fabric.nodes", i),
             "host `" + node.name + "` is in a scale-up domain, and has no link to a switch of it");
      }
    }
  }

  const CustomSpec& spec_;
  NameIndex names_;
  std::vector<std::uint64_t> links_of_;
  Errors errors_;
};

/// The order of nodes in the fabric, as places in the list.
std::vector<std::uint32_t> node_order(const CustomSpec& spec) {
  std::vector<std::uint32_t> order(spec.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&spec](std::uint32_t i) {
    const CustomSpec::NodeSpec& node = spec.nodes[i];
    // Scale-up switches before the others of their tier: a host's scale-up ports precede its
    // scale-out ones.
    return std::pair(node.is_switch ? node.tier : 0, node.network == NetworkKind::kScaleOut);
  });
  return order;
}

/// Resolves static next hops.
class Resolver {
 public:
  explicit Resolver(const Fabric& fabric) : fabric_(fabric) {
    for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
      names_.add(fabric.nodes[i].name, static_cast<std::uint32_t>(i));
    }
  }

  void resolve(const CustomSpec::NextHopEntry& entry, const std::string& key) {
    const Node* at = find(entry.at, NodeKind::kSwitch, "a switch", key + ".at");
    const Node* to = find(entry.to, NodeKind::kHost, "a host", key + ".to");
    if (at == nullptr || to == nullptr) return;
    if (at->network == NetworkKind::kScaleUp) {
      return fail(key + ".at", "`" + entry.at +
                                   "` is a scale-up switch; static next hops are for "
                                   "the scale-out network");
    }
    const auto is_at = [&](const Port& port) {
      return &fabric_.node(fabric_.port(port.peer).node) == at;
    };
    if (std::ranges::any_of(fabric_.ports_of(fabric_.hosts[to->index]), is_at)) {
      return fail(key + ".at", "`" + entry.to + "` is attached to `" + entry.at +
                                   "`, which always sends to it directly");
    }
    if (entry.via.empty()) return fail(key + ".via", "is empty; name at least one neighbour");
    StaticNextHops hops{SwitchId(at->index), HostId(to->index), {}};
    for (std::size_t i = 0; i < entry.via.size(); ++i) {
      add_via(*at, entry.via[i], key + indexed(".via", i), hops);
    }
    std::ranges::sort(hops.local_ports);
    hops.local_ports.erase(std::unique(hops.local_ports.begin(), hops.local_ports.end()),
                           hops.local_ports.end());
    const auto is_same = [&hops](const StaticNextHops& other) {
      return other.at == hops.at && other.to == hops.to;
    };
    if (std::ranges::any_of(resolved, is_same)) {
      return fail(key, "`" + entry.at + "` has next hops for `" + entry.to + "` already");
    }
    resolved.push_back(std::move(hops));
  }

  std::vector<StaticNextHops> resolved;
  Errors errors;

 private:
  void fail(std::string key, std::string message) {
    errors.push_back(error_at(std::move(key), std::move(message)));
  }

  const Node* find(const std::string& name, NodeKind kind, const char* wanted,
                   const std::string& key) {
    const std::uint32_t* found = names_.find(name);
    if (found == nullptr) {
      fail(key, names_.unknown(name));
      return nullptr;
    }
    const Node& node = fabric_.nodes[*found];
    if (node.kind == kind) return &node;
    fail(key, "`" + name + "` is not " + wanted);
    return nullptr;
  }

  void add_via(const Node& at, const std::string& name, const std::string& key,
               StaticNextHops& hops) {
    const Node* via = find(name, NodeKind::kSwitch, "a switch; hosts do not forward", key);
    if (via == nullptr) return;
    const std::size_t before = hops.local_ports.size();
    for (std::uint32_t local = 0; local < at.port_count; ++local) {
      if (&fabric_.node(fabric_.peer_node(PortId(at.first_port.value() + local))) != via) continue;
      hops.local_ports.push_back(static_cast<std::uint16_t>(local));
    }
    if (hops.local_ports.size() == before) {
      fail(key, "`" + name + "` is not a neighbour of `" + at.name + "`");
    }
  }

  const Fabric& fabric_;
  NameIndex names_;
};

}  // namespace

Result<Fabric> build(const CustomSpec& spec) {
  CustomChecker checker(spec);
  if (Errors errors = checker.run(); !errors.empty()) return errors;
  Assembler assembler;
  std::vector<NodeId> node_at(spec.nodes.size());
  std::map<std::int32_t, std::int32_t> domains;  // as the specification numbers them
  for (const std::uint32_t place : node_order(spec)) {
    const CustomSpec::NodeSpec& spec_node = spec.nodes[place];
    node_at[place] =
        spec_node.is_switch
            ? assembler.add_switch(spec_node.name, spec_node.tier, -1, spec_node.pipeline)
            : assembler.add_host(spec_node.name, -1, spec_node.pipeline);
    Node& node = assembler.node(node_at[place]);
    node.rail = spec_node.rail;
    node.network = spec_node.network;
    if (spec_node.is_switch) {
      node.buffer = spec_node.buffer;
      node.cell = spec_node.cell;
      node.headroom_pool = spec_node.headroom_pool;
      node.capacity = spec_node.capacity;
    }
    if (spec_node.domain < 0) continue;
    const auto [known, is_new] = domains.try_emplace(spec_node.domain, 0);
    if (is_new) known->second = assembler.add_domain(0);  // all are alike
    node.domain = known->second;
  }
  for (const CustomSpec::LinkEntry& entry : spec.links) {
    const NodeId from = node_at[checker.place(entry.from)];
    const NodeId to = node_at[checker.place(entry.to)];
    for (std::uint32_t i = 0; i < entry.count; ++i) assembler.add_cable({from, to, entry.link});
  }
  return std::move(assembler).finish();
}

Result<std::vector<StaticNextHops>> resolve_next_hops(const Fabric& fabric,
                                                      const CustomSpec& spec) {
  Resolver resolver(fabric);
  for (std::size_t i = 0; i < spec.next_hops.size(); ++i) {
    resolver.resolve(spec.next_hops[i], indexed("fabric.next_hops", i));
  }
  if (!resolver.errors.empty()) return std::move(resolver.errors);
  return std::move(resolver.resolved);
}

}  // namespace weft::topologies
