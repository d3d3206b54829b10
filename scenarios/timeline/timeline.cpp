#include "scenarios/timeline/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/text/format.hpp"
#include "scenarios/timeline/json_format.hpp"
#include "scenarios/timeline/perfetto_format.hpp"

namespace weft::scenarios {
namespace {

using collectives::Activity;
using protocols::MessageOutcome;
using Format = ObserveSpec::Timeline::Format;

std::unique_ptr<TraceFormat> make_format(Format format, bool is_first) {
  if (format == Format::kJson) return std::make_unique<JsonFormat>(is_first);
  return std::make_unique<PerfettoFormat>(is_first ? 1 : 2);
}

bool has_counters(const ObserveSpec& observe) {
  return observe.queues || observe.rates || observe.pauses;
}

/// A quarter is for counters, if there are any.
Bytes limit_of(const Experiment& e, bool is_of_counters) {
  const Bytes all = e.timeline->limit;
  const Bytes of_counters = has_counters(e.scenario.observe) ? all / 4 : Bytes(0);
  return is_of_counters ? of_counters : all - of_counters;
}

const char* work_name(collectives::Step::Work work) {
  using Work = collectives::Step::Work;
  switch (work) {
    case Work::kLaunch:
      return "launch";
    case Work::kReduce:
      return "add";
    case Work::kCopy:
      return "copy";
    case Work::kTransfer:
      return "transfer";
    case Work::kProtocol:
      return "protocol";
    case Work::kExcess:
      return "beyond the plan";
    case Work::kLeftOut:
      return "skipped";
    case Work::kCompute:
    case Work::kOther:
      break;
  }
  return "wait for its time";
}

}  // namespace

const char* Timeline::file_name(Format format) {
  return format == Format::kJson ? "timeline.json" : "timeline.perfetto-trace";
}

Timeline::Timeline(const Experiment& e, const std::filesystem::path& folder)
    : e_(e),
      plan_(*e.timeline),
      classes_(class_names(e.scenario.switches)),
      path_limit_(e.scenario.observe.blame ? e.timeline->limit / 2 : Bytes(0)),
      part_(folder / file_name(e.timeline->format), make_format(e.timeline->format, true),
            limit_of(e, false)),
      counters_(folder / (std::string(file_name(e.timeline->format)) + ".counters"),
                make_format(e.timeline->format, false), limit_of(e, true)),
      tracks_(e, part_),
      activities_(e.timeline->is_shown, e.timeline->from, e.timeline->until) {}

bool Timeline::has_room(const TracePart& part, Picoseconds time, Bytes reserved) {
  if (!part.is_full(reserved)) return true;
  full_since_ = std::min(full_since_.value_or(time), time);
  return false;
}

void Timeline::take_activities() {
  activities_.take([this](ProcessId process, const Activity& a) { add(process, a); });
}

void Timeline::add(ProcessId process, const Activity& a) {
  if (!has_room(a.begin)) return;
  TraceSlice slice{.begin = a.begin, .end = a.end, .name = {}, .category = "step"};
  const std::string name = name_of(process, a);
  slice.name = name;
  switch (a.kind) {
    case Activity::Kind::kIteration:
      slice.category = "iteration";
      part_.add(tracks_.iterations(process), slice);
      return;
    case Activity::Kind::kTask:
      slice.category = "collective";
      part_.add(tracks_.stream(process, a.place), slice);
      return;
    case Activity::Kind::kWork:
      if (a.work == collectives::Step::Work::kCompute) slice.category = "compute";
      break;
    default:
      break;
  }
  part_.add(tracks_.lane(process, a.place), slice);
}

std::string Timeline::name_of(ProcessId process, const Activity& a) const {
  const collectives::Workload& workload = e_.workload;
  const collectives::JobPlan& job = workload.jobs()[workload.job_of(process)];
  switch (a.kind) {
    case Activity::Kind::kIteration:
      return fmt::format("iteration {}", a.number);
    case Activity::Kind::kTask:
      return job.program->task_streams().task_name(a.place, a.number);
    case Activity::Kind::kWork:
      return a.work == collectives::Step::Work::kCompute
                 ? job.program->task_streams().task_name(0, a.number)
                 : work_name(a.work);
    case Activity::Kind::kControlEvent:
      return fmt::format("wait for a control event of {}", a.number);
    case Activity::Kind::kAcknowledgement:
      if (a.connection.is_none()) return "wait for acknowledgements";
      return fmt::format("wait for acknowledgement by {}",
                         workload.rank_of(workload.target_of(a.connection)));
    case Activity::Kind::kReceive:
      break;
  }
  if (workload.connections()[a.connection.value()].kind == Connection::Kind::kReduce) {
    return "receive the sum";
  }
  return fmt::format("receive from {}", workload.rank_of(workload.origin_of(a.connection)));
}

void Timeline::add(std::span<const MessageOutcome> ended) {
  for (const MessageOutcome& m : ended) {
    add_message(m, *std::max(m.delivered, m.acknowledged), true);
  }
}

void Timeline::add_pending(std::span<const MessageOutcome> pending, Picoseconds now) {
  for (const MessageOutcome& m : pending) add_message(m, std::max(now, m.posted), false);
}

std::vector<ProcessId> Timeline::receivers(const Connection& c) const {
  std::vector<ProcessId> all{c.destination};
  if (c.kind == Connection::Kind::kMulticast) all = e_.workload.groups()[c.group].members;
  std::erase_if(all, [this](ProcessId p) { return !plan_.is_shown[p.value()]; });
  return all;
}

void Timeline::add_message(const MessageOutcome& m, Picoseconds end, bool is_over) {
  const Connection& c = e_.workload.connections()[m.connection.value()];
  if (!plan_.is_shown[c.source.value()] || end < plan_.from || m.posted >= plan_.until) return;
  if (!has_room(m.posted)) return;
  const bool has_arrived = m.delivered && is_shown(*m.delivered);
  const std::vector<ProcessId> to = has_arrived ? receivers(c) : std::vector<ProcessId>();
  std::string name = fmt::format("to {}", e_.workload.rank_of(c.destination));
  if (c.kind == Connection::Kind::kReduce) name = "to the sum for" + name.substr(2);
  if (c.kind == Connection::Kind::kMulticast) name = "to all by multicast";
  if (!is_over) name += ", not over";
  TraceSlice slice{.begin = std::max(m.posted, plan_.from),
                   .end = std::min(end, plan_.until),
                   .name = name,
                   .category = "message"};
  slice.first = {.name = "bytes", .number = m.bytes.count()};
  slice.first_arrow = next_arrow_;
  slice.arrows = static_cast<std::uint32_t>(to.size());
  part_.add(tracks_.messages(c.source, slice.begin, slice.end), slice);
  const std::string from = fmt::format("from {}", e_.workload.rank_of(c.source));
  for (const ProcessId receiver : to) {
    part_.add(tracks_.arrivals(receiver), {.time = *m.delivered,
                                           .name = from,
                                           .category = "message",
                                           .arrow = next_arrow_++,
                                           .first_arrow = slice.first_arrow});
  }
}

void Timeline::add_path(std::uint32_t job, std::uint32_t iteration,
                        const std::vector<PathPiece>& path) {
  if (path.empty()) return;
  const Picoseconds begin = std::max(path.front().begin, plan_.from);
  const Picoseconds end = std::min(path.back().end, plan_.until);
  const auto& processes = e_.workload.jobs()[job];
  const auto shown = plan_.is_shown.begin() + processes.first_process;
  if (begin >= end || std::none_of(shown, shown + processes.ranks, [](bool is) { return is; })) {
    return;
  }
  if (!has_room(part_, begin, {})) return;
  using OfJob = TimelineTracks::OfJob;
  const bool has_iterations = processes.program->iterations() > 0;
  const std::string name = has_iterations ? fmt::format("iteration {}", iteration) : "job";
  part_.add(tracks_.of_job(job, OfJob::kIterations),
            {.begin = begin, .end = end, .name = name, .category = "iteration"});
  const TraceTrack& track = tracks_.of_job(job, OfJob::kCriticalPath);
  for (const PathPiece& piece : path) {
    TraceSlice slice{.begin = std::max(piece.begin, plan_.from),
                     .end = std::min(piece.end, plan_.until),
                     .name = piece.cause,
                     .category = "critical path"};
    if (slice.begin >= slice.end) continue;
    if (!has_room(part_, slice.begin, {})) return;
    slice.first = {.name = "culprit", .text = piece.culprit};
    if (!piece.port.empty()) slice.second = {.name = "port", .text = piece.port};
    part_.add(track, slice);
  }
}

void Timeline::finish() { part_.finish_with(&counters_); }

std::string Timeline::omitted() const {
  if (!full_since_) return {};
  return fmt::format(
      "{} has reached its limit of {}: not all is there of what was after {}; show fewer ranks or "
      "less time, or set observe.timeline.limit",
      file_name(plan_.format), format_bytes(static_cast<double>(plan_.limit.count())),
      format_time(*full_since_));
}

}  // namespace weft::scenarios
