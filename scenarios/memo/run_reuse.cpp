#include "scenarios/memo/run_reuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "collectives/memo/rails.hpp"
#include "scenarios/memo/obstacles.hpp"
#include "scenarios/memo/part_fabric.hpp"

namespace weft::scenarios {
namespace {

using collectives::GpuSet;

constexpr std::size_t kMaxTimesApart = 10;
/// Epochs that are kept before they are taken: some hundred megabytes.
constexpr std::size_t kMaxBytes = std::size_t{512} << 20U;

}  // namespace

Reusable find_reusable(const Experiment& e) {
  Reusable reusable;
  reusable.domains = gpu_sets_inside(e.fabric, e.workload);
  reusable.rails = collectives::find_rails(e.workload, e.fabric);
  const Disturbances disturbances(e);
  const auto disturbed = [&](const GpuSet& c) { return disturbances.at(c); };
  collectives::exclude(reusable.domains, disturbed);
  collectives::exclude(reusable.rails, disturbed);
  if (reusable.rails.all.empty()) return reusable;
  std::string obstacle = obstacle_to_rails(e);
  collectives::exclude(reusable.rails, [&](const GpuSet&) { return obstacle; });
  return reusable;
}

std::vector<std::string> Reusable::refusals() const {
  std::vector<std::string> sentences;
  for (const collectives::GpuSets::Refusal& refusal : domains.refusals) {
    sentences.push_back(
        fmt::format("calls among {} GPUs are simulated each: {}", refusal.gpus, refusal.reason));
  }
  for (const collectives::GpuSets::Refusal& refusal : rails.refusals) {
    sentences.push_back(fmt::format("calls between servers of {} GPUs are simulated each: {}",
                                    refusal.gpus, refusal.reason));
  }
  return sentences;
}

RunReuse::RunReuse(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
                   const Reusable& reusable, Reuse mode)
    : e_(experiment),
      mode_(mode),
      options_(options),
      domains_(experiment, options, reusable.domains, mode),
      rails_(experiment, options, reusable.rails) {}

std::span<const collectives::CallOracle::End> RunReuse::begin(ProcessId process,
                                                              std::uint32_t stream,
                                                              std::uint32_t call, Picoseconds now) {
  if (rails_.takes(process, stream)) return rails_.begin(process, stream, call, now);
  return domains_.begin(process, stream, call, now);
}

void RunReuse::end(ProcessId process, std::uint32_t stream) {
  if (rails_.takes(process, stream)) return rails_.end(process, stream);
  domains_.end(process, stream);
}

void RunReuse::begun(ProcessId process, std::uint32_t stream, std::uint32_t call, Picoseconds now) {
  domains_.begun(process, stream, call, now);
  if (mode_ == Reuse::kAudit || !rails_.takes(process, stream)) return;
  const std::lock_guard lock(mutex_);
  rails_.begin(process, stream, call, now);
}

void RunReuse::ended(ProcessId process, std::uint32_t stream, Picoseconds now,
                     Picoseconds posted_at) {
  domains_.ended(process, stream, now, posted_at);
  if (mode_ == Reuse::kAudit || !rails_.takes(process, stream)) return;
  const std::lock_guard lock(mutex_);
  const EpochEnd predicted = rails_.predicted_end(process, stream);
  if (predicted.time != now && differences_.size() < kMaxTimesApart) {
    differences_.push_back(fmt::format(
        "rank {} ends a call between servers at {} ps; reuse would have said {} ps",
        e_.workload.rank_of(process), now.count(), predicted.time.value_or({}).count()));
  }
  rails_.end(process, stream);
}

void RunReuse::exclude(Reusable& reusable) const {
  if (stood_still_) {
    const auto reason = [](const GpuSet&) { return std::string("messages stand still"); };
    collectives::exclude(reusable.domains, reason);
    collectives::exclude(reusable.rails, reason);
    return;
  }
  std::string reason = "they overlap so that finding their ends costs more than it spares";
  if (rails_.is_not_worthwhile()) {
    collectives::exclude(reusable.rails, [&](const GpuSet&) { return reason; });
  }
  const std::vector<bool> hopeless = domains_.kinds_not_worthwhile();
  collectives::exclude(reusable.domains,
                       [&](const GpuSet& c) { return hopeless[c.kind] ? reason : std::string(); });
}

void RunReuse::keep_calls() {
  calls_ = std::make_unique<CallLog>(e_.workload.process_hosts().size());
  domains_.keep_calls(*calls_);
  rails_.keep_calls(*calls_);
}

std::optional<CalledEpoch> RunReuse::call_that_ended(ProcessId process, std::uint32_t stream,
                                                     Picoseconds time) const {
  if (!takes(process, stream)) return {};
  if (std::optional<CalledEpoch> known = calls_->ended_at(process, stream, time)) return known;
  return rails_.takes(process, stream) ? rails_.open_call_that_ended(process, stream, time)
                                       : domains_.open_call_that_ended(process, stream, time);
}

void RunReuse::forget_calls(std::uint32_t job, Picoseconds before) {
  const collectives::JobPlan& plan = e_.workload.jobs()[job];
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    calls_->forget_before(plan.process(rank), before);
  }
}

bool RunReuse::begin_measurement(Picoseconds now) {
  const bool are_domains_open = domains_.begin_measurement(now);
  return rails_.begin_measurement(now) || are_domains_open;
}

bool RunReuse::close(std::optional<Picoseconds> limit) {
  const bool was_cut = domains_.close(limit);
  if (mode_ == Reuse::kAudit) return was_cut;
  return rails_.close(limit) || was_cut;
}

bool RunReuse::was_delivered(Picoseconds since, Picoseconds until) {
  const EpochDeliveries in_domains = domains_.deliveries(since, until);
  if (in_domains == EpochDeliveries::kSome) return true;
  const EpochDeliveries on_rails = rails_.deliveries(since, until);
  if (on_rails == EpochDeliveries::kSome) return true;
  if (in_domains != EpochDeliveries::kNone || on_rails != EpochDeliveries::kNone) note_standstill();
  return false;
}

void RunReuse::take(const std::function<void(const MemoisedEpoch&)>& visit,
                    const std::function<void()>& use) {
  const auto count = [&visit](std::uint64_t& hops) {
    return [&](const MemoisedEpoch& taken) {
      hops += taken.tally.times * taken.epoch->share.sums.packet_hops;
      visit(taken);
    };
  };
  rails_.take(count(hops_on_rails_));
  domains_.take(count(hops_inside_), use);
  rails_.forget();
}

void RunReuse::on_closed(const DomainReuse::Closed& visit) {
  domains_.on_closed(visit);
  rails_.on_closed(visit);
}

bool RunReuse::is_full() const {
  return domains_.memory_bytes() + rails_.memory_bytes() > kMaxBytes;
}

Picoseconds RunReuse::last_event() const {
  return std::max(domains_.last_event(), rails_.last_event());
}

ReuseReport RunReuse::report(const Reusable& reusable) const {
  ReuseReport report = domains_.report();
  report.rails = static_cast<std::uint32_t>(reusable.rails.all.size());
  for (const GpuSet& rail : reusable.rails.all) {
    report.rail_gpus += static_cast<std::uint32_t>(rail.ranks.size());
  }
  report.rail_calls = rails_.calls();
  report.rail_epochs = rails_.epochs();
  report.rail_simulated = rails_.simulated();
  report.inside.all = hops_inside_;
  report.on_rails = {.simulated = rails_.simulated_hops(), .all = hops_on_rails_};
  report.simulated_hops = report.inside.simulated + report.on_rails.simulated;
  report.skips += rails_.skips();
  report.refusals = reusable.refusals();
  return report;
}

std::vector<std::string> RunReuse::violations() const {
  std::vector<std::string> all = domains_.violations();
  std::ranges::copy(rails_.violations(), std::back_inserter(all));
  std::ranges::copy(differences_, std::back_inserter(all));
  return all;
}

}  // namespace weft::scenarios
