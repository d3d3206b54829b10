#include "scenarios/blame/path_finder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace weft::scenarios {

using collectives::JobPlan;
using collectives::Span;
using collectives::Step;
using collectives::Workload;

/// One path, from its end to its begin.
class PathFinder::Walk {
 public:
  Walk(const PathFinder& finder, JobPath& path)
      : f_(finder),
        workload_(finder.e_.workload),
        job_(workload_.jobs()[path.job]),
        path_(path),
        now_(path.end) {}

  /// From what `rank` did in a lane.
  void run(std::uint32_t rank, std::uint32_t lane) {
    rank_ = rank;
    lane_ = lane;
    // Events of lanes at one instant go one way, so there are at most as many in a row as lanes;
    // more would be a circle.
    std::uint32_t events = 0;
    while (now_ > path_.begin) {
      const auto span = spans().last(now_);
      if (!span || span->end < now_) {
        // Before that the lane did not wait: it had not begun.
        charge(span ? span->end : path_.begin, Cause::kSchedule, own_rank());
        continue;
      }
      if (span->kind == Span::Kind::kLane && events < job_.lanes) {
        lane_ = span->ordinal;
        ++events;
        continue;
      }
      events = 0;
      follow(*span);
    }
  }

  /// From a message that was delivered to `rank` at the end of the path, when nobody waited for it.
  bool run_from_delivery(std::uint32_t rank) {
    for (std::uint32_t c = 0; c < workload_.connections().size(); ++c) {
      const ConnectionId connection(c);
      const Connection& to = workload_.connections()[c];
      if (to.destination != job_.process(rank) || to.kind != Connection::Kind::kUnicast) continue;
      const std::uint32_t sender = workload_.rank_of(workload_.origin_of(connection));
      const std::uint32_t lane = workload_.lane_of(connection);
      const Picoseconds seen = job_.program->receive_latency({rank, lane}, sender);
      const MessageLog::Message* message = f_.log_.delivered_at(connection, now_ - seen);
      if (message == nullptr) continue;
      charge(message->delivered, Cause::kProtocol, Culprit::rank(path_.job, rank));
      go_back(connection, *message);
      run(rank_, lane_);
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] const collectives::SpanLog& spans() const {
    return f_.executor_.spans(workload_.lane_index(job_.process(rank_), lane_));
  }
  [[nodiscard]] Culprit own_rank() const { return Culprit::rank(path_.job, rank_); }

  /// The time since `begin`.
  void charge(Picoseconds begin, Cause cause, Culprit culprit) {
    begin = std::max(begin, path_.begin);
    if (begin >= now_) return;
    path_.charges.push_back({.begin = begin, .end = now_, .cause = cause, .culprit = culprit});
    now_ = begin;
  }

  void follow(const Span& span) {
    switch (span.kind) {
      case Span::Kind::kWork:
        charge(span.begin, cause_of(span.work), own_rank());
        return;
      case Span::Kind::kSignal: {
        const std::uint32_t sender = span.ordinal;
        charge(now_ - f_.e_.scenario.run.control_latency, Cause::kProtocol, own_rank());
        rank_ = sender;
        return;
      }
      case Span::Kind::kAcknowledgement:
        if (const auto* message = f_.log_.acknowledged_at(span.connection, now_)) {
          charge(message->delivered, Cause::kProtocol, own_rank());
          go_back(span.connection, *message);
          return;
        }
        break;
      case Span::Kind::kReceive:
        if (receive(span)) return;
        break;
      case Span::Kind::kLane:  // a circle
        break;
    }
    charge(span.begin, Cause::kProtocol, own_rank());
  }

  [[nodiscard]] static Cause cause_of(Step::Work work) {
    switch (work) {
      case Step::Work::kCompute:
        return Cause::kCompute;
      case Step::Work::kExcess:
        return Cause::kStraggler;
      case Step::Work::kOther:
        return Cause::kSchedule;
      default:
        return Cause::kProtocol;
    }
  }

  /// False: the message is not known.
  bool receive(const Span& span) {
    ConnectionId connection = span.connection;
    const Connection& c = workload_.connections()[connection.value()];
    const MessageLog::Message* message = nullptr;
    if (c.kind == Connection::Kind::kReduce) {
      std::tie(connection, message) = last_of_sum(c, connection, span.ordinal);
    } else {
      message = f_.log_.of(connection, span.ordinal);
    }
    if (message == nullptr) return false;
    const std::uint32_t sender = workload_.rank_of(workload_.origin_of(connection));
    charge(now_ - job_.program->receive_latency({rank_, lane_}, sender), Cause::kProtocol,
           own_rank());
    go_back(connection, *message);
    if (const std::uint32_t relay = workload_.relay_of(connection); relay != Workload::kNoRelay) {
      // Chunks leave a relay in the order in which they come.
      const ConnectionId first = workload_.relays()[relay].first;
      const MessageLog::Message* leg = f_.log_.of(first, span.ordinal);
      if (leg == nullptr) return true;
      charge(leg->delivered, Cause::kProtocol, own_rank());
      go_back(first, *leg);
    }
    return true;
  }

  /// The contribution that was posted last; of several that of the least member.
  [[nodiscard]] std::pair<ConnectionId, const MessageLog::Message*> last_of_sum(
      const Connection& sum, ConnectionId own, std::uint32_t ordinal) const {
    std::pair<ConnectionId, const MessageLog::Message*> last{own, nullptr};
    const std::uint32_t owner = workload_.rank_of(sum.destination);
    for (const ProcessId member : workload_.groups()[sum.group].members) {
      const ConnectionId connection = workload_.reduction(member, owner, workload_.lane_of(own));
      const MessageLog::Message* message = f_.log_.of(connection, ordinal);
      if (message == nullptr) continue;
      if (last.second == nullptr || message->posted > last.second->posted) {
        last = {connection, message};
      }
    }
    return last;
  }

  /// To where a message was posted.
  void go_back(ConnectionId connection, const MessageLog::Message& message) {
    const Picoseconds from = std::max(path_.begin, message.posted);
    if (from < now_) {
      path_.messages.push_back({connection, message, from, now_});
      now_ = from;
    }
    rank_ = workload_.rank_of(workload_.origin_of(connection));
    lane_ = workload_.lane_of(connection);
  }

  const PathFinder& f_;
  const Workload& workload_;
  const JobPlan& job_;
  JobPath& path_;
  Picoseconds now_;
  std::uint32_t rank_ = 0;
  std::uint32_t lane_ = 0;
};

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
  const auto most = std::ranges::max_element(
      computing, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == computing.end() ? std::nullopt : std::optional(most->first);
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
  const auto stage_of = [&](const Charge& c) { return job.program->stage_of(c.culprit.number); };
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
      .for_each(iteration.begin, iteration.end, [&busy](const Span& span) {
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

}  // namespace

PathFinder::PathFinder(const Experiment& e, const collectives::Executor& executor)
    : e_(e),
      executor_(executor),
      log_(e.workload.connections().size()),
      ended_at_(e.workload.jobs().size(), Picoseconds(-1)) {}

void PathFinder::add(std::span<const protocols::MessageOutcome> messages) {
  for (const protocols::MessageOutcome& m : messages) log_.add(m);
}

std::pair<Picoseconds, std::uint32_t> PathFinder::last_event(std::uint32_t j,
                                                             std::uint32_t iteration) const {
  const JobPlan& job = e_.workload.jobs()[j];
  std::pair<Picoseconds, std::uint32_t> last{Picoseconds(-1), 0};
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const Picoseconds end = executor_.iterations(job.process(rank))[iteration].end;
    if (end > last.first) last = {end, rank};
  }
  return last;
}

void PathFinder::end_iteration(std::uint32_t j, std::uint32_t iteration) {
  const JobPlan& job = e_.workload.jobs()[j];
  const auto [end, rank] = last_event(j, iteration);
  const Picoseconds begin =
      ended_at_[j] < Picoseconds(0) ? executor_.outcome(j).start : ended_at_[j];
  JobPath path{
      .job = j, .iteration = iteration, .begin = begin, .end = end, .charges = {}, .messages = {}};
  Walk(*this, path).run(rank, executor_.iterations(job.process(rank))[iteration].last_lane);
  if (job.program->streams() > 0) find_bubbles(e_.workload, executor_, path);
  paths_.push_back(std::move(path));
  ended_at_[j] = end;
  for (std::uint32_t c = 0; c < e_.workload.connections().size(); ++c) {
    if (e_.workload.job_of(e_.workload.connections()[c].source) != j) continue;
    log_.forget(ConnectionId(c), begin);
  }
}

void PathFinder::find_job(std::uint32_t j) {
  const JobPlan& job = e_.workload.jobs()[j];
  const collectives::JobOutcome outcome = executor_.outcome(j);
  if (!outcome.is_finished || !outcome.has_begun) return;
  JobPath path{.job = j,
               .iteration = 0,
               .begin = outcome.start,
               .end = outcome.end,
               .charges = {},
               .messages = {}};
  const auto find = [&] {
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
      if (executor_.last_progress(job.process(rank)) != outcome.end) continue;
      Walk walk(*this, path);
      for (std::uint32_t lane = 0; lane < job.lanes; ++lane) {
        const auto span =
            executor_.spans(e_.workload.lane_index(job.process(rank), lane)).last(outcome.end);
        if (span && span->end == outcome.end) return walk.run(rank, lane);
      }
      if (walk.run_from_delivery(rank)) return;
    }
    Walk(*this, path).run(0, 0);
  };
  if (path.end > path.begin) find();
  paths_.push_back(std::move(path));
}

std::vector<JobPath> PathFinder::finish() {
  for (std::uint32_t j = 0; j < e_.workload.jobs().size(); ++j) {
    const bool runs = !e_.lone_job || e_.lone_job->job == j;
    if (runs && e_.workload.jobs()[j].program->iterations() == 0) find_job(j);
  }
  return std::exchange(paths_, {});
}

void charge_by_ideal(const PathMessage& m, IdealTimes& ideals, std::uint32_t job,
                     std::vector<Charge>& charges) {
  const auto least = [&](Bytes bytes) {
    return ideals.message(m.connection, m.message.entropy, bytes).delivered;
  };
  const Picoseconds latency = least(Bytes(1));
  const Picoseconds posted = m.message.posted;
  // Backwards: first what came last.
  const std::array<Charge, 3> parts{
      Charge{posted, posted + latency, Cause::kPropagation, Culprit::of_job(job)},
      Charge{posted + latency, posted + least(m.message.bytes), Cause::kSerialisation,
             Culprit::of_job(job)},
      Charge{posted + least(m.message.bytes), Picoseconds::max(), Cause::kQueueing,
             Culprit::of_job(job)}};
  for (Charge part : parts) {
    part.begin = std::max(part.begin, m.from);
    part.end = std::min(part.end, m.until);
    if (part.begin < part.end) charges.push_back(part);
  }
}

}  // namespace weft::scenarios
