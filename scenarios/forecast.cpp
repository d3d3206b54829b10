#include "scenarios/forecast.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "collectives/relay.hpp"
#include "protocols/state_sizes.hpp"
#include "scenarios/connection_transports.hpp"
#include "scenarios/traffic.hpp"

namespace weft::scenarios {
namespace {

// Nanoseconds of one thread of a machine that runs the permutation of tools/bench over 64 hosts at
// 60 ns per packet-hop. Larger fabrics lie beyond its caches (simcore/README.md).
constexpr double kNanosecondsPerHop = 65;
constexpr double kNanosecondsPerHopBeyondCaches = 110;
constexpr double kHostsInCaches = 512;
/// Steps, ideal times, records and results of a message.
constexpr double kNanosecondsPerMessage = 18'000;

/// Records at both ends and their copies in the results, ideal time, line of messages.csv: what is
/// there at once at the end.
constexpr double kBytesPerMessage = 400;
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

/// Queue pairs, and what the executor keeps of connections.
double connection_bytes(const Experiment& e) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  const protocols::StateSizes sizes = protocols::state_sizes(e.scenario.transport);
  const auto of_connection = static_cast<double>(sizes.connection + 4 * sizeof(std::uint32_t));
  const auto of_pair = static_cast<double>(sizes.sender + sizes.receiver + sizes.congestion_state);
  double bytes = static_cast<double>(e.workload.relays().size() * sizeof(collectives::RelayState));
  for (std::size_t i = 0; i < e.workload.connections().size(); ++i) {
    const ConnectionId id(i);
    const Connection& c = e.workload.connections()[i];
    bytes += of_connection + of_pair * transports.of(id).queue_pairs;
    if (c.kind == Connection::Kind::kMulticast) {
      bytes += static_cast<double>(e.workload.groups()[c.group].members.size() * sizes.receiver);
    } else if (c.kind == Connection::Kind::kReduce) {  // the rounds that each link has done
      bytes += 4.0 * e.fabric.host(transports.source_of(id)).port_count;
    }
  }
  return bytes;
}

double network_bytes(const Experiment& e) {
  const protocols::StateSizes sizes = protocols::state_sizes(e.scenario.transport);
  const auto ports = static_cast<double>(e.fabric.ports.size());
  const auto classes = static_cast<double>(e.scenario.switches.classes.size());
  return ports * (static_cast<double>(sizes.port) + kBytesPerPortResult) +
         ports * classes * static_cast<double>(sizes.class_of_port) +
         static_cast<double>(e.workload.lane_count()) * kBytesPerLane;
}

/// Which part of the traffic `run.until` leaves: by the time that hosts need at least to send it.
double part_before_end(const Experiment& e, const Traffic& traffic) {
  if (!e.scenario.run.until || traffic.wire_bytes <= 0) return 1;
  double rate = 0;
  for (const Port& port : e.fabric.ports) rate += static_cast<double>(port.rate.count());
  Picoseconds begin = Picoseconds::max();
  for (const auto& job : e.workload.jobs()) begin = std::min(begin, job.start);
  const double least = traffic.wire_bytes * 8 / rate;
  const double given = to_seconds(*e.scenario.run.until - begin);
  return std::clamp(given / least, 0.0, 1.0);
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
  // An experiment has no connection with more packets than can be numbered.
  const Traffic traffic = survey_traffic(e.scenario, e.fabric, e.routes, e.workload).value();
  const double part = part_before_end(e, traffic);
  Forecast f;
  f.packet_hops = traffic.packet_hops * part;
  const double messages = traffic.messages * part;
  const bool is_small = static_cast<double>(e.fabric.hosts.size()) <= kHostsInCaches;
  f.seconds =
      1e-9 * (f.packet_hops * (is_small ? kNanosecondsPerHop : kNanosecondsPerHopBeyondCaches) +
              messages * kNanosecondsPerMessage);
  f.memory =
      resident_bytes() + network_bytes(e) + connection_bytes(e) + messages * kBytesPerMessage;
  return f;
}

Bytes available_memory() {
  double least = machine_memory();
  const std::string group = "/sys/fs/cgroup/memory.";  // version 2, as containers see it
  if (const auto limit = number_in(group + "max")) {
    least = std::min(least, *limit - number_in(group + "current").value_or(0));
  }
  return Bytes(static_cast<std::int64_t>(std::clamp(least, 0.0, 9e18)));
}

}  // namespace weft::scenarios
