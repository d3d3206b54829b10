#include "scenarios/run/memo/approximate_periods.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "collectives/jobs/collective/collective_program.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "simcore/fabric/path.hpp"

namespace weft::scenarios {
namespace {

/// Why the times of the job's own steps do not only move later where what they wait for does.
std::string obstacle_of_job(const Experiment& e) {
  const auto* program =
      dynamic_cast<const collectives::CollectiveProgram*>(e.workload.jobs().front().program.get());
  if (program == nullptr) return "what a job computes between its calls is not compared";
  const collectives::CollectiveSpec& spec = program->spec();
  if (spec.jitter || !spec.noise.empty()) return "delays of ranks are drawn";
  if (!e.workload.relays().empty()) return "GPUs forward messages of others";
  return {};
}

/// The same of the paths of its messages, link by link.
std::string obstacle_of_paths(const Experiment& e) {
  std::set<PortId> used;
  for (const Connection& c : e.workload.connections()) {
    if (c.kind != Connection::Kind::kUnicast)
      return "scale-up switches reduce or multicast messages";
    const HostId from = e.workload.process_hosts()[c.source.value()];
    const HostId to = e.workload.process_hosts()[c.destination.value()];
    const auto path = flow_path(e.fabric, e.routes, e.scenario.seed, from, to,
                                flow_entropy(from, to, queue_pair_number(c.flow_label, 0)));
    if (path.empty()) return "the path of some messages is not known in advance";
    if (e.fabric.network_of(path.front()) == NetworkKind::kScaleUp) {
      return "packets take the links of a domain in turn";
    }
    if (!e.scenario.keeps_path(c.traffic_class, c.transport)) {
      return "packets of a message take several paths";
    }
    const protocols::TransportTraits traits =
        protocols::traits_of(e.scenario.transport_of(c.transport));
    if (traits.is_acknowledged) {
      return "acknowledgements share links with data, and may come before or after it";
    }
    if (traits.queue_pairs > 1) return "queue pairs of a connection take turns";
    for (const PortId port : path) {
      if (!used.insert(port).second) {
        return "messages of several connections share " + e.fabric.port_name(port);
      }
    }
  }
  return {};
}

std::string obstacle_of_run(const Experiment& e, const protocols::NetworkTotals& totals) {
  if (totals.buffer_drops + totals.error_drops + totals.wred_drops + totals.watchdog_drops > 0)
    return "packets were dropped";
  if (totals.ecn_marked > 0) return "packets were marked";
  if (totals.pauses > 0) return "ports were paused";
  if (totals.packets_retransmitted > 0) return "packets were sent again";
  if (e.scenario.switches.queueing == protocols::SwitchConfig::Queueing::kInput) {
    return "arbiters of switches take turns";
  }
  return {};
}

/// Why periods might come to differ by more than those that were compared; empty: they cannot.
/// Where they cannot, begins of rounds follow from earlier ones by maxima and sums: a queue serves
/// one connection, in order, at a rate that stays.
std::string why_estimate(const Experiment& e, const collectives::PeriodReport& report,
                         const protocols::NetworkTotals& totals) {
  for (std::string obstacle : {obstacle_of_job(e), obstacle_of_run(e, totals)}) {
    if (!obstacle.empty()) return obstacle;
  }
  if (!report.are_lanes_close) return "ranks or channels are further apart than what was compared";
  return obstacle_of_paths(e);
}

/// As the last of them, one period after the other.
template <class Row>
void add_rows(std::vector<Row>& rows, std::int64_t count, Picoseconds period) {
  if (rows.empty()) return;
  Row row = rows.back();
  row.is_estimated = true;
  for (std::int64_t i = 0; i < count; ++i) {
    ++row.iteration;
    row.start += period;
    row.end += period;
    row.since_previous = period;
    rows.push_back(row);
  }
}

}  // namespace

ApproximatePeriods::ApproximatePeriods(const Experiment& e, const RunMode& mode,
                                       collectives::Executor& executor)
    : e_(e), executor_(executor) {
  const ReuseSpec& reuse = e.scenario.run.reuse;
  if (reuse.periods != Periods::kApproximate || mode.lone_job) return;
  watch_.emplace(e.workload, executor, reuse.tolerance);
  executor.intercept_steps(*watch_);
}

void ApproximatePeriods::end(RunEnd& /*end*/, Results& results) {
  if (!watch_) return;
  PeriodsReport& report = results.periods.emplace();
  report.tolerance = e_.scenario.run.reuse.tolerance;
  // A run that was interrupted has not come to the end of what was skipped.
  if (executor_.all_finished()) {
    watch_->finish();
    report.skipped = watch_->report();
  }
  if (report.skipped.time == Picoseconds(0)) return;
  report.estimate_because = why_estimate(e_, report.skipped, network_->totals());
  results.warnings.emplace_back(
      "approximate periods: JCT, times of iterations and what follows from them include time that "
      "was not simulated; messages, packets, ports, classes and percentiles are of the rest");
}

void ApproximatePeriods::collect(Results& results) {
  if (!results.periods) return;
  const collectives::PeriodReport& skipped = results.periods->skipped;
  const std::int64_t count = skipped.iterations_skipped;
  add_rows(results.collectives, count, skipped.iteration_period);
  add_rows(results.iterations, count, skipped.iteration_period);
}

}  // namespace weft::scenarios
