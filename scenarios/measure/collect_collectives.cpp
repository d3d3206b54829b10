#include "scenarios/measure/collect_collectives.hpp"

#include <algorithm>

#include "collectives/jobs/collective_program.hpp"

namespace weft::scenarios {
namespace {

using collectives::Span;

/// The messages of every connection in the order of their delivery.
class Deliveries {
 public:
  Deliveries(std::size_t connections, const std::vector<protocols::MessageOutcome>& messages)
      : messages_(messages), first_(connections + 1) {
    for (const auto& m : messages) ++first_[m.connection.value() + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    order_.resize(messages.size());
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
      order_[next[messages[i].connection.value()]++] = i;
    }
    for (std::size_t c = 0; c < connections; ++c) {
      std::stable_sort(
          order_.begin() + first_[c], order_.begin() + first_[c + 1],
          [&](std::uint32_t a, std::uint32_t b) { return key(messages[a]) < key(messages[b]); });
    }
  }

  [[nodiscard]] const protocols::MessageOutcome& of(ConnectionId connection,
                                                    std::uint32_t ordinal) const {
    return messages_[order_[first_[connection.value()] + ordinal]];
  }

 private:
  /// Those that never came are last.
  static Picoseconds key(const protocols::MessageOutcome& m) {
    return m.delivered < Picoseconds(0) ? Picoseconds::max() : m.delivered;
  }

  const std::vector<protocols::MessageOutcome>& messages_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> order_;
};

/// Follows chains of dependencies from their ends to their begins.
class PathWalk {
 public:
  PathWalk(const collectives::Workload& workload, const collectives::Executor& executor,
           const Deliveries& deliveries, IdealTimes& ideals, HeldTimes& held)
      : workload_(workload),
        executor_(executor),
        deliveries_(deliveries),
        ideals_(ideals),
        held_(held) {}

  CriticalPath walk(const collectives::JobPlan& job, std::uint32_t iteration, std::uint32_t rank,
                    Picoseconds start) {
    CriticalPath path;
    std::uint32_t lane = executor_.last_lane(job.process(rank), iteration);
    Picoseconds now = executor_.iterations(job.process(rank))[iteration].end;
    // Events of lanes at one instant go one way through the stages of a schedule, so there are at
    // most as many in a row as lanes; more would be a circle.
    std::uint32_t events = 0;
    for (;;) {
      const Picoseconds begin = executor_.iterations(job.process(rank))[iteration].begin;
      const Span* span = last_span(workload_.lane_index(job.process(rank), lane), now);
      if (span == nullptr || span->begin < begin || now <= begin || events > job.lanes) {
        path.late += begin - start;
        return path;
      }
      switch (span->kind) {
        case Span::Kind::kLane:
          lane = span->ordinal;  // it was at work until then
          ++events;
          continue;
        case Span::Kind::kWindow:
          path.window += span->end - span->begin;
          now = span->begin;
          events = 0;
          continue;
        case Span::Kind::kWork:
          add_work(*span, path);
          now = span->begin;
          events = 0;
          continue;
        case Span::Kind::kReceive:
          break;
      }
      const Journey journey = journey_of(*span);
      // The last rank to get it, where several do, is another.
      const std::uint32_t sender = workload_.rank_of(workload_.origin_of(journey.connection));
      const Picoseconds delivered = span->end - job.program->receive_latency(sender, rank);
      const Picoseconds taken = delivered - journey.posted;
      path.wire += std::min(taken, journey.least);
      const Picoseconds delay = taken - std::min(taken, journey.least);
      const Picoseconds paused = std::min(delay, held_time(journey, job.process(rank), delivered));
      path.paused += paused;
      path.queueing += delay - paused;
      path.protocol += span->end - delivered;
      ++path.messages;
      rank = sender;
      lane = workload_.lane_of(journey.connection);
      now = journey.posted;
      events = 0;
    }
  }

 private:
  /// A message from rank to rank.
  struct Journey {
    ConnectionId connection;
    Picoseconds posted;
    Picoseconds least;
    /// Its last message, and of a relayed one the last on the first leg.
    const protocols::MessageOutcome* last = nullptr;
    const protocols::MessageOutcome* first_leg = nullptr;
  };

  [[nodiscard]] Journey journey_of(const Span& span) {
    const std::uint32_t number = workload_.relay_of(span.connection);
    const protocols::MessageOutcome& last = cause_of(span);
    if (number == collectives::Workload::kNoRelay) {
      return {last.connection, last.posted, least(last, last.bytes), &last, nullptr};
    }
    // Chunks leave a relay in the order in which they come, so the numbers are those of the first
    // leg as well.
    const ConnectionId first_leg = workload_.relays()[number].first;
    Bytes bytes;
    for (std::uint32_t i = 0; i < span.chunks; ++i) {
      bytes += deliveries_.of(first_leg, span.ordinal - i).bytes;
    }
    const auto& begin = deliveries_.of(first_leg, span.ordinal - (span.chunks - 1));
    const auto& end = deliveries_.of(first_leg, span.ordinal);
    // All of it on one leg, and the first chunk before that or the last one after it on the other.
    return {span.connection, end.posted,
            std::max(least(begin, bytes) + least(last, end.bytes),
                     least(begin, begin.bytes) + least(last, bytes)),
            &last, &end};
  }

  /// Until it was delivered to `to`.
  [[nodiscard]] Picoseconds held_time(const Journey& journey, ProcessId to, Picoseconds delivered) {
    const auto host = [this](ProcessId p) { return workload_.process_hosts()[p.value()]; };
    std::vector<HeldTimes::Leg> legs{{journey.last->connection, journey.last->entropy, host(to)}};
    if (journey.first_leg != nullptr) {
      const ConnectionId first = journey.first_leg->connection;
      legs.push_back({first, journey.first_leg->entropy,
                      host(workload_.connections()[first.value()].destination)});
    }
    return held_.of(legs, journey.posted, delivered);
  }

  /// The message that a lane waited for; of a sum, the contribution that came last.
  [[nodiscard]] const protocols::MessageOutcome& cause_of(const Span& span) const {
    const Connection& c = workload_.connections()[span.connection.value()];
    const protocols::MessageOutcome* latest = &deliveries_.of(span.connection, span.ordinal);
    if (c.kind != Connection::Kind::kReduce) return *latest;
    const std::uint32_t owner = workload_.rank_of(c.destination);
    const std::uint32_t lane = workload_.lane_of(span.connection);
    for (const ProcessId member : workload_.groups()[c.group].members) {
      const auto& m = deliveries_.of(workload_.reduction(member, owner, lane), span.ordinal);
      if (m.posted > latest->posted) latest = &m;
    }
    return *latest;
  }

  /// Of so many bytes on the way of a message.
  [[nodiscard]] Picoseconds least(const protocols::MessageOutcome& m, Bytes bytes) {
    return ideals_.message(m.connection, m.entropy, bytes).delivered;
  }

  /// The last span of a lane that ended at `now` or before.
  [[nodiscard]] const Span* last_span(std::uint32_t lane_index, Picoseconds now) const {
    const auto& spans = executor_.spans(lane_index);
    const std::size_t after = spans.partition_point([now](const Span& s) { return s.end <= now; });
    return after == 0 ? nullptr : &spans[after - 1];
  }

  static void add_work(const Span& span, CriticalPath& path) {
    const Picoseconds time = span.end - span.begin;
    switch (span.work) {
      case collectives::Step::Work::kReduce:
        path.reducing += time;
        break;
      case collectives::Step::Work::kCopy:
        path.copying += time;
        break;
      case collectives::Step::Work::kTransfer:
        path.wire += time;
        break;
      case collectives::Step::Work::kProtocol:
        path.protocol += time;
        break;
      default:
        path.launch += time;
        break;
    }
  }

  const collectives::Workload& workload_;
  const collectives::Executor& executor_;
  const Deliveries& deliveries_;
  IdealTimes& ideals_;
  HeldTimes& held_;
};

Picoseconds mean_wait(const collectives::Workload& workload, const collectives::Executor& executor,
                      const collectives::JobPlan& job, std::uint32_t iteration) {
  Picoseconds sum;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const collectives::Interval& when = executor.iterations(job.process(rank))[iteration];
    const std::uint32_t lane = executor.last_lane(job.process(rank), iteration);
    const auto& spans = executor.spans(workload.lane_index(job.process(rank), lane));
    std::size_t i = spans.partition_point([&](const Span& s) { return s.begin < when.begin; });
    for (; i < spans.size() && spans[i].end <= when.end; ++i) {
      if (spans[i].kind == Span::Kind::kReceive) sum += spans[i].end - spans[i].begin;
    }
  }
  return sum / job.ranks;
}

/// Iterations that every rank has ended.
std::uint32_t ended(const collectives::Executor& executor, const collectives::JobPlan& job) {
  std::size_t count = job.program->iterations();
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const auto& iterations = executor.iterations(job.process(rank));
    std::size_t done = iterations.size();
    if (done > 0 && iterations.back().end < Picoseconds(0)) --done;
    count = std::min(count, done);
  }
  return static_cast<std::uint32_t>(count);
}

CollectiveResult result_of(const collectives::Executor& executor, const collectives::JobPlan& job,
                           std::uint32_t iteration) {
  CollectiveResult r;
  r.iteration = iteration;
  r.start = Picoseconds::max();
  Picoseconds last_start;
  Picoseconds first_end = Picoseconds::max();
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const collectives::Interval& when = executor.iterations(job.process(rank))[iteration];
    r.start = std::min(r.start, when.begin);
    last_start = std::max(last_start, when.begin);
    first_end = std::min(first_end, when.end);
    if (when.end > r.end) {
      r.end = when.end;
      r.last_rank = rank;
    }
  }
  r.start_skew = last_start - r.start;
  r.end_skew = r.end - first_end;
  return r;
}

}  // namespace

void collect_collectives(const Experiment& e, const collectives::Executor& executor,
                         const std::vector<protocols::MessageOutcome>& messages, IdealTimes& ideals,
                         HeldTimes& held, Results& results) {
  const Deliveries deliveries(e.workload.connections().size(), messages);
  PathWalk walk(e.workload, executor, deliveries, ideals, held);
  for (std::uint32_t j = 0; j < e.workload.jobs().size(); ++j) {
    const auto* spec = std::get_if<collectives::CollectiveSpec>(&e.scenario.jobs[j].kind);
    if (spec == nullptr) continue;
    const collectives::JobPlan& job = e.workload.jobs()[j];
    const auto& program = static_cast<const collectives::CollectiveProgram&>(*job.program);
    const auto bytes = collectives::collective_bytes(program.spec(), job.ranks);
    for (std::uint32_t i = 0; i < ended(executor, job); ++i) {
      CollectiveResult r = result_of(executor, job, i);
      r.job = j;
      r.size = bytes.size;
      r.bus = bytes.bus;
      const double seconds = to_seconds(r.end - r.start);
      if (seconds > 0 && bytes.size > Bytes(0)) {
        r.algorithm_bandwidth = static_cast<double>(bytes.size.count()) / seconds;
        r.bus_bandwidth = static_cast<double>(bytes.bus.count()) / seconds;
      }
      r.mean_wait = mean_wait(e.workload, executor, job, i);
      r.path = walk.walk(job, i, r.last_rank, r.start);
      results.collectives.push_back(r);
    }
  }
}

}  // namespace weft::scenarios
