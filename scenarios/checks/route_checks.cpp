#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocols/config/transports/transport.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"
#include "topologies/analysis/reachability.hpp"

namespace weft::scenarios {
namespace {

using topologies::Reachability;
using topologies::RouteEnd;

/// Connections of a job whose packets, or the responses to them, do not get to their destination.
/// What scale-up switches reduce or repeat has all members of its group for that.
struct Broken {
  std::uint64_t connections = 0;
  HostId from;
  HostId to;
  RouteEnd end = RouteEnd::kDelivered;  ///< the worst
};

class RouteCheck {
 public:
  RouteCheck(const Experiment& e, bool refuses_loops, StaticFindings& findings)
      : e_(e),
        refuses_loops_(refuses_loops),
        findings_(findings),
        reachability_(e.fabric, e.routes),
        last_to_(e.workload.process_hosts().size()) {
    for (const protocols::TransportConfig& transport : e.scenario.transports()) {
      is_acknowledged_.push_back(protocols::traits_of(transport).is_acknowledged);
    }
  }

  void run() {
    std::vector<Broken> broken(e_.workload.jobs().size());
    const auto& connections = e_.workload.connections();
    for (std::size_t i = 0; i < connections.size(); ++i) {
      Broken& of_job = broken[e_.workload.job_of(e_.workload.origin_of(ConnectionId(i)))];
      const Connection& c = connections[i];
      if (c.kind != Connection::Kind::kMulticast) {
        check(c, c.destination, of_job);
        continue;
      }
      for (const ProcessId member : e_.workload.groups()[c.group].members) {
        check(c, member, of_job);
      }
    }
    bool is_needed = false;
    for (std::size_t job = 0; job < broken.size(); ++job) {
      if (broken[job].end == RouteEnd::kDelivered) continue;
      is_needed = true;
      tell(job, broken[job]);
    }
    if (!is_needed) warn_of_others();
  }

 private:
  void check(const Connection& connection, ProcessId destination, Broken& broken) {
    const HostId from = e_.workload.process_hosts()[connection.source.value()];
    const HostId to = e_.workload.process_hosts()[destination.value()];
    if (from == to) return;
    const RouteEnd end = end_of(connection, destination, from, to);
    if (end == RouteEnd::kDelivered) return;
    ++broken.connections;
    if (end <= broken.end) return;
    broken.from = from;
    broken.to = to;
    broken.end = end;
  }
  /// The lanes of a rank send to the same ranks.
  [[nodiscard]] RouteEnd end_of(const Connection& connection, ProcessId destination, HostId from,
                                HostId to) {
    Last& last = last_to_[destination.value()];
    const bool is_known = last.from == from && last.transport == connection.transport &&
                          last.is_answered == is_answered(connection);
    if (is_known) return last.end;
    RouteEnd end = reachability_.end_of(from, to);
    if (end == RouteEnd::kDelivered && is_answered(connection)) {
      end = reachability_.end_of_responses(from, to);
    }
    last = {from, connection.transport, is_answered(connection), end};
    return end;
  }
  [[nodiscard]] bool is_answered(const Connection& connection) const {
    return connection.kind == Connection::Kind::kUnicast && is_acknowledged_[connection.transport];
  }

  void tell(std::size_t job, const Broken& broken) {
    const JobSpec& spec = e_.scenario.jobs[job];
    std::string sentence =
        fmt::format("sends from {} to {}, and {}", e_.fabric.host(broken.from).name,
                    e_.fabric.host(broken.to).name, reachability_.reason(broken.from, broken.to));
    if (broken.connections > 1) {
      sentence += fmt::format(" ({} of its connections are like that)",
                              format_count(static_cast<std::int64_t>(broken.connections)));
    }
    if (broken.end == RouteEnd::kLoop && !refuses_loops_) {
      findings_.warnings.push_back(
          fmt::format("job {} {}; those packets are lost", spec.name, sentence));
      return;
    }
    sentence +=
        "; hosts never forward, so join the two by switches, or leave one of them out of "
        "the job";
    findings_.errors.push_back(
        {std::move(sentence), {.key = fmt::format("jobs[{}]", collectives::number_of(spec, job))}});
  }

  void warn_of_others() {
    const Reachability::Pairs& pairs = reachability_.unreachable();
    if (pairs.count == 0) return;
    findings_.warnings.push_back(fmt::format(
        "{}{} of hosts cannot send to each other, such as {} to {}: {}; no job needs {}",
        pairs.is_complete ? "" : "at least ",
        pairs.count == 1 ? "1 pair"
                         : format_count(static_cast<std::int64_t>(pairs.count)) + " pairs",
        e_.fabric.host(pairs.from).name, e_.fabric.host(pairs.to).name,
        reachability_.reason(pairs.from, pairs.to), pairs.count == 1 ? "it" : "them"));
  }

  const Experiment& e_;
  bool refuses_loops_;
  StaticFindings& findings_;
  Reachability reachability_;
  struct Last {
    HostId from;
    std::uint8_t transport = 0;
    bool is_answered = false;
    RouteEnd end = RouteEnd::kDelivered;
  };
  std::vector<Last> last_to_;          ///< of connections to a process
  std::vector<bool> is_acknowledged_;  ///< by transport; there are millions of connections
};

}  // namespace

void check_routes(const Experiment& experiment, Loops loops, StaticFindings& findings) {
  RouteCheck(experiment, loops == Loops::kRefused, findings).run();
}

}  // namespace weft::scenarios
