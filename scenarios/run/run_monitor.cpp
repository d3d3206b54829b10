#include "scenarios/run/run_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "scenarios/checks/limits/traffic.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {
namespace {

std::uint64_t count_packets(const Experiment& e, const RunMode& mode) {
  const ConnectionTransports transports(e.scenario, e.fabric, e.routes, e.workload);
  std::uint64_t packets = 0;
  for (std::uint32_t job = 0; job < e.workload.jobs().size(); ++job) {
    if (!mode.runs(job)) continue;
    collectives::for_each_transfer(
        e.workload, job, [&](ConnectionId connection, Bytes size, std::int64_t count) {
          packets += static_cast<std::uint64_t>(
              packets_of(size, transports.of(connection).framing) * count);
        });
  }
  return packets;
}

bool is_open_ended(const Experiment& e, const RunMode& mode) {
  for (std::uint32_t job = 0; job < e.scenario.jobs.size(); ++job) {
    if (mode.runs(job) && collectives::is_open_loop(e.scenario.jobs[job].kind)) return true;
  }
  return false;
}

}  // namespace

void RunMonitor::follow(const collectives::Executor& executor, RunRecorder& recorder) {
  progress_.state = [this, &executor, &recorder](std::size_t ports) {
    RunState state;
    for (std::uint32_t job = 0; job < experiment_.workload.jobs().size(); ++job) {
      const collectives::JobOutcome outcome = executor.outcome(job);
      RunState::Job& of_job = state.jobs.emplace_back(recorder.steps_of(job));
      of_job.has_begun = outcome.has_begun && outcome.start <= progress_.now;
      of_job.is_finished = outcome.is_finished;
    }
    state.ports = hottest_ports(ports);
    state.messages = recorder.untaken(network_);
    return state;
  };
}

/// Ports by what waits there, then by how busy they were since the last poll.
std::vector<RunState::Port> RunMonitor::hottest_ports(std::size_t max) {
  const std::vector<Port>& ports = experiment_.fabric.ports;
  const double seconds = to_seconds(progress_.now - ports_polled_at_);
  ports_polled_at_ = progress_.now;
  sent_.resize(ports.size());
  std::vector<RunState::Port> all;
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const Bytes bytes = network_.port_counters(PortId(i)).bytes;
    // The counters begin again after the warm-up.
    const Bytes fresh = bytes < sent_[i] ? bytes : bytes - sent_[i];
    sent_[i] = bytes;
    const double max_bytes = static_cast<double>(ports[i].rate.count()) / 8 * seconds;
    const double utilisation = max_bytes > 0 ? static_cast<double>(fresh.count()) / max_bytes : 0.0;
    const Bytes queue = network_.queue_bytes(PortId(i));
    if (fresh > 0_B || queue > 0_B) all.push_back({PortId(i), queue, std::min(utilisation, 1.0)});
  }
  const auto is_hotter = [](const RunState::Port& a, const RunState::Port& b) {
    return std::tuple(-a.queue.count(), -a.utilisation, a.port) <
           std::tuple(-b.queue.count(), -b.utilisation, b.port);
  };
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(max, all.size()));
  std::partial_sort(all.begin(), end, all.end(), is_hotter);
  all.erase(end, all.end());
  return all;
}

const Progress& RunMonitor::poll(Picoseconds now, std::uint64_t packet_hops) {
  using namespace std::chrono_literals;
  progress_.now = now;
  if (elsewhere_ != nullptr) packet_hops += *elsewhere_->uncounted_hops();
  if (packet_hops < progress_.count) before_warmup_ = progress_.count;
  progress_.count = packet_hops;
  const Clock::time_point wall = Clock::now();
  if (wall - words_checked_ < 200ms) return progress_;
  words_checked_ = wall;
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

const Progress& RunMonitor::last() {
  words_checked_ = {};
  poll(network_.now(), network_.packet_hops());
  progress_.is_last = true;
  return progress_;
}

std::optional<double> RunMonitor::part_done(Picoseconds now) {
  std::optional<double> done;
  if (const auto until = experiment_.scenario.run.until)
    done = to_seconds(now) / to_seconds(*until);
  if (is_open_ended(experiment_, mode_)) return done;
  const double traffic = part_of_traffic();
  return *in_all_ == 0 ? done : std::max(done.value_or(0), traffic);
}

double RunMonitor::part_of_traffic() {
  const Experiment& e = experiment_;
  if (!in_all_) {
    in_all_ = elsewhere_ == nullptr
                  ? static_cast<double>(count_packets(e, mode_))
                  : count_traffic(e.scenario, e.fabric, e.routes, e.workload).packet_hops;
  }
  const std::uint64_t so_far =
      elsewhere_ == nullptr ? network_.payload_packets_arrived() : before_warmup_ + progress_.count;
  // Retransmissions are not in the forecast.
  return *in_all_ == 0 ? 0 : std::min(static_cast<double>(so_far) / *in_all_, 1.0);
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
