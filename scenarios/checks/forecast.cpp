#include "scenarios/checks/forecast.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "collectives/steps/relay.hpp"
#include "protocols/config/hop_costs.hpp"
#include "protocols/network/state_sizes.hpp"
#include "scenarios/checks/limits/traffic.hpp"
#include "scenarios/memo/savings_forecast.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/connection_transports.hpp"

namespace weft::scenarios {
namespace {

using protocols::kNanosecondsPerCredit;
using protocols::kNanosecondsPerHop;

// Nanoseconds of the thread that those are of (protocols/config/hop_costs.hpp).

/// What it waits longer each time that what is touched between two of a port's packets doubles:
/// port, link, packets, routes and order of events then come from ever farther away. From the
/// NVLink fabrics that are shipped (72 to 576 GPUs).
constexpr double kNanosecondsPerDoubling = 112;
constexpr double kCache = protocols::kSecondLevelCache;
/// From here on next to nothing is found in any cache.
constexpr double kBeyondCaches = 64 * kCache;
/// Steps, ideal times, records and lines of a message, from scenarios whose messages are a few
/// packets (nccl-nvl72, nvl72).
constexpr double kNanosecondsPerMessage = 5'000;
/// What is left of that where the call is memoised: its ideal time (as for EstimateParts::ideal).
constexpr double kNanosecondsPerSparedMessage = 1'000;
/// Looking a rank's call up: what reuse.yaml takes besides start and packet-hops.
constexpr double kNanosecondsPerSparedCall = 5'000;
/// Start, routes, files.
constexpr double kSecondsPerRun = 0.02;

/// Pages of the program that only a run touches, its threads and the buffers of its files.
constexpr double kBytesPerRun = 2 << 20U;
/// What critical paths need of a message and of the step that waited for it, until its iteration is
/// over; of one that is only sent, its record. Calibrated on all-reduce-1024, whose memory is
/// messages.
constexpr double kBytesPerMessage = 90;
/// Of a contribution to a sum so much less: a critical path keeps one of all members'.
constexpr double kBytesSavedPerContribution = 50;
/// Of a message that is over until it is dealt with, and in distributions that are still exact.
/// Calibrated on allreduce-algorithms.
constexpr double kBytesPerMessageAtHand = 200;
constexpr double kMessagesAtHand{protocols::kManyMessages};
/// What explains collectives keeps of a connection: the list of its deliveries, and one of them.
constexpr double kBytesPerExplained = 64;
constexpr double kBytesPerLane = 700;
/// Results and tables of a port, with its names.
constexpr double kBytesPerPortResult = 500;

/// What the process has now, fabric, routes and jobs included.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// What a queue pair takes at its ends.
struct QueuePairBytes {
  explicit QueuePairBytes(const protocols::TransportConfig& transport) {
    const protocols::StateSizes sizes = protocols::state_sizes(transport);
    sender = static_cast<double>(sizes.sender + sizes.congestion_state + sizes.transport_state);
    receiver = static_cast<double>(sizes.receiver);
  }
  double sender;
  double receiver;
};

/// Queue pairs, and what the executor keeps of connections.
double connection_bytes(const Experiment& e) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  std::vector<QueuePairBytes> of_transport;
  for (const protocols::TransportConfig& transport : e.scenario.transports()) {
    of_transport.emplace_back(transport);
  }
  const protocols::StateSizes sizes = protocols::state_sizes(e.scenario.transport);
  const double of_connection =
      static_cast<double>(sizes.connection + 4 * sizeof(std::uint32_t)) + kBytesPerExplained;
  double bytes = static_cast<double>(e.workload.relays().size() * sizeof(collectives::RelayState));
  for (std::size_t i = 0; i < e.workload.connections().size(); ++i) {
    const ConnectionId id(i);
    const Connection& c = e.workload.connections()[i];
    const auto [sender, of_receiver] = of_transport[c.transport];
    bytes += of_connection;
    if (c.kind == Connection::Kind::kReduce) {
      // The rounds that each link has done; a sum has one receiving end, at its owner.
      bytes += static_cast<double>(sizes.added_up_sender) +
               1.0 * e.fabric.host(transports.source_of(id)).port_count;
      if (c.source == c.destination) bytes += of_receiver;
      continue;
    }
    bytes += (sender + of_receiver) * transports.queue_pairs_of(id);
    if (c.kind == Connection::Kind::kMulticast) {
      const std::size_t members = e.workload.groups()[c.group].members.size();
      bytes += static_cast<double>(members * sizes.copy_receiver);
    }
  }
  return bytes;
}

/// What the engine keeps of ports.
double port_bytes(const Experiment& e) {
  const protocols::StateSizes sizes = protocols::state_sizes(e.scenario.transport);
  std::array<std::size_t, kNetworkKinds> classes{};
  for (const auto& c : e.scenario.switches.classes) ++classes[static_cast<std::size_t>(c.network)];
  double bytes = 0;
  for (std::size_t i = 0; i < e.fabric.ports.size(); ++i) {
    const auto network = static_cast<std::size_t>(e.fabric.network_of(PortId(i)));
    bytes += static_cast<double>(sizes.port + classes[network] * sizes.class_of_port);
  }
  return bytes;
}

double network_bytes(const Experiment& e) {
  return port_bytes(e) + static_cast<double>(e.fabric.ports.size()) * kBytesPerPortResult +
         static_cast<double>(e.workload.lane_count()) * kBytesPerLane;
}

/// Packets that a port passes in a window, if all of them are full.
double packets_per_window(const Experiment& e, BitsPerSecond rate, Picoseconds lookahead) {
  const Bytes payload = protocols::traits_of(e.scenario.transport).format.payload;
  return to_seconds(lookahead) * static_cast<double>(rate.count()) / 8 /
         static_cast<double>(payload.count());
}

/// Ports that packets touch in turn.
struct TouchedPorts {
  std::int64_t all = 0;
  std::int64_t max_of_lp = 0;
  BitsPerSecond fastest;
};

/// `network`: only ports of this one.
TouchedPorts touched_ports(const Fabric& fabric, const LpPlan& plan,
                           std::optional<NetworkKind> network) {
  TouchedPorts touched;
  for (const auto& lp : plan.ports_of_lp) {
    std::int64_t of_lp = 0;
    for (const PortId port : lp) {
      if (network && fabric.network_of(port) != *network) continue;
      ++of_lp;
      touched.fastest = std::max(touched.fastest, fabric.port(port).rate);
    }
    touched.all += of_lp;
    touched.max_of_lp = std::max(touched.max_of_lp, of_lp);
  }
  return touched;
}

/// Whether links of this kind go by credits: those of domains do.
bool goes_by_credits(const Scenario& scenario, NetworkKind network) {
  return network == NetworkKind::kScaleUp || scenario.switches.data().is_credit();
}

/// Of a packet-hop whose memory is at hand.
double min_nanoseconds_per_hop(const Scenario& scenario, NetworkKind network) {
  return kNanosecondsPerHop + (goes_by_credits(scenario, network) ? kNanosecondsPerCredit : 0);
}

/// Of a packet-hop that takes `min` where its memory is at hand. A window goes over the logical
/// processes one after the other: while one of them is run, its ports stay in the cache, if they
/// fit, for all the packets of the window. So memory is waited for once per port and window; in
/// logical processes that do not fit, once per packet.
double nanoseconds_per_hop(double min, const Experiment& e, Picoseconds lookahead,
                           const TouchedPorts& touched) {
  if (touched.all == 0) return min;
  const double per_port = port_bytes(e) / static_cast<double>(e.fabric.ports.size());
  const double lp = static_cast<double>(touched.max_of_lp) * per_port;
  const double fitting = std::min(1.0, kCache / lp);
  const double waits =
      1 - fitting + fitting / std::max(1.0, packets_per_window(e, touched.fastest, lookahead));
  const double all = static_cast<double>(touched.all) * per_port;
  const double doublings = std::log2(std::clamp(all, kCache, kBeyondCaches) / kCache);
  return min + kNanosecondsPerDoubling * doublings * waits;
}

/// Of all packet-hops. Tensor parallelism uses domains and then NICs are quiet, an all-to-all of
/// experts uses both: how much of the other network packets touch besides their own is between
/// nothing and all of it, and in the middle of both times here.
class HopTimes {
 public:
  explicit HopTimes(const Experiment& e) {
    const LpPlan plan = plan_of(e);
    const TouchedPorts both = touched_ports(e.fabric, plan, std::nullopt);
    const auto per_hop = [&](NetworkKind network) {
      const double min = min_nanoseconds_per_hop(e.scenario, network);
      const TouchedPorts own = touched_ports(e.fabric, plan, network);
      return std::sqrt(nanoseconds_per_hop(min, e, plan.lookahead, both) *
                       nanoseconds_per_hop(min, e, plan.lookahead, own));
    };
    up_ = per_hop(NetworkKind::kScaleUp);
    out_ = per_hop(NetworkKind::kScaleOut);
  }

  /// In nanoseconds.
  [[nodiscard]] double sum(double all, double scale_up) const {
    return scale_up * up_ + (all - scale_up) * out_;
  }

 private:
  double up_ = 0;
  double out_ = 0;
};

/// Which part of the traffic `run.until` leaves: by the time that hosts need at least to send it.
double part_before_end(const Experiment& e, const Traffic& traffic) {
  if (!e.scenario.run.until || traffic.wire_bytes <= 0) return 1;
  double rate = 0;
  for (const Port& port : e.fabric.ports) rate += static_cast<double>(port.rate.count());
  Picoseconds begin = Picoseconds::max();
  for (const auto& job : e.workload.jobs()) begin = std::min(begin, job.start);
  const double min = traffic.wire_bytes * 8 / rate;
  const double given = to_seconds(*e.scenario.run.until - begin);
  return std::clamp(given / min, 0.0, 1.0);
}

std::optional<double> number_in(const std::string& file) {
  std::ifstream in(file);
  double number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// Of /proc/meminfo, in bytes.
double machine_memory() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

Forecast forecast(const Experiment& e) {
  const Traffic traffic =
      e.traffic ? *e.traffic : count_traffic(e.scenario, e.fabric, e.routes, e.workload);
  const double part = part_before_end(e, traffic);
  Forecast f;
  f.packet_hops = traffic.packet_hops * part;
  f.messages = traffic.messages * part;
  const HopTimes times(e);
  f.seconds = kSecondsPerRun + 1e-9 * (times.sum(f.packet_hops, traffic.scale_up_hops * part) +
                                       f.messages * kNanosecondsPerMessage);
  const Spared spared = max_spared(e);
  f.min_hops = std::max(0.0, traffic.packet_hops - spared.packet_hops) * part;
  f.min_seconds = f.seconds;
  if (spared.packet_hops > 0) {
    f.min_seconds -= 1e-9 * part *
                     (times.sum(spared.packet_hops, spared.scale_up_hops) +
                      spared.messages * (kNanosecondsPerMessage - kNanosecondsPerSparedMessage) -
                      spared.calls * kNanosecondsPerSparedCall);
  }
  f.memory = resident_bytes() + kBytesPerRun + network_bytes(e) + connection_bytes(e) +
             std::min(traffic.at_once, f.messages) * kBytesPerMessage -
             std::min(traffic.added_up, f.messages) * kBytesSavedPerContribution +
             std::min(f.messages, kMessagesAtHand) * kBytesPerMessageAtHand;
  if (e.scenario.observe.blame) {
    // Two runs, the second one beside what the first one left.
    f.seconds *= 2;
    f.min_seconds *= 2;
    f.memory += network_bytes(e) + connection_bytes(e);
  }
  return f;
}

std::string forecast_text(const Forecast& f) {
  const auto hops = [](double number) { return format_count(static_cast<std::int64_t>(number)); };
  std::string text =
      fmt::format("{} packet-hops: {} on one thread, {} of memory", hops(f.packet_hops),
                  format_time(f.seconds), format_bytes(f.memory));
  if (f.min_hops < f.packet_hops) {
    text += fmt::format("; reuse leaves {} or more of them to be simulated: {} or more",
                        hops(f.min_hops), format_time(f.min_seconds));
  }
  return text;
}

Bytes available_memory() {
  double min = machine_memory();
  const std::string group = "/sys/fs/cgroup/memory.";  // version 2, as containers see it
  if (const auto limit = number_in(group + "max")) {
    min = std::min(min, *limit - number_in(group + "current").value_or(0));
  }
  return Bytes(static_cast<std::int64_t>(std::clamp(min, 0.0, 9e18)));
}

}  // namespace weft::scenarios
