#include "scenarios/results/measure/iteration_collector.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "collectives/jobs/collective/collective_bounds.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/tasks/task_program.hpp"

namespace weft::scenarios {
namespace {

using collectives::Span;

/// Follows chains of dependencies from their ends to their begins.
class PathWalk {
 public:
  PathWalk(const collectives::Workload& workload, const collectives::Executor& executor,
           const Deliveries& deliveries, ZeroLoadTimes& ideals, BlockedTimes& held)
      : workload_(workload),
        executor_(executor),
        deliveries_(deliveries),
        ideals_(ideals),
        held_(held) {}

  CriticalPath walk(const collectives::JobPlan& job, std::uint32_t iteration, std::uint32_t rank,
                    Picoseconds start) {
    CriticalPath path;
    std::uint32_t lane = executor_.iterations(job.process(rank))[iteration].last_lane;
    Picoseconds now = *executor_.iterations(job.process(rank))[iteration].end;
    // Events of lanes at one instant go one way through the stages of a schedule, so there are at
    // most as many in a row as lanes; more would be a circle.
    std::uint32_t events = 0;
    for (;;) {
      const Picoseconds begin = executor_.iterations(job.process(rank))[iteration].begin;
      const std::optional<Span> span =
          executor_.spans(workload_.lane_index(job.process(rank), lane)).last(now);
      if (!span || span->begin < begin || now <= begin || events > job.lanes) {
        path.late += begin - start;
        return path;
      }
      switch (span->kind) {
        case Span::Kind::kLane:
          lane = span->ordinal;  // it was at work until then
          ++events;
          continue;
        case Span::Kind::kAcknowledgement:
        case Span::Kind::kControlEvent:
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
      const Picoseconds delivered =
          span->end - job.program->transfers().receive_latency({rank, lane}, sender);
      const Picoseconds taken = delivered - journey.posted;
      path.wire += std::min(taken, journey.min);
      const Picoseconds delay = taken - std::min(taken, journey.min);
      const Picoseconds paused =
          std::min(delay, blocked_time(journey, job.process(rank), delivered));
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
  /// A message of a connection.
  struct Leg {
    ConnectionId connection;
    const Deliveries::Delivery* message = nullptr;
  };
  /// A message from rank to rank.
  struct Journey {
    ConnectionId connection;
    Picoseconds posted;
    Picoseconds min;
    Leg last;       ///< its last message
    Leg first_leg;  ///< of a relayed one the last message on the first leg
  };

  [[nodiscard]] Journey journey_of(const Span& span) {
    const std::uint32_t number = workload_.relay_of(span.connection);
    const Leg last = cause_of(span);
    const Bytes last_bytes = deliveries_.bytes_of(*last.message);
    if (number == collectives::Workload::kNoRelay) {
      return {last.connection, last.message->posted, min(last, last_bytes), last, {}};
    }
    // Chunks leave a relay in the order in which they come, so the numbers are those of the first
    // leg as well.
    const ConnectionId first_leg = workload_.relays()[number].first;
    Bytes bytes;
    for (std::uint32_t i = 0; i < span.chunks; ++i) {
      bytes += deliveries_.bytes_of(deliveries_.of(first_leg, span.ordinal - i));
    }
    const Leg begin{first_leg, &deliveries_.of(first_leg, span.ordinal - (span.chunks - 1))};
    const Leg end{first_leg, &deliveries_.of(first_leg, span.ordinal)};
    // All of it on one leg, and the first chunk before that or the last one after it on the other.
    return {span.connection, end.message->posted,
            std::max(min(begin, bytes) + min(last, deliveries_.bytes_of(*end.message)),
                     min(begin, deliveries_.bytes_of(*begin.message)) + min(last, bytes)),
            last, end};
  }

  /// Until it was delivered to `to`.
  [[nodiscard]] Picoseconds blocked_time(const Journey& journey, ProcessId to,
                                         Picoseconds delivered) {
    const auto host = [this](ProcessId p) { return workload_.process_hosts()[p.value()]; };
    std::vector<BlockedTimes::Leg> legs{
        {journey.last.connection, journey.last.message->entropy, host(to)}};
    if (journey.first_leg.message != nullptr) {
      const ConnectionId first = journey.first_leg.connection;
      legs.push_back({first, journey.first_leg.message->entropy,
                      host(workload_.connections()[first.value()].destination)});
    }
    return held_.of(legs, journey.posted, delivered);
  }

  /// The message that a lane waited for; of a sum, the contribution that came last.
  [[nodiscard]] Leg cause_of(const Span& span) const {
    const Connection& c = workload_.connections()[span.connection.value()];
    if (c.kind != Connection::Kind::kReduce) {
      return {span.connection, &deliveries_.of(span.connection, span.ordinal)};
    }
    const Deliveries::Contribution& last = deliveries_.last_of_sum(span.connection, span.ordinal);
    return {last.connection, &last.delivery};
  }

  /// The zero-load time of `bytes` on the path of a message.
  [[nodiscard]] Picoseconds min(const Leg& leg, Bytes bytes) {
    return ideals_.message(leg.connection, leg.message->entropy, bytes).delivered;
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
      case collectives::Step::Work::kLeftOut:
        path.not_simulated += time;
        break;
      default:
        path.launch += time;
        break;
    }
  }

  const collectives::Workload& workload_;
  const collectives::Executor& executor_;
  const Deliveries& deliveries_;
  ZeroLoadTimes& ideals_;
  BlockedTimes& held_;
};

Picoseconds mean_wait(const collectives::Workload& workload, const collectives::Executor& executor,
                      const collectives::JobPlan& job, std::uint32_t iteration) {
  Picoseconds sum;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const collectives::Iteration& when = executor.iterations(job.process(rank))[iteration];
    executor.spans(workload.lane_index(job.process(rank), when.last_lane))
        .for_each(when.begin, *when.end, [&sum](const Span& span) {
          if (span.kind == Span::Kind::kReceive) sum += span.end - span.begin;
        });
  }
  return sum / job.ranks;
}

/// When an iteration began and ended on its ranks; `Row` has these members.
template <class Row>
Row row_of(const collectives::Executor& executor, const collectives::JobPlan& job,
           std::uint32_t iteration) {
  Row r;
  r.iteration = iteration;
  r.start = Picoseconds::max();
  Picoseconds last_start;
  Picoseconds first_end = Picoseconds::max();
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    const collectives::Iteration& when = executor.iterations(job.process(rank))[iteration];
    r.start = std::min(r.start, when.begin);
    last_start = std::max(last_start, when.begin);
    first_end = std::min(first_end, *when.end);
    if (*when.end > r.end) {
      r.end = *when.end;
      r.last_rank = rank;
    }
  }
  r.start_skew = last_start - r.start;
  r.end_skew = r.end - first_end;
  return r;
}

/// Adds what a rank spent an iteration on.
void add_streams(const collectives::TaskProgram& program, std::uint32_t rank,
                 std::span<const collectives::StreamTimes> streams, IterationResult& sum) {
  sum.compute += streams[0].busy;
  for (std::uint32_t s = 1; s < streams.size(); ++s) {
    const auto member = program.lane_plan().member(rank, s);
    if (!member) continue;
    const collectives::StreamTimes& times = streams[s];
    const auto kind =
        static_cast<std::size_t>(program.task_set().communicators()[member->communicator].kind);
    sum.bubble += times.late;
    sum.exposed[kind] += times.waited - times.late;
    sum.hidden[kind] += std::max(Picoseconds(0), times.busy - (times.waited - times.late));
  }
}

IterationResult iteration_of(const collectives::Executor& executor, const collectives::JobPlan& job,
                             std::uint32_t iteration) {
  auto r = row_of<IterationResult>(executor, job, iteration);
  const auto* program = dynamic_cast<const collectives::TaskProgram*>(job.program.get());
  if (program == nullptr) return r;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    add_streams(*program, rank, executor.iterations(job.process(rank)).streams(iteration), r);
  }
  r.compute = r.compute / job.ranks;
  r.bubble = r.bubble / job.ranks;
  for (Picoseconds& time : r.exposed) time = time / job.ranks;
  for (Picoseconds& time : r.hidden) time = time / job.ranks;
  return r;
}

}  // namespace

void Deliveries::add(const protocols::MessageOutcome& m) {
  if (!m.delivered) return;
  const auto next = static_cast<std::uint32_t>(sizes_.size());
  const auto [size, is_new] = number_of_size_.try_emplace(m.bytes.count(), next);
  if (is_new) sizes_.push_back(m.bytes);
  const Delivery delivery{
      .posted = m.posted, .delivered = *m.delivered, .entropy = m.entropy, .size = size->second};
  if (workload_.connections()[m.connection.value()].kind == Connection::Kind::kReduce) {
    return add_contribution(m.connection, delivery);
  }
  std::uint32_t& place = place_[m.connection.value()];
  if (place == 0) {
    lists_.emplace_back();
    place = static_cast<std::uint32_t>(lists_.size());
  }
  std::vector<Delivery>& known = lists_[place - 1].known;
  // They come by the time when they were over, which is nearly that.
  const auto is_before = [&](const Delivery& other) {
    return std::pair(other.delivered, other.posted) <= std::pair(*m.delivered, m.posted);
  };
  auto before = known.end();
  while (before != known.begin() && !is_before(*std::prev(before))) --before;
  known.insert(before, delivery);
}

void Deliveries::add_contribution(ConnectionId connection, const Delivery& delivery) {
  // What is not acknowledged comes in the order of its delivery.
  const std::uint32_t ordinal = place_[connection.value()]++;
  const ProcessId owner = workload_.connections()[connection.value()].destination;
  const ConnectionId own =
      workload_.reduction(owner, workload_.rank_of(owner), workload_.lane_of(connection));
  List<Contribution>& list = sums_[own.value()];
  const Contribution contribution{connection, delivery};
  if (ordinal == list.forgotten + list.known.size()) {
    list.known.push_back(contribution);
    return;
  }
  Contribution& last = list.known[ordinal - list.forgotten];
  if (comes_first(contribution, last)) last = contribution;
}

bool Deliveries::comes_first(const Contribution& a, const Contribution& b) const {
  const auto rank = [this](const Contribution& x) {
    const Connection& c = workload_.connections()[x.connection.value()];
    const std::uint32_t place = workload_.place_in_group(c.source, workload_.lane_of(x.connection));
    return std::tuple(-x.delivery.posted.count(), c.source != c.destination, place);
  };
  return rank(a) < rank(b);
}

void Deliveries::forget(ConnectionId connection, Picoseconds posted_before,
                        Picoseconds delivered_before) {
  const auto is_old = [&](const Delivery& d) {
    return d.posted < posted_before && d.delivered < delivered_before;
  };
  const std::uint32_t place = place_[connection.value()];
  if (workload_.connections()[connection.value()].kind != Connection::Kind::kReduce) {
    if (place > 0) lists_[place - 1].forget(is_old);
  } else if (const auto sum = sums_.find(connection.value()); sum != sums_.end()) {
    // The last contribution to a later sum was posted no earlier than the owner's own.
    sum->second.forget([&](const Contribution& c) { return is_old(c.delivery); });
  }
}

IterationCollector::IterationCollector(const Experiment& e, collectives::Executor& executor,
                                       ZeroLoadTimes& ideals, PathFinder* paths)
    : e_(e),
      executor_(executor),
      ideals_(ideals),
      paths_(paths),
      deliveries_(e.workload),
      jobs_(e.workload.jobs().size()) {
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const collectives::JobProgram& program = *e.workload.jobs()[j].program;
    jobs_[j].has_iterations = program.iterations() > 0;
    jobs_[j].is_explained = program.is_explained();
  }
}

void IterationCollector::add(std::span<const protocols::MessageOutcome> messages) {
  for (const protocols::MessageOutcome& m : messages) {
    const Connection& c = e_.workload.connections()[m.connection.value()];
    if (jobs_[e_.workload.job_of(c.source)].is_explained) deliveries_.add(m);
  }
}

void IterationCollector::settle(const VisitPending& pending, const Held& held) {
  const auto has_more = [this](std::uint32_t j) {
    return jobs_[j].has_iterations && jobs_[j].settled < ended(j);
  };
  std::vector<std::uint32_t> ready;
  for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
    if (has_more(j)) ready.push_back(j);
  }
  if (ready.empty()) return;
  std::vector<Picoseconds> oldest(jobs_.size(), Picoseconds::max());
  pending([&](ConnectionId connection, Picoseconds posted) {
    const Connection& c = e_.workload.connections()[connection.value()];
    Picoseconds& of_job = oldest[e_.workload.job_of(c.source)];
    of_job = std::min(of_job, posted);
  });
  std::optional<BlockedTimes> times;
  for (const std::uint32_t j : ready) {
    std::uint32_t until = jobs_[j].settled;
    const std::uint32_t last = ended(j);
    while (until < last && end_of(j, until) <= oldest[j]) ++until;
    if (until == jobs_[j].settled) continue;
    if (!times) times.emplace(held());
    settle(j, until, *times);
    forget(j, until);
  }
}

void IterationCollector::finish(const Held& held, Results& results) {
  std::optional<BlockedTimes> times;
  for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
    if (!jobs_[j].has_iterations) continue;
    if (!times) times.emplace(held());
    settle(j, ended(j), *times);
    results.collectives.insert(results.collectives.end(), jobs_[j].collectives.begin(),
                               jobs_[j].collectives.end());
    results.iterations.insert(results.iterations.end(), jobs_[j].iterations.begin(),
                              jobs_[j].iterations.end());
  }
}

void IterationCollector::settle(std::uint32_t j, std::uint32_t until, BlockedTimes& held) {
  for (std::uint32_t i = jobs_[j].settled; paths_ != nullptr && i < until; ++i) {
    paths_->end_iteration(j, i);
  }
  if (jobs_[j].is_explained) return settle_collective(j, until, held);
  for (std::uint32_t& i = jobs_[j].settled; i < until; ++i) {
    jobs_[j].iterations.push_back(iteration_of(executor_, e_.workload.jobs()[j], i));
    IterationResult& r = jobs_[j].iterations.back();
    r.job = j;
    r.since_previous = since_previous(j, r.end);
    jobs_[j].add(r.end - r.start);
  }
}

void IterationCollector::settle_collective(std::uint32_t j, std::uint32_t until,
                                           BlockedTimes& held) {
  PathWalk walk(e_.workload, executor_, deliveries_, ideals_, held);
  const collectives::JobPlan& job = e_.workload.jobs()[j];
  const auto& program = static_cast<const collectives::CollectiveProgram&>(*job.program);
  const auto bytes = collectives::collective_bytes(program.spec(), job.ranks);
  for (std::uint32_t& i = jobs_[j].settled; i < until; ++i) {
    auto r = row_of<CollectiveResult>(executor_, job, i);
    r.job = j;
    r.since_previous = since_previous(j, r.end);
    r.size = bytes.size;
    r.bus = bytes.bus;
    const double seconds = to_seconds(r.end - r.start);
    if (seconds > 0 && bytes.size > Bytes(0)) {
      r.algorithm_bandwidth = static_cast<double>(bytes.size.count()) / seconds;
      r.bus_bandwidth = static_cast<double>(bytes.bus.count()) / seconds;
    }
    r.mean_wait = mean_wait(e_.workload, executor_, job, i);
    r.path = walk.walk(job, i, r.last_rank, r.start);
    jobs_[j].collectives.push_back(r);
    jobs_[j].add(r.end - r.start);
  }
}

Picoseconds IterationCollector::since_previous(std::uint32_t j, Picoseconds end) {
  const Picoseconds begin = jobs_[j].last_end.value_or(executor_.outcome(j).start);
  jobs_[j].last_end = end;
  return end - begin;
}

RunState::Job IterationCollector::steps_of(std::uint32_t j) const {
  RunState::Job state;
  const Job& job = jobs_[j];
  if (!job.has_iterations) return state;
  state.steps = ended(j);
  state.last_step = job.last;
  Picoseconds sum = job.sum;
  for (std::uint32_t i = job.settled; i < state.steps; ++i) {
    const auto row = row_of<IterationResult>(executor_, e_.workload.jobs()[j], i);
    state.last_step = row.end - row.start;
    sum += *state.last_step;
  }
  if (state.steps > 0) state.mean_step = sum / state.steps;
  return state;
}

std::uint32_t IterationCollector::ended(std::uint32_t j) const {
  const collectives::JobPlan& job = e_.workload.jobs()[j];
  std::uint32_t count = job.program->iterations();
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    count = std::min(count, executor_.iterations(job.process(rank)).ended());
  }
  return count;
}

Picoseconds IterationCollector::end_of(std::uint32_t j, std::uint32_t iteration) const {
  const collectives::JobPlan& job = e_.workload.jobs()[j];
  Picoseconds end;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    end = std::max(end, *executor_.iterations(job.process(rank))[iteration].end);
  }
  return end;
}

void IterationCollector::forget(std::uint32_t j, std::uint32_t iteration) {
  const Picoseconds end = end_of(j, iteration - 1);
  const auto& connections = e_.workload.connections();
  for (std::uint32_t c = 0; jobs_[j].is_explained && c < connections.size(); ++c) {
    const ProcessId source = connections[c].source;
    if (e_.workload.job_of(source) != j) continue;
    deliveries_.forget(ConnectionId(c), *executor_.iterations(source)[iteration - 1].end, end);
  }
  executor_.forget_before(j, iteration);
}

}  // namespace weft::scenarios
