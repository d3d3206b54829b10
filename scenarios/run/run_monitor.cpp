#include "scenarios/run/run_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/ideal/connection_transports.hpp"
#include "scenarios/ideal/ideal_times.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

bool runs(const Experiment& e, std::uint32_t job) { return !e.lone_job || e.lone_job->job == job; }

std::uint64_t count_packets(const Experiment& e) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  std::uint64_t packets = 0;
  for (std::uint32_t job = 0; job < e.workload.jobs().size(); ++job) {
    if (!runs(e, job)) continue;
    collectives::for_each_transfer(
        e.workload, job, [&](ConnectionId connection, Bytes size, std::int64_t count) {
          packets += static_cast<std::uint64_t>(
              packets_of(size, transports.of(connection).framing) * count);
        });
  }
  return packets;
}

bool is_open_ended(const Experiment& e) {
  for (std::uint32_t job = 0; job < e.scenario.jobs.size(); ++job) {
    if (runs(e, job) && collectives::is_open_loop(e.scenario.jobs[job].kind)) return true;
  }
  return false;
}

}  // namespace

const Progress& RunMonitor::look(Picoseconds now, std::uint64_t packet_hops) {
  using namespace std::chrono_literals;
  progress_.now = now;
  progress_.count = packet_hops;
  const Clock::time_point wall = Clock::now();
  if (wall - looked_at_ < 200ms) return progress_;
  looked_at_ = wall;
  progress_.in_flight = network_.packets_in_flight();
  progress_.done = part_done(now);
  progress_.stall.clear();
  // A stall is looked for every 10 ms; one that ended longer ago is over.
  if (const auto& stalls = network_.stalls();
      !stalls.empty() && now - stalls.back().until < Picoseconds(10_ms)) {
    progress_.stall =
        fmt::format("nothing delivered since {}: {}", format_time(stalls.back().since),
                    blocked_text(experiment_, stalls.back(), 2));
  }
  return progress_;
}

std::optional<double> RunMonitor::part_done(Picoseconds now) {
  std::optional<double> done;
  if (const auto until = experiment_.scenario.run.until)
    done = to_seconds(now) / to_seconds(*until);
  if (is_open_ended(experiment_)) return done;
  if (!packets_in_all_) packets_in_all_ = count_packets(experiment_);
  if (*packets_in_all_ == 0) return done;
  const double arrived = static_cast<double>(network_.payload_packets_arrived()) /
                         static_cast<double>(*packets_in_all_);
  return std::max(done.value_or(0), arrived);
}

std::string blocked_text(const Experiment& e, const protocols::Stall& stall, std::size_t named) {
  const auto host = [&e](ProcessId p) {
    return e.fabric.host(e.workload.process_hosts()[p.value()]).name;
  };
  std::string text;
  named = std::min(named, stall.blocked.size());
  for (std::size_t i = 0; i < named; ++i) {
    const Connection& c = e.workload.connections()[stall.blocked[i].value()];
    text += fmt::format("{}{} -> {} (job {})", i == 0 ? "" : ", ", host(c.source),
                        host(c.destination), e.scenario.jobs[e.workload.job_of(c.source)].name);
  }
  if (stall.blocked_count > named) text += fmt::format(" and {} more", stall.blocked_count - named);
  return text;
}

std::vector<std::string> stall_warnings(const Experiment& e,
                                        const protocols::PacketNetwork& network) {
  std::vector<std::string> warnings;
  for (const protocols::Stall& stall : network.stalls()) {
    warnings.push_back(
        fmt::format("nothing was delivered from {} to {}, while {} had data under way",
                    format_time(stall.since), format_time(stall.until),
                    blocked_text(e, stall, stall.blocked.size())));
  }
  return warnings;
}

}  // namespace weft::scenarios
