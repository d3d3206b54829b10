#include "scenarios/blame/path_finder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace weft::scenarios {

using collectives::JobPlan;
using collectives::Span;

namespace {

struct Interval {
  Picoseconds begin;
  Picoseconds end;
};

/// By what `number_of(charge)` gives, what computing along a path took; of the largest its number.
template <class NumberOf>
std::optional<std::uint32_t> most_computing(const std::vector<Charge>& charges,
                                            NumberOf number_of) {
  std::map<std::uint32_t, Picoseconds> computing;
  for (const Charge& charge : charges) {
    if (charge.cause != Cause::kCompute) continue;
    if (const std::optional<std::uint32_t> number = number_of(charge)) {
      computing[*number] += charge.end - charge.begin;
    }
  }
  const auto max = std::ranges::max_element(
      computing, [](const auto& a, const auto& b) { return a.second < b.second; });
  return max == computing.end() ? std::nullopt : std::optional(max->first);
}

/// Of a charge, the parts that are outside of the intervals (as bubbles) and inside; later ones
/// first, as all charges.
void split(const Charge& charge, const Culprit& stage, const std::vector<Interval>& busy,
           std::vector<Charge>& parts) {
  Picoseconds now = charge.end;
  const auto add = [&](Picoseconds begin, bool is_bubble) {
    if (begin >= now) return;
    parts.push_back({begin, now, is_bubble ? Cause::kBubble : Cause::kCompute,
                     is_bubble ? stage : charge.culprit, charge.port});
    now = begin;
  };
  auto next = std::ranges::lower_bound(busy, charge.end, {}, &Interval::begin);
  while (next != busy.begin() && now > charge.begin) {
    --next;
    if (next->end <= charge.begin) break;
    add(std::max(charge.begin, next->end), true);
    add(std::max(charge.begin, next->begin), false);
  }
  add(charge.begin, true);
}

/// Planned computing of other stages than the one that computes most of the path is a bubble while
/// that one does not compute.
void find_bubbles(const collectives::Workload& workload, const collectives::Executor& executor,
                  JobPath& path) {
  const JobPlan& job = workload.jobs()[path.job];
  const auto stage_of = [&](const Charge& c) {
    return job.program->task_streams().stage_of(c.culprit.number);
  };
  const std::optional<std::uint32_t> stage =
      most_computing(path.charges, [&](const Charge& c) { return std::optional(stage_of(c)); });
  if (!stage) return;
  const std::optional<std::uint32_t> rank =
      most_computing(path.charges, [&](const Charge& c) -> std::optional<std::uint32_t> {
        if (stage_of(c) != *stage) return {};
        return c.culprit.number;
      });
  std::vector<Interval> busy;
  const collectives::Iteration& iteration = executor.iterations(job.process(*rank))[path.iteration];
  executor.spans(workload.lane_index(job.process(*rank), 0))
      .for_each(iteration.begin, *iteration.end, [&busy](const Span& span) {
        if (span.kind == Span::Kind::kWork) busy.push_back({span.begin, span.end});
      });
  std::vector<Charge> charges;
  charges.reserve(path.charges.size());
  for (const Charge& charge : path.charges) {
    if (charge.cause != Cause::kCompute || stage_of(charge) == *stage) {
      charges.push_back(charge);
    } else {
      split(charge, Culprit::stage(path.job, stage_of(charge)), busy, charges);
    }
  }
  path.charges = std::move(charges);
}

JobPath path_of(std::uint32_t job, std::uint32_t iteration, Picoseconds begin, Picoseconds end) {
  JobPath path;
  path.job = job;
  path.iteration = iteration;
  path.begin = begin;
  path.end = end;
  return path;
}

}  // namespace

PathFinder::PathFinder(const Experiment& e, const collectives::Executor& executor)
    : e_(e),
      executor_(executor),
      log_(e.workload.connections().size()),
      run_{e.workload, executor, log_, e.scenario.run.control_latency},
      ended_at_(e.workload.jobs().size()) {}

void PathFinder::add(std::span<const protocols::MessageOutcome> messages) {
  for (const protocols::MessageOutcome& m : messages) log_.add(m);
}

std::pair<Picoseconds, std::uint32_t> PathFinder::last_event(std::uint32_t j,
                                                             std::uint32_t iteration) const {
  const JobPlan& job = e_.workload.jobs()[j];
  std::pair<OptionalTime, std::uint32_t> last;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const OptionalTime end = executor_.iterations(job.process(rank))[iteration].end;
    if (end > last.first) last = {end, rank};
  }
  return {*last.first, last.second};
}

void PathFinder::end_iteration(std::uint32_t j, std::uint32_t iteration) {
  const JobPlan& job = e_.workload.jobs()[j];
  const auto [end, rank] = last_event(j, iteration);
  const Picoseconds begin = ended_at_[j] ? *ended_at_[j] : executor_.outcome(j).start;
  JobPath path = path_of(j, iteration, begin, end);
  LaneWalk lanes(run_, j, begin, path.charges, path.messages);
  lanes.go_to({rank, executor_.iterations(job.process(rank))[iteration].last_lane, end});
  walk(lanes, path);
  if (job.program->task_streams().streams() > 0) find_bubbles(e_.workload, executor_, path);
  paths_.push_back(std::move(path));
  ended_at_[j] = end;
  for (std::uint32_t c = 0; c < e_.workload.connections().size(); ++c) {
    if (e_.workload.job_of(e_.workload.connections()[c].source) != j) continue;
    log_.forget(ConnectionId(c), begin);
  }
  if (detours_ != nullptr) detours_->forget(j, begin);
}

void PathFinder::find_job(std::uint32_t j) {
  const JobPlan& job = e_.workload.jobs()[j];
  const collectives::JobOutcome outcome = executor_.outcome(j);
  if (!outcome.is_finished || !outcome.has_begun) return;
  JobPath path = path_of(j, 0, outcome.start, outcome.end);
  LaneWalk lanes(run_, j, path.begin, path.charges, path.messages);
  const auto find_end = [&] {
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
      if (executor_.last_progress(job.process(rank)) != outcome.end) continue;
      for (std::uint32_t lane = 0; lane < job.lanes; ++lane) {
        lanes.go_to({rank, lane, outcome.end});
        const auto span =
            executor_.spans(e_.workload.lane_index(job.process(rank), lane)).last(outcome.end);
        if (span && span->end == outcome.end) return;
      }
      if (lanes.follow_delivery()) return;
    }
    lanes.go_to({0, 0, outcome.end});
  };
  if (path.end > path.begin) {
    find_end();
    walk(lanes, path);
  }
  paths_.push_back(std::move(path));
}

void PathFinder::walk(LaneWalk& lanes, JobPath& path) {
  while (lanes.reaches_gap()) {
    if (!take_detour(lanes, path)) lanes.pass_gap();
  }
}

bool PathFinder::take_detour(LaneWalk& lanes, JobPath& path) {
  if (detours_ == nullptr) return false;
  std::unique_ptr<Detour> detour = detours_->walk(lanes, path.job, path.begin, path.charges);
  if (detour == nullptr) return false;
  if (!detour->messages.empty()) path.detours.push_back(std::move(detour));
  return true;
}

std::vector<JobPath> PathFinder::finish() {
  for (std::uint32_t j = 0; j < e_.workload.jobs().size(); ++j) {
    if (e_.workload.jobs()[j].program->iterations() == 0) find_job(j);
  }
  return std::exchange(paths_, {});
}

void charge_by_ideal(const PathMessage& m, ZeroLoadTimes& ideals, std::uint32_t job,
                     std::vector<Charge>& charges) {
  const auto min = [&](Bytes bytes) {
    return ideals.message(m.connection, m.message.entropy, bytes).delivered;
  };
  const Picoseconds latency = min(Bytes(1));
  const Picoseconds posted = m.message.posted;
  // Backwards: first what came last.
  const std::array<Charge, 3> parts{
      Charge{posted, posted + latency, Cause::kPropagation, Culprit::of_job(job)},
      Charge{posted + latency, posted + min(m.message.bytes), Cause::kSerialisation,
             Culprit::of_job(job)},
      Charge{posted + min(m.message.bytes), Picoseconds::max(), Cause::kQueueing,
             Culprit::of_job(job)}};
  for (Charge part : parts) {
    part.begin = std::max(part.begin, m.from);
    part.end = std::min(part.end, m.until);
    if (part.begin < part.end) charges.push_back(part);
  }
}

}  // namespace weft::scenarios
