#include "tools/diagnose/search/hypotheses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace weft::diagnose {
namespace {

struct KindFacts {
  const char* name;
  const char* meaning;
  double penalty;
};

/// By CulpritKind. Penalties order what measurements cannot tell apart: frequent causes first.
constexpr KindFacts kKinds[] = {
    {"slow-nic", "one NIC carries a fraction: PCIe width, a slow port, errors that FEC repairs", 1},
    {"slow-server", "all NICs of one server carry a fraction: its PCIe tree, its host link", 1.6},
    {"slow-uplinks", "the uplinks of one leaf carry a fraction: cables that are down or slow", 1.5},
    {"collisions", "flows meet on one path while others are idle: ECMP, too few queue pairs", 1.2},
    {"all-nics",
     "the NICs of every server carry a fraction: GPU-direct off, wrong NIC affinity, a PCIe limit, "
     "fewer NICs used, one queue pair per bond, sockets",
     1.8},
    {"channels",
     "the library moves a fraction on every link alike: fewer channels, small chunks, a cost of "
     "every step",
     2},
    {"straggler", "every call takes a constant longer: a late process, a slow clock", 1},
};

const KindFacts& facts_of(CulpritKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

Hypothesis hypothesis(CulpritKind kind, std::string place, std::vector<std::uint32_t> resources) {
  return {.kind = kind,
          .place = std::move(place),
          .resources = std::move(resources),
          .value = 1,
          .penalty = facts_of(kind).penalty};
}

/// How much longer the busiest of `resources` takes at `value` of its rate than the busiest of all.
double longer(const Point& point, const std::vector<std::uint32_t>& resources, double value) {
  double busy = 0;
  for (const std::uint32_t r : resources) busy = std::max(busy, point.busy_us[r]);
  if (busy <= 0) return 0;
  return std::max(0.0, busy / value - point.bottleneck_us());
}

/// Of the busiest NIC.
double nic_busy(const Point& point, const Hypothesis& h) {
  double busy = 0;
  for (const std::uint32_t r : h.resources) busy = std::max(busy, point.busy_us[r]);
  return busy;
}

std::string slow_link(const NicPlace& nic, double value) {
  const double rate = static_cast<double>(nic.rate.count()) * value;
  return fmt::format("{{type: link-rate, from: '{}', rate: {:.0f}Mbps}}", nic.node, rate / 1e6);
}

}  // namespace

const char* name_of(CulpritKind kind) { return facts_of(kind).name; }
const char* meaning_of(CulpritKind kind) { return facts_of(kind).meaning; }

std::vector<Hypothesis> catalogue(const Places& places, const std::vector<Curve>& curves) {
  std::set<std::uint32_t> servers;
  for (const Curve& curve : curves) servers.insert(curve.servers.begin(), curve.servers.end());
  std::vector<Hypothesis> all;
  std::vector<std::uint32_t> nics;
  std::set<std::uint32_t> leaves;
  for (const std::uint32_t s : servers) {
    std::vector<std::uint32_t> own;
    for (const std::uint32_t n : places.servers[s].nics) {
      const NicPlace& nic = places.nics[n];
      own.push_back(nic.resource);
      leaves.insert(nic.leaf);
      all.push_back(hypothesis(CulpritKind::kNic, nic.name, {nic.resource}));
    }
    if (own.size() > 1) {
      all.push_back(hypothesis(CulpritKind::kServer, places.servers[s].name, own));
    }
    nics.insert(nics.end(), own.begin(), own.end());
  }
  for (const std::uint32_t leaf : leaves) {
    if (leaves.size() < 2) break;
    all.push_back(hypothesis(CulpritKind::kUplinks, places.resources[leaf].name, {leaf}));
  }
  if (leaves.size() > 1) all.push_back(hypothesis(CulpritKind::kCollisions, "", nics));
  all.push_back(hypothesis(CulpritKind::kAllNics, "", nics));
  all.push_back(hypothesis(CulpritKind::kChannels, "", {}));
  all.push_back(hypothesis(CulpritKind::kStraggler, "", {}));
  return all;
}

double predicted_us(const Hypothesis& h, const Point& point) {
  switch (h.kind) {
    case CulpritKind::kCollisions:
      if (!point.crosses_uplinks) return point.expected_us;
      return point.expected_us + nic_busy(point, h) * (1 / h.value - 1);
    case CulpritKind::kChannels:
      if (point.is_wire) return point.expected_us;
      return point.expected_us + point.bottleneck_us() * (1 / h.value - 1);
    case CulpritKind::kStraggler:
      return point.expected_us + (point.is_wire ? 0 : h.value);
    default:
      return point.expected_us + longer(point, h.resources, h.value);
  }
}

PacketChange packet_change(const Hypothesis& h, const Places& places,
                           std::uint32_t healthy_channels) {
  std::vector<std::string> faults;
  switch (h.kind) {
    case CulpritKind::kNic:
    case CulpritKind::kServer:
    case CulpritKind::kAllNics:
      for (const NicPlace& nic : places.nics) {
        if (std::ranges::find(h.resources, nic.resource) == h.resources.end()) continue;
        faults.push_back(slow_link(nic, h.value));
      }
      return {.changes = {fmt::format("faults=[{}]", fmt::join(faults, ", "))}};
    case CulpritKind::kCollisions:
      // Which flows meet is drawn: the number stands for the seed.
      return {.changes = {"fabric.load_balancing=ecmp",
                          fmt::format("seed={:.0f}", std::max(1.0, h.value))}};
    case CulpritKind::kChannels: {
      const double channels = std::max(1.0, std::round(h.value * healthy_channels));
      return {.execution = {fmt::format("channels: {:.0f}", channels)}};
    }
    case CulpritKind::kStraggler:
      return {
          .keys = {fmt::format("stragglers: [{{ranks: ['0'], late: {:.0f}ns}}]", h.value * 1e3)}};
    case CulpritKind::kUplinks:
      break;
  }
  return {};
}

}  // namespace weft::diagnose
