#include "scenarios/checks/limits/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenarios/checks/limits/limits.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {
namespace {

class Survey {
 public:
  Survey(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
         const collectives::Workload& workload)
      : workload_(workload),
        messages_(scenario, fabric, routes, workload),
        blames_(scenario.observe.blame) {}

  void add_job(std::uint32_t job) {
    const double before = traffic_.messages;
    double added_up = 0;
    collectives::for_each_likely_transfer(
        workload_, job, [&](ConnectionId connection, Bytes size, collectives::LikelyCount count) {
          add(connection, size, count);
          const Connection& c = workload_.connections()[connection.value()];
          if (c.kind == Connection::Kind::kReduce) added_up += count.mean;
        });
    const collectives::JobProgram& program = *workload_.jobs()[job].program;
    const double iterations = std::max(program.iterations(), 1U);
    const double of_iteration = (traffic_.messages - before) / iterations;
    traffic_.of_iterations += of_iteration;
    if (program.drawn_sends(0)) return;
    // Streams wait for their tasks: what is at hand is a message of each connection or so. Where an
    // iteration is explained, its messages are kept.
    const bool is_kept = program.task_streams().streams() == 0 || program.is_explained() || blames_;
    traffic_.at_once += is_kept ? of_iteration : std::min(of_iteration, connections_of(job));
    if (is_kept) traffic_.added_up += added_up / iterations;
  }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  /// All jobs' are counted at once: there may be as many jobs as connections.
  [[nodiscard]] double connections_of(std::uint32_t job) {
    if (connections_.empty()) {
      connections_.resize(workload_.jobs().size());
      for (const Connection& c : workload_.connections())
        ++connections_[workload_.job_of(c.source)];
    }
    return connections_[job];
  }
  /// Of the connection that has most of them, if all goes against it.
  [[nodiscard]] double max_packets() const { return max_packets_; }

 private:
  void add(ConnectionId connection, Bytes size, collectives::LikelyCount messages) {
    const MessageTraffic::Message m = messages_.of(connection, size);
    // The transfers of a connection come one after the other.
    if (connection != current_) packets_of_current_ = 0;
    current_ = connection;
    packets_of_current_ += m.packets * messages.max;
    max_packets_ = std::max(max_packets_, packets_of_current_);

    const double count = messages.mean;
    traffic_.messages += count;
    traffic_.packets += m.packets * count;
    traffic_.packet_hops += m.hops * count;
    if (m.is_scale_up) traffic_.scale_up_hops += m.hops * count;
    traffic_.wire_bytes += m.wire_bytes * count * m.links;
  }

  const collectives::Workload& workload_;
  MessageTraffic messages_;
  bool blames_;  ///< messages are kept until their iteration is over
  Traffic traffic_;
  ConnectionId current_;
  double packets_of_current_ = 0;
  double max_packets_ = 0;
  std::vector<double> connections_;  ///< by job; empty: not counted yet
};

}  // namespace

MessageTraffic::Message MessageTraffic::of(ConnectionId connection, Bytes size) {
  const Connection& c = workload_.connections()[connection.value()];
  if (c.kind != Connection::Kind::kUnicast) return measure(connection, size);
  Last& last = last_to_[c.destination.value()];
  if (last.source != c.source || last.size != size || last.traffic_class != c.traffic_class ||
      last.transport != c.transport) {
    last = {c.source, c.traffic_class, c.transport, size, measure(connection, size)};
  }
  return last.message;
}

MessageTraffic::Message MessageTraffic::measure(ConnectionId connection, Bytes size) {
  const ConnectionTransport t = transports_.of(connection);
  Message m{.packets = static_cast<double>(packets_of(size, t.framing)),
            .links = links_of(connection),
            .wire_bytes = static_cast<double>(scenarios::wire_bytes(size, t.framing).count()),
            .is_scale_up = t.is_scale_up};
  const double acknowledgements =
      t.is_acknowledged ? std::ceil(m.packets / t.framing.ack_every) : 0;
  m.hops = (m.packets + acknowledgements) * m.links;
  return m;
}

double MessageTraffic::links_of(ConnectionId connection) {
  const Connection& c = workload_.connections()[connection.value()];
  if (c.kind == Connection::Kind::kUnicast) {
    return static_cast<double>(distances_.links(transports_.source_of(connection),
                                                transports_.destination_of(connection)));
  }
  const auto members = static_cast<double>(workload_.groups()[c.group].members.size());
  if (c.kind == Connection::Kind::kMulticast) return 1 + members;
  return 2 + 1 / members;  // to the scale-up switch, its word that the sum is complete, and a share
                           // of that
}

Traffic count_traffic(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
                      const collectives::Workload& workload) {
  Survey survey(scenario, fabric, routes, workload);
  for (std::uint32_t job = 0; job < workload.jobs().size(); ++job) survey.add_job(job);
  return survey.traffic();
}

Result<Traffic> survey_traffic(const Scenario& scenario, const Fabric& fabric, const Routes& routes,
                               const collectives::Workload& workload) {
  Survey survey(scenario, fabric, routes, workload);
  for (std::uint32_t job = 0; job < workload.jobs().size(); ++job) {
    survey.add_job(job);
    if (survey.max_packets() <= kMaxPackets) continue;
    return Error{
        fmt::format("would send up to {:.3g} packets on one connection; its queue pair numbers "
                    "at most {:.3g}: make it shorter, or several jobs",
                    survey.max_packets(), kMaxPackets),
        {.key = fmt::format("jobs[{}]", collectives::number_of(scenario.jobs[job], job))}};
  }
  return survey.traffic();
}

}  // namespace weft::scenarios
