#include "protocols/network/lp_cut.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <thread>
#include <vector>

#include "protocols/config/hop_costs.hpp"
#include "protocols/state/port_state.hpp"
#include "simcore/engine/lp_order.hpp"

namespace weft::protocols {
namespace {

// Nanoseconds of one thread. They stem from runs of scenarios under every cut
// (simcore/PERFORMANCE.md).

/// A packet-hop takes longer if its credits come from another logical process, by network: the
/// windows of scale-up links are a fifth as long, so that fewer credits share one.
constexpr std::array<double, kNetworkKinds> kCreditAcross{15, 60};
/// More for a hop inside a logical process, for each level of the tree that orders its ports.
constexpr double kTreeLevel = 4;
/// More each time that the memory of a logical process is twice what the cache holds. Ports of
/// hosts that send nothing are not touched.
constexpr double kCacheDoubling = 17;
/// A logical process in a window, whatever it has to do.
constexpr double kVisit = 20;
/// More for each of its ports, by network: whether something came over its link is looked up in
/// every window, and in scale-up domains credits as well.
constexpr std::array<double, kNetworkKinds> kPort{3, 8};
/// A window that threads share, until all of them are through: between servers and leaves a thread
/// was idle for 3 to 9 us in each.
constexpr double kSharing = 6'000;
/// Jobs have phases in which little is sent: of windows that are expected to have just as many
/// events as are worth sharing none is counted on, of those with three times as many all are.
constexpr double kSurelyShared = 3;

constexpr double kEventsPerHop = 2;  ///< at least
/// Of a network all of whose hosts send and receive: they compute as well, and wait for each other.
constexpr double kBusy = 0.5;

std::size_t index(NetworkKind network) { return static_cast<std::size_t>(network); }

/// Whether a partition of this name may cut the link at `port`.
bool may_cut(const Fabric& fabric, PortId port, LpPlan::Cut cut) {
  if (cut != LpPlan::Cut::kUplinks && cut != LpPlan::Cut::kAccess) return true;
  if (fabric.network_of(port) == NetworkKind::kScaleUp) return false;
  if (cut == LpPlan::Cut::kAccess) return true;
  return fabric.node(fabric.port(port).node).kind == NodeKind::kSwitch &&
         fabric.node(fabric.peer_node(port)).kind == NodeKind::kSwitch;
}

/// The least time in which data, pauses or credits cross the link at each port; 0: it is not cut.
std::vector<Picoseconds> crossing_times(const Fabric& fabric, const SwitchConfig& switches,
                                        LpPlan::Cut cut, bool keeps_domains_whole) {
  std::vector<Picoseconds> crossing(fabric.ports.size());
  for (std::size_t p = 0; p < crossing.size(); ++p) {
    const PortId id(p);
    const Port& port = fabric.port(id);
    if (!may_cut(fabric, id, cut)) continue;
    if (keeps_domains_whole && fabric.network_of(id) == NetworkKind::kScaleUp) continue;
    crossing[p] = fabric.data_latency(id);
    if (switches.link_retry.enabled && fabric.network_of(id) == NetworkKind::kScaleOut) {
      crossing[p] = port.wire_latency;
    }
    for (const TrafficClass& c : switches.classes) {
      if (c.network != fabric.network_of(id)) continue;
      if (c.is_pfc()) crossing[p] = std::min(crossing[p], pause_latency(switches.pause, port));
      if (c.is_credit()) {
        crossing[p] = std::min(crossing[p], port.wire_latency + c.credit().processing);
      }
    }
  }
  return crossing;
}

/// What the ports of each network have in common.
struct NetworkCosts {
  NetworkCosts(const SwitchConfig& switches, NetworkKind network) {
    std::size_t classes = 0;
    for (const TrafficClass& c : switches.classes) {
      if (c.network != network) continue;
      ++classes;
      goes_by_credits = goes_by_credits || c.is_credit();
    }
    port_bytes = static_cast<double>(sizeof(PortState) + sizeof(Link) + sizeof(Chunk) +
                                     classes * (sizeof(ClassQueue) + sizeof(IngressAccount)));
  }
  double port_bytes = 0;
  bool goes_by_credits = false;
};

/// Packets that are expected to leave `port` in a nanosecond.
double packets_per_ns(const Fabric& fabric, PortId port, const ExpectedLoad& load) {
  const std::size_t n = index(fabric.network_of(port));
  return load.utilisation[n] * static_cast<double>(fabric.port(port).rate.count()) * 1e-9 /
         (8 * static_cast<double>(load.packet[n].count()));
}

std::uint32_t threads_of(const Parallelism& parallelism) {
  if (parallelism.threads != 0) return parallelism.threads;
  return std::max(std::thread::hardware_concurrency(), 1U);
}

/// Which part of the windows several threads are expected to share.
double shared_windows(double hops_in_window, const Parallelism& parallelism) {
  const double events =
      kEventsPerHop * hops_in_window / static_cast<double>(parallelism.share_from);
  return std::clamp((events - 1) / (kSurelyShared - 1), 0.0, 1.0);
}

}  // namespace

Picoseconds pause_latency(const PauseConfig& pause, const Port& port) {
  const Picoseconds wire = pause.propagates ? port.wire_latency : Picoseconds(0);
  return wire + pause.response_at(port.rate);
}

ExpectedLoad expected_load(const Fabric& fabric, const TransportConfig& transport,
                           const std::vector<ScaleUpConfig>& scale_up,
                           const std::vector<HostId>& processes,
                           const std::vector<Connection>& connections,
                           const Parallelism& parallelism) {
  std::array<std::vector<bool>, kNetworkKinds> sends;
  std::array<std::vector<bool>, kNetworkKinds> receives;
  for (std::size_t n = 0; n < kNetworkKinds; ++n) {
    sends[n].resize(fabric.hosts.size());
    receives[n].resize(fabric.hosts.size());
  }
  for (const Connection& c : connections) {
    const HostId from = processes[c.source.value()];
    const HostId to = processes[c.destination.value()];
    const bool is_group = c.kind != Connection::Kind::kUnicast;
    const std::size_t n =
        index(is_group ? NetworkKind::kScaleUp : fabric.network_between(from, to));
    sends[n][from.value()] = true;
    receives[n][to.value()] = true;
  }
  const PacketFormat between = traits_of(transport).format;
  const PacketFormat inside = (scale_up.empty() ? ScaleUpConfig() : scale_up.front()).format;
  ExpectedLoad load{.utilisation = {},
                    .packet = {between.payload + between.header, inside.payload + inside.header},
                    .parallelism = parallelism};
  for (std::size_t n = 0; n < kNetworkKinds; ++n) {
    const auto busy =
        std::min(std::ranges::count(sends[n], true), std::ranges::count(receives[n], true));
    load.utilisation[n] =
        kBusy * static_cast<double>(busy) / static_cast<double>(fabric.hosts.size());
  }
  return load;
}

double predicted_cost(const LpPlan& plan, const Fabric& fabric, const SwitchConfig& switches,
                      const ExpectedLoad& load) {
  const std::array costs{NetworkCosts(switches, NetworkKind::kScaleOut),
                         NetworkCosts(switches, NetworkKind::kScaleUp)};
  static_assert(static_cast<std::size_t>(NetworkKind::kScaleOut) == 0 && kNetworkKinds == 2);
  const double window = to_seconds(plan.lookahead) * 1e9;
  double all = 0;
  double hops = 0;  // per nanosecond
  double largest = 0;
  for (const std::vector<PortId>& ports : plan.ports_of_lp) {
    double bytes = 0;
    double visit = kVisit;
    for (const PortId port : ports) {
      const std::size_t n = index(fabric.network_of(port));
      const double share = std::min(1.0, load.utilisation[n] / kBusy);
      bytes += costs[n].port_bytes * share;
      visit += kPort[n] * share;
    }
    const double level = std::log2(2 * static_cast<double>(ports.size()) + 1);
    const double memory = kCacheDoubling * std::max(0.0, std::log2(bytes / kSecondLevelCache));
    double of_lp = visit / window;
    for (const PortId port : ports) {
      const std::size_t n = index(fabric.network_of(port));
      const double rate = packets_per_ns(fabric, port, load);
      const bool is_inside = plan.lp_of_node[fabric.port(port).node.value()] ==
                             plan.lp_of_node[fabric.peer_node(port).value()];
      double hop = kNanosecondsPerHop + memory + (is_inside ? kTreeLevel * level : 0);
      if (costs[n].goes_by_credits)
        hop += kNanosecondsPerCredit + (is_inside ? 0 : kCreditAcross[n]);
      of_lp += rate * hop;
      hops += rate;
    }
    all += of_lp;
    largest = std::max(largest, of_lp);
  }
  const std::uint32_t threads = std::min(threads_of(load.parallelism), plan.lp_count);
  if (threads == 1) return all;
  // R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM J. Appl. Math. 17(2), 1969:
  // no order of the logical processes takes longer than this. The largest may be busy for all of a
  // window, whatever it is on average.
  const double part = 1.0 / threads;
  const double shared =
      std::min(all, all * part + largest / kBusy * (1 - part)) + kSharing / window;
  const double windows = shared_windows(hops * window, load.parallelism);
  return windows * shared + (1 - windows) * all;
}

LpPlan cut_fabric(const Fabric& fabric, const SwitchConfig& switches, Picoseconds control_latency,
                  LpPlan::Cut cut, const ExpectedLoad& load, bool keeps_domains_whole) {
  const std::vector<Picoseconds> crossing =
      crossing_times(fabric, switches, cut, keeps_domains_whole);
  LpPlan plan = plan_lps(fabric, crossing, control_latency, cut, [&](const LpPlan& some) {
    return predicted_cost(some, fabric, switches, load);
  });
  if (threads_of(load.parallelism) == 1) return plan;
  double hops = 0;  // per nanosecond
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    hops += packets_per_ns(fabric, PortId(p), load);
  }
  const double window = to_seconds(plan.lookahead) * 1e9;
  if (shared_windows(hops * window, load.parallelism) > 0) put_neighbours_together(plan, fabric);
  return plan;
}

}  // namespace weft::protocols
