#include "scenarios/results/measure/message_collector.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

void require_slowdown(const MessageResult& m) {
  if (!m.is_complete() || *m.completed - m.start >= m.ideal) return;
  throw BrokenInvariant(
      "broken invariant: a message of " + std::to_string(m.bytes.count()) + " bytes from host " +
      std::to_string(m.source.value()) + " to host " + std::to_string(m.destination.value()) +
      " took " + std::to_string((*m.completed - m.start).count()) +
      " ps, less than its zero-load time of " + std::to_string(m.ideal.count()) + " ps");
}

}  // namespace

void MessagePhases::add(ProcessId origin, const MessageResult& message) {
  const std::uint32_t iteration =
      has_iterations(message.job) ? executor_.iterations(origin).at(message.start) : 0;
  phase_of(message.job, iteration).add(message);
}

MessagePhase& MessagePhases::phase_of(std::uint32_t job, std::uint32_t iteration) {
  std::vector<MessagePhase>& phases = phases_[job];
  if (phases.size() <= iteration) phases.resize(iteration + 1);
  MessagePhase& phase = phases[iteration];
  if (phase.messages == 0) {
    phase.job = job;
    phase.iteration = iteration;
    phase.start = start_of(job, iteration);
  }
  return phase;
}

bool MessagePhases::has_iterations(std::uint32_t job) const {
  const collectives::JobProgram& program = *workload_.jobs()[job].program;
  return program.iterations() > 0 && program.task_streams().streams() == 0;
}

void MessagePhases::add(std::uint32_t job, const RowName& name, const RowSum& rows,
                        std::uint64_t messages, std::uint64_t times, std::uint64_t starts) {
  MessagePhase& phase = phase_of(job, 0);
  const auto begin = static_cast<std::uint64_t>(phase.start.count());
  phase.sum.add(name, rows, times, starts - times * begin);
  phase.messages += times * messages;
}

std::vector<MessagePhase> MessagePhases::take() {
  std::vector<MessagePhase> all;
  for (const std::vector<MessagePhase>& phases : std::exchange(phases_, {})) {
    std::ranges::copy_if(phases, std::back_inserter(all),
                         [](const MessagePhase& phase) { return phase.messages > 0; });
  }
  return all;
}

Picoseconds MessagePhases::start_of(std::uint32_t job, std::uint32_t iteration) const {
  const collectives::JobPlan& plan = workload_.jobs()[job];
  if (!has_iterations(job)) return executor_.outcome(job).start;
  Picoseconds start = Picoseconds::max();
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const collectives::IterationLog& iterations = executor_.iterations(plan.process(rank));
    if (iterations.knows(iteration)) start = std::min(start, iterations[iteration].begin);
  }
  return start;
}

void SizeClasses::add(const MessageResult& message, std::uint64_t times) {
  if (ends_.empty()) return;
  const auto end = std::ranges::lower_bound(ends_, message.bytes);
  const auto last = static_cast<std::ptrdiff_t>(ends_.size()) - 1;
  counts_[static_cast<std::size_t>(std::min(end - ends_.begin(), last))].add(message, times);
}

void SizeClasses::finish(std::uint32_t job, Results& results) const {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    SizeResult& size = results.sizes.emplace_back();
    size.job = job;
    size.number = static_cast<std::uint32_t>(i + 1);
    size.above = i == 0 ? Bytes() : ends_[i - 1];
    size.up_to = ends_[i];
    size.messages = counts_[i].count();
    size.completed = counts_[i].completed();
    if (size.completed == 0) continue;
    size.seconds = counts_[i].completion_seconds();
    size.slowdown = counts_[i].slowdown();
  }
}

MessageCollector::MessageCollector(const Experiment& e, const collectives::Executor& executor,
                                   ZeroLoadTimes& ideals, const MessageSink& sink)
    : e_(e),
      ideals_(ideals),
      sink_(sink),
      transports_(e.scenario, e.fabric, e.routes, e.workload),
      phases_(e.workload, executor),
      of_job_(e.workload.jobs().size()) {
  for (const JobSpec& job : e.scenario.jobs)
    sizes_.emplace_back(collectives::size_classes(job.kind));
}

void MessageCollector::add(std::span<const protocols::MessageOutcome> messages) {
  for (const protocols::MessageOutcome& outcome : messages) {
    const auto result = measured(outcome);
    if (!result) continue;
    const MessageResult& m = *result;
    require_slowdown(m);
    phases_.add(e_.workload.origin_of(outcome.connection), m);
    all_.add(m);
    of_job_[m.job].add(m);
    sizes_[m.job].add(m);
    if (keeps_rows_) {
      rows_.push_back({outcome, m});
    } else if (sink_) {
      sink_(m);
    }
  }
}

std::optional<MessageResult> MessageCollector::measured(const protocols::MessageOutcome& message) {
  if (message.posted < e_.scenario.run.warmup) return std::nullopt;
  return result_of(message);
}

void MessageCollector::add(const MessageResult& message, std::uint64_t times) {
  require_slowdown(message);
  all_.add(message, times);
  of_job_[message.job].add(message, times);
  sizes_[message.job].add(message, times);
}

void MessageCollector::put_out_rows() {
  const auto over = [](const Row& row) {
    const bool is_over = row.message.is_complete() && row.outcome.delivered;
    return is_over ? *std::max(row.outcome.delivered, row.outcome.acknowledged)
                   : Picoseconds::max();
  };
  const auto key = [&](const Row& row) {
    const protocols::MessageOutcome& m = row.outcome;
    const bool is_pending = over(row) == Picoseconds::max();
    constexpr protocols::QueuePairId kAny(0U);
    // What has not been delivered was sent after what has.
    return std::tuple(over(row), m.connection, is_pending ? kAny : m.queue_pair, m.posted,
                      is_pending ? m.queue_pair : kAny, m.delivered.value_or(Picoseconds::max()));
  };
  std::ranges::stable_sort(rows_, [&](const Row& a, const Row& b) { return key(a) < key(b); });
  for (const Row& row : rows_) sink_(row.message);
  rows_ = {};
}

void MessageCollector::finish(Results& results) {
  if (keeps_rows_) put_out_rows();
  results.phases = phases_.take();
  results.messages = std::move(all_);
  for (std::size_t j = 0; j < of_job_.size(); ++j) {
    JobResult& job = results.jobs[j];
    sizes_[j].finish(static_cast<std::uint32_t>(j), results);
    job.messages = std::move(of_job_[j]);
    if (job.messages.completed() == 0) continue;
    job.message_seconds = job.messages.completion_seconds();
    job.message_slowdown = job.messages.slowdown();
  }
}

MessageResult MessageCollector::result_of(const protocols::MessageOutcome& m) {
  const Connection& c = e_.workload.connections()[m.connection.value()];
  const bool is_acknowledged = transports_.of(m.connection).is_acknowledged;
  const ZeroLoad ideal = ideals_.message(m.connection, m.entropy, m.bytes);
  return {.job = e_.workload.job_of(c.source),
          .source_rank = e_.workload.rank_of(c.source),
          .destination_rank = e_.workload.rank_of(c.destination),
          .source = e_.workload.process_hosts()[c.source.value()],
          .destination = e_.workload.process_hosts()[c.destination.value()],
          .bytes = m.bytes,
          .start = m.posted,
          .delivered = m.delivered,
          .completed = is_acknowledged ? m.acknowledged : m.delivered,
          .ideal = is_acknowledged ? ideal.completed : ideal.delivered};
}

}  // namespace weft::scenarios
