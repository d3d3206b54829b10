#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::scenarios {
namespace {

/// More connections are checked in steps.
constexpr std::size_t kMaxSamples = 100'000;
/// More pairs of first and last switches are like those.
constexpr std::size_t kMaxTrips = 2'000;

/// A full packet and its ACK on an idle path.
struct RoundTrip {
  HostId from;
  HostId to;
  Picoseconds time;
  BitsPerSecond rate;  ///< of the slowest link there

  /// Bytes that keep the path busy for the round trip.
  [[nodiscard]] double fills() const {
    return to_seconds(time) * static_cast<double>(rate.count()) / 8;
  }
};

class RoundTripChecks {
 public:
  RoundTripChecks(const Experiment& e, StaticFindings& findings) : e_(e), findings_(findings) {
    for (const protocols::TransportConfig& transport : e.scenario.transports()) {
      traits_.push_back(protocols::traits_of(transport));
    }
    trips_.resize(traits_.size());
    find_trips();
  }

  void run() {
    for (std::size_t i = 0; i < traits_.size(); ++i) {
      if (trips_[i].time == Picoseconds(0) || !traits_[i].is_acknowledged) continue;
      check_window(traits_[i], trips_[i]);
      check_timeout(traits_[i], trips_[i]);
    }
  }

 private:
  /// Of each transport the connection whose path holds most.
  void find_trips() {
    const auto& connections = e_.workload.connections();
    const std::size_t step = std::max<std::size_t>(1, connections.size() / kMaxSamples);
    for (std::size_t i = 0; i < connections.size(); i += step) {
      if (seen_.size() > kMaxTrips) return;
      const Connection& c = connections[i];
      const HostId from = e_.workload.process_hosts()[c.source.value()];
      const HostId to = e_.workload.process_hosts()[c.destination.value()];
      if (c.kind != Connection::Kind::kUnicast || from == to ||
          e_.fabric.network_between(from, to) == NetworkKind::kScaleUp) {
        continue;
      }
      const std::uint64_t key = (std::uint64_t{c.transport} << 60U) |
                                (std::uint64_t{first_node(from, to)} << 30U) | first_node(to, from);
      if (!seen_.insert(key).second) continue;
      const RoundTrip trip = trip_of(c.transport, from, to);
      if (trip.fills() > trips_[c.transport].fills()) trips_[c.transport] = trip;
    }
  }

  [[nodiscard]] std::uint32_t first_node(HostId host, HostId other) const {
    const auto ports = e_.routes.host_ports(host, other);
    if (ports.empty()) return 0;
    return e_.fabric.peer_node(PortId(e_.fabric.host(host).first_port.value() + ports.front()))
        .value();
  }

  [[nodiscard]] RoundTrip trip_of(std::size_t transport, HostId from, HostId to) const {
    const auto hops = [&](HostId a, HostId b) {
      return hops_of(e_.fabric, flow_path(e_.fabric, e_.routes, e_.scenario.seed, a, b, 0));
    };
    const std::vector<PathHop> there = hops(from, to);
    const std::vector<PathHop> back = hops(to, from);
    if (there.empty() || back.empty()) return {};
    Framing framing = framing_of(e_.scenario, transport);
    framing.window = 0;
    framing.ack_every = 1;
    RoundTrip trip{from, to, zero_load(framing.payload, framing, there, back).completed,
                   there.front().rate};
    for (const PathHop& hop : there) trip.rate = std::min(trip.rate, hop.rate);
    return trip;
  }

  [[nodiscard]] std::string pair(const RoundTrip& trip) const {
    return e_.fabric.host(trip.from).name + " to " + e_.fabric.host(trip.to).name;
  }

  /// What is in flight at most does not fill the path.
  void check_window(const protocols::TransportTraits& t, const RoundTrip& trip) {
    constexpr double kNearlyAll = 0.9;
    const auto packet = static_cast<double>(t.full_packet().count());
    const bool has_cap = t.selective && t.selective->cap && *t.selective->cap > 0_B;
    double window = t.window * packet;
    std::string what = fmt::format("a window of {} packet{}", t.window, t.window == 1 ? "" : "s");
    if (has_cap && (window == 0 || static_cast<double>(t.selective->cap->count()) < window)) {
      window = static_cast<double>(t.selective->cap->count());
      what = "a recovery.cap of " + format_bytes(window);
    }
    if (window == 0 || window >= kNearlyAll * trip.fills()) return;
    std::string sentence = fmt::format(
        "{} holds a queue pair from {} to {} of {}: a round trip takes {}, and {:.0f} packets fill "
        "it",
        what, pair(trip), format_rate(window * 8 / to_seconds(trip.time)),
        format_rate(static_cast<double>(trip.rate.count())), format_time(trip.time),
        std::ceil(trip.fills() / packet));
    if (!t.is_stream) {  // whose ideal times know no windows
      sentence +=
          "; ideal times have the same window, so that JCT/ideal and slowdowns do not show this";
    }
    const double packets = std::ceil(trip.fills() / packet);
    const bool is_cap = what.starts_with("a recovery");
    sentence += is_cap ? "; raise recovery.cap to " + format_bytes(packets * packet)
                       : fmt::format("; raise the window to {:.0f} packets", packets);
    findings_.warnings.push_back(std::move(sentence));
  }

  /// Whatever is sent is sent again before its ACK can be back.
  void check_timeout(const protocols::TransportTraits& t, const RoundTrip& trip) {
    const Picoseconds timeout = t.selective ? t.selective->timeout_low : t.retransmit_timeout;
    if (timeout >= trip.time) return;
    const char* const key = t.selective   ? "recovery.timeout_low"
                            : t.is_stream ? "timeout.min"
                                          : "retransmit_timeout";
    findings_.warnings.push_back(fmt::format(
        "{} is {}, less than the {} of an idle round trip from {}: packets are sent again before "
        "their ACKs can be back, until the sender gives up; raise it to several round trips",
        key, format_time(timeout), format_time(trip.time), pair(trip)));
  }

  const Experiment& e_;
  StaticFindings& findings_;
  std::vector<protocols::TransportTraits> traits_;
  std::vector<RoundTrip> trips_;  ///< by transport
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

void check_round_trips(const Experiment& experiment, StaticFindings& findings) {
  RoundTripChecks(experiment, findings).run();
}

}  // namespace weft::scenarios
