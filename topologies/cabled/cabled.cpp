#include "topologies/cabled/cabled.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simcore/text/counted.hpp"
#include "topologies/assembly/assembler.hpp"
#include "topologies/custom/name_index.hpp"

namespace weft::topologies {
namespace {

/// An end of a cable: a switch by its place in the list, or a NIC by its place among all.
struct End {
  bool is_switch = false;
  std::uint32_t place = 0;
};

struct Ends {
  End from;
  End to;
};

/// Checks a specification and resolves its names.
class CabledChecker {
 public:
  explicit CabledChecker(const CabledSpec& spec)
      : spec_(spec), servers_(spec.racks, spec.servers), tiers(spec.switches.size()) {}

  Errors run() {
    errors_ = servers_.check("racks");
    if (!errors_.empty()) return std::move(errors_);
    check_names();
    if (!errors_.empty()) return std::move(errors_);
    for (std::size_t i = 0; i < spec_.cables.size(); ++i) check_cable(i);
    if (errors_.empty()) find_tiers();
    std::uint64_t cables = servers_.inner_cables();
    for (const CabledSpec::CableEntry& entry : spec_.cables) {
      cables = saturating_sum(cables, entry.count);
    }
    check_size(servers_.hosts(), saturating_product(2, cables), errors_);
    return std::move(errors_);
  }

 private:
  void fail(std::string key, std::string message) {
    errors_.push_back(error_at(std::move(key), std::move(message)));
  }

  void check_names() {
    for (std::size_t i = 0; i < spec_.switches.size(); ++i) {
      const std::string& name = spec_.switches[i].name;
      const std::string key = indexed("fabric.switches", i) + ".name";
      if (name.empty()) fail(key, "is empty; every switch needs a name");
      if (!names_.add(name, static_cast<std::uint32_t>(ends_.size()))) {
        fail(key, "`" + name + "` is the name of a switch already");
      }
      ends_.push_back({true, static_cast<std::uint32_t>(i)});
    }
    if (spec_.servers.size() != servers_.servers()) {
      fail("fabric.servers", "names " + weft::counted(spec_.servers.size(), "server") +
                                 "; the racks have " + std::to_string(servers_.servers()));
      return;
    }
    std::uint32_t nic = 0;
    std::size_t server = 0;
    for (const RackSpec& rack : spec_.racks) {
      for (std::uint32_t i = 0; i < rack.count * rack.servers; ++i, ++server) {
        check_server(server, rack.server.nics, nic);
        const std::size_t ports = rack.server.nic.ports;
        free_ports_.insert(free_ports_.end(), rack.server.nics, ports);
        nic += rack.server.nics;
      }
    }
  }

  void check_server(std::size_t server, std::uint32_t nics, std::uint32_t first) {
    const ServerNames& given = spec_.servers[server];
    const std::string key = indexed("fabric.servers", server);
    if (given.name.empty()) fail(key + ".name", "is empty; every server needs a name");
    if (!given.nics.empty() && given.nics.size() != nics) {
      fail(key + ".nics", "has " + weft::counted(given.nics.size(), "name") + "; the server has " +
                              weft::counted(nics, "NIC"));
      return;
    }
    for (std::uint32_t i = 0; i < nics; ++i) {
      const std::string name = given.nic(i);
      if (!names_.add(name, static_cast<std::uint32_t>(ends_.size()))) {
        fail(key, "`" + name + "` is a name of another node already");
      }
      ends_.push_back({false, first + i});
    }
  }

  const End* find(const std::string& name, const std::string& key) {
    const std::uint32_t* found = names_.find(name);
    if (found != nullptr) return &ends_[*found];
    fail(key, names_.unknown(name));
    return nullptr;
  }

  void take_ports(const End& end, const std::string& name, std::uint32_t count,
                  const std::string& key) {
    if (end.is_switch) return;
    std::size_t& left = free_ports_[end.place];
    if (left < count) {
      fail(key, "`" + name + "` has more cables than its NIC has ports (`nic.ports`)");
      return;
    }
    left -= count;
  }

  void check_cable(std::size_t i) {
    const CabledSpec::CableEntry& entry = spec_.cables[i];
    const std::string key = indexed("fabric.cables", i);
    check_link(entry.link, key, errors_);
    check_at_least_one(entry.count, key + ".count", errors_);
    const End* from = find(entry.from, key + ".from");
    const End* to = find(entry.to, key + ".to");
    if (from == nullptr || to == nullptr) return;
    if (entry.from == entry.to) {
      return fail(key + ".to", "joins `" + entry.to + "` to itself; a cable needs two ends");
    }
    if (!from->is_switch && !to->is_switch) {
      return fail(key + ".to", "joins the NICs `" + entry.from + "` and `" + entry.to +
                                   "`; one end of a NIC's cable must be a switch");
    }
    take_ports(*from, entry.from, entry.count, key + ".from");
    take_ports(*to, entry.to, entry.count, key + ".to");
    ends.push_back({*from, *to});
  }

  /// A switch without a tier is one above its lowest neighbour below: found from servers upwards.
  void find_tiers() {
    constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> distance(spec_.switches.size(), kUnknown);
    std::vector<std::vector<std::uint32_t>> peers(spec_.switches.size());
    std::vector<std::uint32_t> reached;
    for (const Ends& cable : ends) {
      if (cable.from.is_switch && cable.to.is_switch) {
        peers[cable.from.place].push_back(cable.to.place);
        peers[cable.to.place].push_back(cable.from.place);
        continue;
      }
      const std::uint32_t at = cable.from.is_switch ? cable.from.place : cable.to.place;
      if (distance[at] == kUnknown) reached.push_back(at);
      distance[at] = 1;
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::uint32_t peer : peers[reached[i]]) {
        if (distance[peer] != kUnknown) continue;
        distance[peer] = distance[reached[i]] + 1;
        reached.push_back(peer);
      }
    }
    for (std::size_t i = 0; i < tiers.size(); ++i) {
      tiers[i] = spec_.switches[i].tier.value_or(distance[i] == kUnknown ? 1 : distance[i]);
    }
  }

  const CabledSpec& spec_;
  Servers servers_;
  NameIndex names_;
  std::vector<End> ends_;                ///< by place in the index of names
  std::vector<std::size_t> free_ports_;  ///< by NIC
  Errors errors_;

 public:
  std::vector<Ends> ends;            ///< by cable
  std::vector<std::uint32_t> tiers;  ///< by switch
};

}  // namespace

Result<Fabric> build(const CabledSpec& spec) {
  CabledChecker checker(spec);
  if (Errors errors = checker.run(); !errors.empty()) return errors;
  const Servers servers(spec.racks, spec.servers);
  Assembler assembler;
  const std::vector<Servers::NicPort> ports = servers.add_to(assembler);
  std::vector<std::size_t> next_port;  // by NIC, into `ports`
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].port == 0) next_port.push_back(i);
  }
  const std::uint32_t below = servers.has_nic_nodes() ? 1 : 0;
  std::vector<std::uint32_t> order(spec.switches.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&checker](std::uint32_t i) { return checker.tiers[i]; });
  std::vector<NodeId> switches(spec.switches.size());
  for (const std::uint32_t i : order) {
    switches[i] = assembler.add_switch(spec.switches[i].name, checker.tiers[i] + below, -1,
                                       spec.switches[i].part);
  }
  for (std::size_t i = 0; i < spec.cables.size(); ++i) {
    const auto [from, to] = checker.ends[i];
    const CabledSpec::CableEntry& entry = spec.cables[i];
    for (std::uint32_t k = 0; k < entry.count; ++k) {
      if (from.is_switch && to.is_switch) {
        assembler.add_cable({switches[from.place], switches[to.place], entry.link});
        continue;
      }
      const Servers::NicPort& nic = ports[next_port[from.is_switch ? to.place : from.place]++];
      assembler.add_cable({.a = nic.node,
                           .b = switches[from.is_switch ? from.place : to.place],
                           .link = entry.link,
                           .edge_from_a = nic.sending,
                           .edge_from_b = nic.receiving});
    }
  }
  return std::move(assembler).finish();
}

}  // namespace weft::topologies
