#include "tools/diagnose/catalogue/hypotheses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

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
    {"pfc-storm",
     "a NIC pauses its switch, for it takes less than arrives: a host that stalls, PCIe that is "
     "full, a broken NIC",
     2.6},
    {"mtu", "packets are smaller than meant, so that headers take more of every link", 2.1},
    {"gpu-direct-off",
     "what NCCL sends passes through host memory: it arrives later, and at the rate of the copies",
     1.9},
    {"wrong-algorithm",
     "NCCL runs another algorithm or protocol than its model would choose: a variable of its "
     "environment, a tuner, NVLS that is off",
     1.5},
    {"ecn-thresholds",
     "switches mark from few bytes on: flows that meet slow down too far, and each alone is well",
     1.5},
    {"loss",
     "packets are lost where flows meet, and sent again after a time-out: PFC is off, the class is "
     "lossy or the wrong one, or buffers bear less than comes together",
     0.9},
    {"slow-leaf",
     "all ports of one leaf carry a fraction: settings that differ from other leaves' (class, PFC, "
     "ECN, buffer), so that it drops or pauses, or a switch that is broken",
     1.95},
};

static_assert(std::size(kKinds) == kCulpritKinds);

/// What packets of RoCE may carry, beside 4096 bytes.
constexpr double kPayloads[] = {2048, 1024, 512, 256};

/// Parts of the alternative's latency that a message through host memory may have.
constexpr double kLatencies[] = {0.25, 0.5, 1, 1.5, 2};

/// Less than any time-out of a call is longer than this, averaged over the calls of a measurement:
/// the default of NICs is 67 ms.
constexpr double kTimedOutUs = 67'108.864 / 40;
constexpr double kTimedOutTimes = 6;

/// What is attached to a leaf, of servers that were measured.
struct LeafNics {
  std::set<std::uint32_t> servers;
  std::vector<std::uint32_t> nics;  ///< resources
};

const KindFacts& facts_of(CulpritKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

Hypothesis hypothesis(CulpritKind kind, std::string place, std::vector<std::uint32_t> resources) {
  return {.kind = kind,
          .place = std::move(place),
          .resources = std::move(resources),
          .value = 1,
          .penalty = facts_of(kind).penalty};
}

void add_mtu(const EvidencePoints& evidence, const std::vector<std::uint32_t>& nics,
             std::vector<Hypothesis>& all) {
  const double meant = evidence.payload / (evidence.payload + evidence.header);
  for (const double payload : kPayloads) {
    if (payload >= evidence.payload) continue;
    Hypothesis h = hypothesis(CulpritKind::kMtu, fmt::format("{:.0f} bytes", payload), nics);
    h.value = payload / (payload + evidence.header) / meant;
    all.push_back(std::move(h));
  }
}

void add_alternatives_of(const EvidencePoints& evidence, const std::vector<std::uint32_t>& nics,
                         std::vector<Hypothesis>& all) {
  for (std::size_t a = 0; a < evidence.alternatives.size(); ++a) {
    const Alternative& alternative = evidence.alternatives[a];
    if (alternative.what == Alternative::What::kHostMemory) {
      for (const double latency : kLatencies) {
        all.push_back(hypothesis(CulpritKind::kGpuDirect, "", nics));
        all.back().alternative = a;
        all.back().latency = latency;
      }
      continue;
    }
    const auto kind = alternative.what == Alternative::What::kThresholds ? CulpritKind::kThresholds
                                                                         : CulpritKind::kAlgorithm;
    all.push_back(hypothesis(kind, alternative.name, {}));
    all.back().alternative = a;
  }
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

double alternative_us(const Hypothesis& h, const Point& point) {
  const bool has_one = h.alternative < point.alternative_us.size();
  return has_one ? point.alternative_us[h.alternative] : point.expected_us;
}

std::string slow_link(const NicPlace& nic, double value) {
  const double rate = static_cast<double>(nic.rate.count()) * value;
  return fmt::format("{{type: link-rate, from: '{}', rate: {:.0f}Mbps}}", nic.node, rate / 1e6);
}

/// `512B` of `512 bytes`.
std::string mtu_of(const std::string& place) { return place.substr(0, place.find(' ')) + "B"; }

/// Pauses that leave this part of the time: as long as the largest call takes, and longer.
std::string storm(const NicPlace& nic, double value) {
  constexpr int kPeriodUs = 50;
  constexpr int kPeriods = 400;
  std::vector<std::string> pauses;
  pauses.reserve(kPeriods);
  for (int i = 0; i < kPeriods; ++i) {
    pauses.push_back(fmt::format("{{type: nic-pause, host: '{}', at: {}us, until: {:.0f}ns}}",
                                 nic.node, i * kPeriodUs, 1e3 * kPeriodUs * (i + 1 - value)));
  }
  return fmt::format("{}", fmt::join(pauses, ", "));
}

}  // namespace

const char* name_of(CulpritKind kind) { return facts_of(kind).name; }
const char* meaning_of(CulpritKind kind) { return facts_of(kind).meaning; }

bool has_rate(CulpritKind kind) {
  switch (kind) {
    case CulpritKind::kCollisions:
    case CulpritKind::kStraggler:
    case CulpritKind::kAlgorithm:
    case CulpritKind::kThresholds:
    case CulpritKind::kLoss:
      return false;
    default:
      return true;
  }
}

bool has_timed_out(const Point& point) {
  return !point.is_wire && point.measured_us >= kTimedOutTimes * point.expected_us &&
         point.measured_us - point.expected_us >= kTimedOutUs;
}

std::vector<Hypothesis> catalogue(const Places& places, const EvidencePoints& evidence) {
  std::set<std::uint32_t> servers;
  for (const Curve& curve : evidence.curves) {
    servers.insert(curve.servers.begin(), curve.servers.end());
  }
  std::vector<Hypothesis> all;
  std::vector<std::uint32_t> nics;
  std::map<std::uint32_t, LeafNics> leaves;
  for (const std::uint32_t s : servers) {
    std::vector<std::uint32_t> own;
    for (const std::uint32_t n : places.servers[s].nics) {
      const NicPlace& nic = places.nics[n];
      own.push_back(nic.resource);
      leaves[nic.leaf].servers.insert(s);
      leaves[nic.leaf].nics.push_back(nic.resource);
      all.push_back(hypothesis(CulpritKind::kNic, nic.name, {nic.resource}));
      all.push_back(hypothesis(CulpritKind::kStorm, nic.name, {nic.resource}));
    }
    if (own.size() > 1) {
      all.push_back(hypothesis(CulpritKind::kServer, places.servers[s].name, own));
    }
    nics.insert(nics.end(), own.begin(), own.end());
  }
  for (const auto& [leaf, at_leaf] : leaves) {
    if (leaves.size() < 2) break;
    const std::string& name = places.resources[leaf].name;
    all.push_back(hypothesis(CulpritKind::kUplinks, name, {leaf}));
    if (at_leaf.servers.size() > 1) {
      all.push_back(hypothesis(CulpritKind::kLeaf, name, at_leaf.nics));
    }
  }
  if (leaves.size() > 1) all.push_back(hypothesis(CulpritKind::kCollisions, "", nics));
  all.push_back(hypothesis(CulpritKind::kAllNics, "", nics));
  all.push_back(hypothesis(CulpritKind::kChannels, "", {}));
  all.push_back(hypothesis(CulpritKind::kStraggler, "", {}));
  if (servers.size() > 1) all.push_back(hypothesis(CulpritKind::kLoss, "", {}));
  add_mtu(evidence, nics, all);
  add_alternatives_of(evidence, nics, all);
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
    case CulpritKind::kStorm:
      if (point.receiver && *point.receiver != h.resources.front()) return point.expected_us;
      return point.expected_us + longer(point, h.resources, h.value);
    case CulpritKind::kGpuDirect:
      if (point.is_wire) return point.expected_us;
      return point.expected_us + longer(point, h.resources, h.value) +
             h.latency * (alternative_us(h, point) - point.expected_us);
    case CulpritKind::kAlgorithm:
      return alternative_us(h, point);
    case CulpritKind::kThresholds:
      return point.expected_us * std::pow(alternative_us(h, point) / point.expected_us, h.value);
    case CulpritKind::kLoss:
      return point.expected_us;
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
    case CulpritKind::kLeaf:
    case CulpritKind::kAllNics:
    case CulpritKind::kGpuDirect:
      for (const NicPlace& nic : places.nics) {
        if (std::ranges::find(h.resources, nic.resource) == h.resources.end()) continue;
        faults.push_back(slow_link(nic, h.value));
      }
      return {.changes = {fmt::format("faults=[{}]", fmt::join(faults, ", "))},
              .execution = h.latency > 0
                               ? std::vector{fmt::format("network_step_latency: {:.0f}ns",
                                                         1e3 * h.latency * kCopyMicroseconds)}
                               : std::vector<std::string>()};
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
    case CulpritKind::kStorm:
      for (const NicPlace& nic : places.nics) {
        if (nic.resource == h.resources.front()) faults.push_back(storm(nic, h.value));
      }
      return {.changes = {fmt::format("faults=[{}]", fmt::join(faults, ", "))}};
    case CulpritKind::kMtu:
      return {.changes = {fmt::format("transport.mtu={}", mtu_of(h.place))}};
    case CulpritKind::kLoss:
    case CulpritKind::kAlgorithm:
    case CulpritKind::kThresholds:
    case CulpritKind::kUplinks:
      break;
  }
  return {};
}

}  // namespace weft::diagnose
