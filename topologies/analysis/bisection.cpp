#include "topologies/analysis/bisection.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace weft::topologies {
namespace {

/// The first half of `order` against the others.
std::vector<Side> halves_of(const Fabric& fabric, std::span<const HostId> order) {
  std::vector<Side> sides(fabric.hosts.size(), Side::kNone);
  for (std::size_t i = 0; i < order.size(); ++i) {
    sides[order[i].value()] = i < order.size() / 2 ? Side::kFirst : Side::kSecond;
  }
  return sides;
}

/// What the hosts of the smaller half could send.
BitsPerSecond host_capacity(const NetworkView& view, std::span<const Side> sides) {
  BitsPerSecond first;
  BitsPerSecond second;
  for (const NetworkView::Site& site : view.sites()) {
    const BitsPerSecond rate = site.host_rate();
    for (const HostId host : site.hosts) {
      if (sides[host.value()] == Side::kFirst) first += rate;
      if (sides[host.value()] == Side::kSecond) second += rate;
    }
  }
  return std::min(first, second);
}

/// Those of the hosts that are on the network.
std::vector<HostId> members(const NetworkView& view, std::span<const HostId> hosts) {
  std::vector<HostId> result;
  for (const HostId host : hosts) {
    if (!view.sites()[view.site_of(host)].uplinks.empty()) result.push_back(host);
  }
  return result;
}

/// Parts of the network that hang together without the switches of its highest tier.
class Units {
 public:
  Units(const Fabric& fabric, const NetworkView& view, std::span<const HostId> hosts)
      : fabric_(fabric), view_(view), parent_(fabric.hosts.size() + fabric.switches.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    std::vector<bool> is_reached(view.switch_count());
    for (const HostId host : hosts) {
      for (const auto& up : view.sites()[view.site_of(host)].uplinks) reach(up.to, is_reached);
    }
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      highest_ = std::max(highest_, tier(switches_[i]));
      for (const auto& bundle : view.bundles_of(SwitchId(switches_[i]))) {
        reach(bundle.to, is_reached);
      }
    }
    for (const std::uint32_t at : switches_) {
      for (const auto& bundle : view.bundles_of(SwitchId(at))) {
        if (tier(at) < highest_ && tier(bundle.to) < highest_) unite(vertex(at), vertex(bundle.to));
      }
    }
    for (const HostId host : hosts) {
      for (const auto& up : view.sites()[view.site_of(host)].uplinks) {
        if (tier(up.to) < highest_) unite(host.value(), vertex(up.to));
      }
    }
    measure(hosts);
  }

  /// Hosts, and the capacity up from hosts, from tier 1, from tier 2 ... of one unit.
  struct Measure {
    std::uint64_t hosts = 0;
    std::map<std::uint32_t, BitsPerSecond> up;
    bool operator==(const Measure&) const = default;
  };
  [[nodiscard]] const std::map<std::uint32_t, Measure>& measures() const { return measures_; }
  /// Links lead one tier up or down, hosts are attached to tier 1, the switches of a tier are
  /// alike, and the highest ones have the same capacity to every unit: what hosts send evenly over
  /// all paths then loads all links of a tier alike.
  [[nodiscard]] bool is_regular() const { return is_regular_; }

 private:
  [[nodiscard]] std::uint32_t tier(std::uint32_t at) const {
    return fabric_.switch_node(SwitchId(at)).tier;
  }
  [[nodiscard]] std::uint32_t vertex(std::uint32_t at) const {
    return static_cast<std::uint32_t>(fabric_.hosts.size()) + at;
  }
  void reach(std::uint32_t at, std::vector<bool>& is_reached) {
    if (!is_reached[at]) switches_.push_back(at);
    is_reached[at] = true;
  }
  std::uint32_t root(std::uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void unite(std::uint32_t a, std::uint32_t b) { parent_[root(a)] = root(b); }

  void measure(std::span<const HostId> hosts) {
    std::vector<BitsPerSecond> down(view_.switch_count());
    for (const HostId host : hosts) {
      Measure& unit = measures_[root(host.value())];
      ++unit.hosts;
      for (const auto& up : view_.sites()[view_.site_of(host)].uplinks) {
        unit.up[0] += up.rate;
        down[up.to] += up.rate;
        require(tier(up.to) == 1);
      }
    }
    std::map<std::uint32_t, std::pair<BitsPerSecond, BitsPerSecond>> of_tier;  ///< down, up
    for (const std::uint32_t at : switches_) {
      BitsPerSecond up;
      for (const auto& bundle : view_.bundles_of(SwitchId(at))) {
        const bool is_up = tier(bundle.to) == tier(at) + 1;
        require(is_up || tier(bundle.to) + 1 == tier(at));
        (is_up ? up : down[at]) += bundle.rate;
      }
      if (tier(at) < highest_) measures_[root(vertex(at))].up[tier(at)] += up;
      const auto [place, is_first] = of_tier.try_emplace(tier(at), down[at], up);
      require(is_first || place->second == std::pair(down[at], up));
    }
    // Where hosts are attached to the highest tier, all of them must be attached to the same
    // switches.
    for (const HostId host : hosts) {
      require(highest_ > 1 || view_.site_of(host) == view_.site_of(hosts.front()));
    }
    for (const std::uint32_t at : switches_) {
      if (highest_ > 1 && tier(at) == highest_) require(serves_all_units_alike(at));
    }
  }
  void require(bool condition) { is_regular_ = is_regular_ && condition; }

  [[nodiscard]] bool serves_all_units_alike(std::uint32_t at) {
    std::map<std::uint32_t, BitsPerSecond> by_unit;
    for (const auto& bundle : view_.bundles_of(SwitchId(at))) {
      by_unit[root(vertex(bundle.to))] += bundle.rate;
    }
    return by_unit.size() == measures_.size() &&
           std::ranges::all_of(
               by_unit, [&](const auto& unit) { return unit.second == by_unit.begin()->second; });
  }

  const Fabric& fabric_;
  const NetworkView& view_;
  std::vector<std::uint32_t> parent_;  ///< of hosts, then switches
  std::vector<std::uint32_t> switches_;
  std::uint32_t highest_ = 0;
  std::map<std::uint32_t, Measure> measures_;
  bool is_regular_ = true;
};

}  // namespace

std::optional<Bisection> closed_form_bisection(const Fabric& fabric, const NetworkView& view,
                                               std::span<const HostId> hosts) {
  const std::vector<HostId> own = members(view, hosts);
  if (own.size() < 2) return std::nullopt;
  const Units units(fabric, view, own);
  if (!units.is_regular()) return std::nullopt;
  const Units::Measure& model = units.measures().begin()->second;
  const auto is_alike = [&](const auto& unit) { return unit.second == model; };
  if (!std::ranges::all_of(units.measures(), is_alike)) return std::nullopt;
  const std::size_t count = units.measures().size();
  if (count < 2 || (count % 2 != 0 && model.hosts != 1)) return std::nullopt;
  BitsPerSecond narrowest = BitsPerSecond::max();
  for (const auto& [tier, rate] : model.up) narrowest = std::min(narrowest, rate);
  const auto half = static_cast<std::int64_t>(count / 2);
  return Bisection{half * narrowest, half * model.up.at(0), Bisection::Halves::kUnits,
                   Bisection::Method::kClosedForm};
}

std::optional<Bisection> find_bisection(const Fabric& fabric, const NetworkView& view,
                                        std::span<const HostId> hosts, std::size_t max_bundles) {
  std::vector<HostId> order = members(view, hosts);
  if (order.size() < 2) return std::nullopt;
  if (view.bundle_count() > max_bundles) return closed_form_bisection(fabric, view, hosts);
  const auto first_switch = [&](HostId host) {
    return view.sites()[view.site_of(host)].uplinks.front().to;
  };
  std::optional<Bisection> worst;
  const auto try_halves = [&](Bisection::Halves halves) {
    const std::vector<Side> sides = halves_of(fabric, order);
    const Bisection found{max_flow(view, sides), host_capacity(view, sides), halves,
                          Bisection::Method::kMaxFlow};
    if (!worst || found.rate < worst->rate) worst = found;
  };
  try_halves(Bisection::Halves::kHostOrder);
  const auto by_switch = [&](HostId host) { return std::pair(first_switch(host), host); };
  std::ranges::sort(order, {}, by_switch);
  try_halves(Bisection::Halves::kEdgeSwitches);
  const auto has_rails = [&](HostId host) { return fabric.host(host).rail >= 0; };
  if (std::ranges::any_of(order, has_rails)) {
    std::ranges::sort(order, {}, [&](HostId host) {
      return std::tuple(fabric.host(host).rail, first_switch(host), host);
    });
    try_halves(Bisection::Halves::kRails);
  }
  return worst;
}

}  // namespace weft::topologies
