#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "simcore/base/escape.hpp"
#include "tools/import/checks/settings_checks.hpp"
#include "tools/import/cluster/cluster.hpp"
#include "tools/import/cluster/join_cables.hpp"
#include "tools/import/cluster/join_names.hpp"
#include "tools/import/cluster/join_servers.hpp"
#include "tools/import/cluster/odd_cables.hpp"
#include "tools/import/names/leave_out.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

std::string gigabits(BitsPerSecond rate) {
  return fmt::format("{:g} Gb/s", static_cast<double>(rate.count()) / 1e9);
}

/// The fact that wins and those that it contradicts.
template <class T>
class Vote {
 public:
  void add(const std::optional<Stated<T>>& said) {
    if (said) all_.push_back(*said);
  }
  [[nodiscard]] bool is_empty() const { return all_.empty(); }
  [[nodiscard]] const Stated<T>& first() const { return all_.front(); }
  [[nodiscard]] const std::vector<Stated<T>>& all() const { return all_; }
  /// What contradicts the first; null: nothing.
  [[nodiscard]] const Stated<T>* other() const {
    const auto found = std::ranges::find_if(
        all_, [this](const Stated<T>& said) { return said.value != first().value; });
    return found == all_.end() ? nullptr : &*found;
  }

 private:
  std::vector<Stated<T>> all_;
};

class Joiner {
 public:
  Joiner(Description& description, const JoinOptions& options)
      : description_(description), options_(options) {}

  Cluster join() {
    const auto of_aliases = resolve_names(description_);
    if (!of_aliases.empty()) {
      cluster_.assumptions.push_back(fmt::format(
          "ports of {} that LLDP calls by an alias are those of the other files: two that are "
          "swapped show where its config_db.json is given too",
          of_aliases.size() == 1 ? escaped(*of_aliases.begin())
                                 : fmt::format("{} switches", of_aliases.size())));
    }
    cluster_.excluded = leave_out(description_, options_.without);
    const DeviceKinds kinds(description_, options_);
    if (has_errors(description_.remarks)) return std::move(cluster_);
    const Remarks settings = check_settings(description_);
    description_.remarks.insert(description_.remarks.end(), settings.begin(), settings.end());
    const std::vector<JoinedCable> cables = join_cables(description_);
    if (cables.empty()) {
      add_error(description_.remarks, {},
                "no file names a cable: a cluster needs a cable list, LLDP, config_db.json, "
                "ibnetdiscover or a planner's file");
      return std::move(cluster_);
    }
    const std::size_t remarks = description_.remarks.size();
    cluster_.servers = join_servers(description_, kinds, cables, options_, cluster_.assumptions);
    // Where NICs are not known, every cable of them would be an error of its own.
    const auto begin = description_.remarks.begin() + static_cast<std::ptrdiff_t>(remarks);
    if (has_errors({begin, description_.remarks.end()})) return std::move(cluster_);
    join_switches(kinds, cables);
    index();
    for (const JoinedCable& cable : cables) join_cable(cable);
    drop_nics_of_other_networks();
    count_tiers_from_servers();
    assume_lengths();
    check_placements();
    check_cabling(cluster_, description_.remarks);
    return std::move(cluster_);
  }

 private:
  void join_switches(const DeviceKinds& kinds, const std::vector<JoinedCable>& cables) {
    std::set<std::string, NaturalOrder> cabled;
    for (const JoinedCable& cable : cables) {
      for (const PortName& end : {cable.a, cable.b}) {
        if (!kinds.is_server(end.device)) cabled.insert(end.device);
      }
    }
    for (const std::string& name : cabled)
      cluster_.switches.push_back({.name = name, .tier = {}, .part = {}});
    for (ClusterSwitch& s : cluster_.switches) {
      for (const SwitchSettings& settings : description_.switches) {
        if (settings.name == s.name) take(settings, s);
      }
      // Settings of no switch are those of every switch that has none of its own.
      for (const SwitchSettings& settings : description_.switches) {
        if (!settings.name && s.settings == nullptr) take(settings, s);
      }
      for (const Device& device : description_.devices) {
        if (device.name != s.name) continue;
        if (device.part && !s.part) s.part = device.part;
        if (device.tier && !s.tier) s.tier = device.tier;
      }
      if (options_.switch_part) s.part = options_.switch_part;
    }
    for (const Device& device : description_.devices) {
      if (device.part && device.part->starts_with("quantum")) cluster_.is_infiniband = true;
    }
    for (const Server& server : description_.servers) {
      for (const ServerNic& nic : server.nics) {
        if (nic.is_infiniband.value_or(false)) cluster_.is_infiniband = true;
      }
    }
  }

  static void take(const SwitchSettings& settings, ClusterSwitch& s) {
    if (s.settings == nullptr) s.settings = &settings;
    if (settings.part) s.part = settings.part;
    if (settings.tier) s.tier = settings.tier;
  }

  void index() {
    for (std::size_t i = 0; i < cluster_.servers.size(); ++i)
      servers_[cluster_.servers[i].name] = i;
    for (std::size_t i = 0; i < cluster_.switches.size(); ++i) {
      switches_[cluster_.switches[i].name] = i;
    }
  }

  std::optional<ClusterEnd> end_of(const PortName& port) {
    const auto server = servers_.find(port.device);
    if (server == servers_.end()) {
      return ClusterEnd{false, switches_.at(port.device), 0, port.port};
    }
    const auto nic = nic_at(cluster_.servers[server->second], port.port);
    if (!nic) return {};
    return ClusterEnd{true, server->second, *nic, port.port};
  }

  [[nodiscard]] const SwitchPort* settings_at(const ClusterEnd& end) const {
    if (end.is_server) return nullptr;
    const SwitchSettings* settings = cluster_.switches[end.device].settings;
    if (settings == nullptr) return nullptr;
    const auto port = settings->ports.find(end.port);
    return port == settings->ports.end() ? nullptr : &port->second;
  }

  void join_cable(const JoinedCable& joined) {
    auto a = end_of(joined.a);
    auto b = end_of(joined.b);
    const SourceLocation& where = joined.said.front()->where;
    if (!a || !b) {
      const PortName& odd = a ? joined.b : joined.a;
      add_error(
          description_.remarks, where,
          fmt::format("{} is no NIC that the file of that server names", escaped(odd.to_string())));
      return;
    }
    if (b->is_server) std::swap(a, b);
    if (b->is_server) {
      add_error(description_.remarks, where,
                fmt::format("{} to {}: a cable between two servers, which no switch joins",
                            escaped(joined.a.to_string()), escaped(joined.b.to_string())));
      return;
    }
    ClusterCable cable{.a = std::move(*a), .b = std::move(*b), .from = places_of(joined)};
    take_rate(joined, cable);
    take_length(joined, cable);
    for (const Cable* said : joined.said) {
      if (said->medium && !cable.medium) {
        cable.medium = {said->medium->value, short_place(said->medium->where)};
      }
    }
    cluster_.cables.push_back(std::move(cable));
  }

  /// Files may count tiers from another one: SONiC's `LeafRouter` stands above a `ToRRouter`, and
  /// in a fabric without these it has the servers below it.
  void count_tiers_from_servers() {
    std::optional<std::uint32_t> lowest;
    for (const ClusterCable& cable : cluster_.cables) {
      const auto& tier = cluster_.switches[cable.b.device].tier;
      if (cable.a.is_server && tier) lowest = std::min(lowest.value_or(*tier), *tier);
    }
    if (!lowest || *lowest < 2) return;
    for (ClusterSwitch& s : cluster_.switches) {
      if (s.tier) s.tier = *s.tier < *lowest ? 1 : *s.tier - *lowest + 1;
    }
    cluster_.assumptions.push_back(fmt::format(
        "files say tier {} of switches that servers are attached to: it is tier 1 here, "
        "and others count from it",
        *lowest));
  }

  /// NICs that have a cable in no server belong to another network, such as storage.
  void drop_nics_of_other_networks() {
    std::set<std::string> cabled;
    for (const ClusterCable& cable : cluster_.cables) {
      if (cable.a.is_server) cabled.insert(nic_name(cable.a));
    }
    std::set<std::string> dropped;
    for (std::size_t i = 0; i < cluster_.servers.size(); ++i) {
      std::vector<ClusterNic>& nics = cluster_.servers[i].nics;
      std::vector<std::size_t> place(nics.size());
      std::vector<ClusterNic> kept;
      for (std::size_t k = 0; k < nics.size(); ++k) {
        place[k] = kept.size();
        if (cabled.contains(nics[k].name)) {
          kept.push_back(std::move(nics[k]));
        } else {
          dropped.insert(nics[k].name);
        }
      }
      nics = std::move(kept);
      places_.push_back(std::move(place));
    }
    for (ClusterCable& cable : cluster_.cables) {
      if (cable.a.is_server) cable.a.nic = places_[cable.a.device][cable.a.nic];
    }
    if (dropped.empty()) return;
    cluster_.assumptions.push_back(
        fmt::format("NICs without a cable in any server belong to another network: {}",
                    fmt::join(dropped, ", ")));
  }

  [[nodiscard]] const std::string& nic_name(const ClusterEnd& end) const {
    return cluster_.servers[end.device].nics[end.nic].name;
  }

  static std::string places_of(const JoinedCable& joined) {
    std::string places;
    for (const Cable* said : joined.said) {
      if (!places.empty()) places += ", ";
      places += short_place(said->where);
    }
    return places;
  }

  /// NIC, switch ports, cable list: the first that says it, as long as all agree; else the slowest,
  /// which is what a link that came up could run at.
  void take_rate(const JoinedCable& joined, ClusterCable& cable) {
    Vote<BitsPerSecond> vote;
    if (cable.a.is_server) vote.add(cluster_.servers[cable.a.device].nics[cable.a.nic].rate);
    for (const ClusterEnd* end : {&cable.a, &cable.b}) {
      if (const SwitchPort* port = settings_at(*end)) vote.add(port->rate);
    }
    for (const Cable* said : joined.said) vote.add(said->full_rate ? said->full_rate : said->rate);
    if (vote.is_empty()) {
      if (options_.rate) cable.rate = {*options_.rate, "--rate"};
      return;
    }
    const auto slowest = std::ranges::min_element(vote.all(), {}, &Stated<BitsPerSecond>::value);
    if (const auto* other = vote.other()) {
      add_finding(description_.remarks, other->where,
                  fmt::format("{} to {} has {} here and {} in {}: {} is taken",
                              escaped(joined.a.to_string()), escaped(joined.b.to_string()),
                              gigabits(other->value), gigabits(vote.first().value),
                              short_place(vote.first().where), gigabits(slowest->value)));
    }
    cable.rate = {slowest->value, short_place(slowest->where)};
    for (const Cable* said : joined.said) {
      if (said->full_rate && said->rate && said->rate->value < said->full_rate->value) {
        cable.degraded = said->rate;
      }
    }
  }

  void take_length(const JoinedCable& joined, ClusterCable& cable) {
    for (const Cable* said : joined.said) {
      if (said->length && !cable.length) {
        cable.length = {said->length->value, short_place(said->length->where)};
      }
    }
    if (cable.length) return;
    // A class that headroom is computed for, so an upper bound.
    for (const ClusterEnd* end : {&cable.a, &cable.b}) {
      const SwitchPort* port = settings_at(*end);
      if (port == nullptr || !port->cable_length || port->cable_length->value <= Millimetres(0))
        continue;
      cable.length = {port->cable_length->value, short_place(port->cable_length->where)};
      return;
    }
  }

  void assume_lengths() {
    std::size_t without = 0;
    std::size_t without_rate = 0;
    for (const ClusterCable& cable : cluster_.cables) {
      if (!cable.length) ++without;
      if (!cable.rate) ++without_rate;
    }
    if (without > 0) {
      cluster_.assumptions.push_back(
          fmt::format("{} of {} cables have no length: 3 m of copper to servers, 20 m of fibre "
                      "between switches",
                      without, cluster_.cables.size()));
    }
    if (without_rate > 0) {
      cluster_.assumptions.push_back(fmt::format(
          "{} of {} cables have no rate: that of the server's NICs (`--rate` says another)",
          without_rate, cluster_.cables.size()));
    }
  }

  /// A scheduler that believes a server under another switch than it is cabled to.
  void check_placements() {
    std::set<std::pair<std::string, std::string>> cabled;
    std::set<std::string> has_cables;
    for (const ClusterCable& cable : cluster_.cables) {
      if (!cable.a.is_server) continue;
      const std::string& server = cluster_.servers[cable.a.device].name;
      cabled.emplace(server, cluster_.switches[cable.b.device].name);
      has_cables.insert(server);
    }
    for (const Placement& placement : description_.placements) {
      if (placement.is_block || !has_cables.contains(placement.node)) continue;
      if (!switches_.contains(placement.group)) continue;
      if (cabled.contains({placement.node, placement.group})) continue;
      add_finding(description_.remarks, placement.where,
                  fmt::format("{} is placed under {}, and no cable joins the two",
                              escaped(placement.node), escaped(placement.group)));
    }
  }

  Description& description_;
  const JoinOptions& options_;
  Cluster cluster_;
  std::map<std::string, std::size_t> servers_;
  std::map<std::string, std::size_t> switches_;
  std::vector<std::vector<std::size_t>> places_;  ///< of NICs that are kept, by server
};

}  // namespace

Cluster join(Description& description, const JoinOptions& options) {
  return Joiner(description, options).join();
}

}  // namespace weft::import
