#include "collectives/memo/period_watch.hpp"

#include <algorithm>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::collectives {
namespace {

/// Periods that are compared. As many lanes may be apart for the bound of what follows.
constexpr std::int64_t kCompared = 3;
/// A call of fewer rounds leaves none out: the first, those compared, one that is running, the
/// last.
constexpr std::int64_t kMinRounds = kCompared + 3;
/// From one poll to the next: a microsecond, or this part of the time that the call lasts.
constexpr Picoseconds kFirstPoll = 1_us;
constexpr std::int64_t kPollsPerTime = 16;

}  // namespace

void PeriodWatch::Increments::add(Picoseconds increment) {
  min = std::min(min, increment);
  max = std::max(max, increment);
  sum += increment;
  ++count;
}

PeriodWatch::PeriodWatch(const Workload& workload, Executor& executor, double tolerance)
    : workload_(workload),
      executor_(executor),
      job_(workload.jobs().front()),
      tolerance_(tolerance),
      lanes_(workload.lane_count()),
      skipped_(job_.ranks),
      ends_(job_.ranks) {
  WEFT_CHECK(workload.jobs().size() == 1 && job_.program->iterations() > 0,
             "periods are of a lone job that has some");
  report_.iterations = job_.program->iterations();
  const auto* program = dynamic_cast<const CollectiveProgram*>(job_.program.get());
  if (program == nullptr || program->schedule().round_size() == 0) return;
  whole_rounds_ = program->spec().size.count() / program->schedule().round_size();
  if (whole_rounds_ >= kMinRounds) rounds_ = lane_rounds(*program);
}

std::unique_ptr<StepSource> PeriodWatch::follow(ProcessId process, std::uint32_t lane,
                                                std::unique_ptr<StepSource> program) {
  const std::uint32_t rank = workload_.rank_of(process);
  const std::size_t index = index_of(rank, lane);
  return shortened(std::move(program), {.program = *job_.program,
                                        .place = {rank, lane},
                                        .rounds = rounds_.empty() ? nullptr : &rounds_[index],
                                        .whole_rounds = whole_rounds_,
                                        .lane = lanes_[index].cut,
                                        .job = job_cut_,
                                        .skipped = skipped_[rank]});
}

void PeriodWatch::on_round(ProcessId process, std::uint32_t lane, const Step& step,
                           Picoseconds now) {
  Watched& watched = lanes_[index_of(workload_.rank_of(process), lane)];
  if (watched.iteration != std::int64_t{step.peer}) {
    watched.iteration = step.peer;
    watched.begins.clear();
  }
  watched.begins.push_back(now);
}

void PeriodWatch::on_iteration_end(ProcessId process, Picoseconds now) {
  ends_[workload_.rank_of(process)].push_back(now);
}

Picoseconds PeriodWatch::next_check(Picoseconds now) const {
  const bool has_iterations = job_cut_.last < 0 && report_.iterations > kCompared + 1;
  const bool has_rounds = !rounds_.empty() && (job_cut_.last < 0 || shortened_ < job_cut_.last);
  if (!has_iterations && !has_rounds) return Picoseconds::max();
  return now + std::max(kFirstPoll, (now - origin_) / kPollsPerTime);
}

std::pair<std::int64_t, std::int64_t> PeriodWatch::ended() const {
  const auto [min, max] = std::ranges::minmax_element(
      ends_, {}, [](const std::vector<Picoseconds>& ends) { return ends.size(); });
  return {static_cast<std::int64_t>(min->size()), static_cast<std::int64_t>(max->size())};
}

void PeriodWatch::poll(Picoseconds now) {
  const auto [all, some] = ended();
  if (all != iteration_ && !rounds_.empty()) origin_ = now;
  iteration_ = all;
  if (!rounds_.empty() && shortened_ != all) check_rounds(all);
  if (job_cut_.last < 0) check_iterations(all, some);
}

bool PeriodWatch::add_lane(std::uint32_t lane, std::int64_t iteration, Front& front) const {
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = 0;
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    if (!takes_part(rank, lane)) continue;
    const Watched& watched = lanes_[index_of(rank, lane)];
    if (watched.iteration != iteration) return false;
    const auto begins = static_cast<std::int64_t>(watched.begins.size());
    min = std::min(min, begins);
    max = std::max(max, begins);
  }
  if (min > whole_rounds_) {  // on all ranks, or there are none
    front.are_all_at_work &= max == 0;
    return true;
  }
  front.next[lane] = max;
  front.known = std::min(front.known, min);
  front.max = std::max(front.max, max);
  return max <= whole_rounds_;
}

bool PeriodWatch::reaches_all_ranks(const Front& front) const {
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    bool is_reached = false;
    for (std::uint32_t lane = 0; lane < job_.lanes && !is_reached; ++lane) {
      is_reached = front.next[lane] >= 0 && takes_part(rank, lane);
    }
    if (!is_reached) return false;
  }
  return true;
}

std::optional<PeriodWatch::Front> PeriodWatch::front_of(std::int64_t iteration) const {
  Front front;
  front.next.assign(job_.lanes, -1);
  for (std::uint32_t lane = 0; lane < job_.lanes; ++lane) {
    if (!add_lane(lane, iteration, front)) return {};
  }
  if (front.max == 0 || front.known <= kCompared || !reaches_all_ranks(front)) return {};
  return front;
}

PeriodWatch::Increments PeriodWatch::increments_of(const Front& front, std::int64_t rounds) const {
  Increments increments;
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < job_.lanes; ++lane) {
      if (front.next[lane] < 0 || !takes_part(rank, lane)) continue;
      const std::vector<Picoseconds>& begins = lanes_[index_of(rank, lane)].begins;
      for (std::int64_t i = 0; i < kCompared; ++i) {
        const auto end = static_cast<std::size_t>(front.known - 1 - i * rounds);
        increments.add(begins[end] - begins[end - static_cast<std::size_t>(rounds)]);
      }
    }
  }
  return increments;
}

bool PeriodWatch::are_alike(const Increments& increments, double& of_alike) {
  const auto min = static_cast<double>(increments.min.count());
  if (min <= 0) return false;
  const double spread = static_cast<double>((increments.max - increments.min).count()) / min;
  if (spread <= tolerance_) {
    of_alike = std::max(of_alike, spread);
    // Iterations may be longer for rounds of them that were skipped.
    report_.spread = (1 + spread_of_rounds_) * (1 + spread_of_iterations_) - 1;
    return true;
  }
  report_.closest = std::min(report_.closest.value_or(spread), spread);
  return false;
}

void PeriodWatch::check_rounds(std::int64_t iteration) {
  const std::optional<Front> front = front_of(iteration);
  if (!front) return;
  // One whole round follows what is skipped, besides the rest of the call.
  const std::int64_t max = whole_rounds_ - front->max - 1;
  // Where rounds differ, as packets that take links in turn make them, several together may not.
  for (std::int64_t rounds = 1; kCompared * rounds < front->known && rounds <= max;
       rounds += (rounds + 3) / 4) {
    const Increments increments = increments_of(*front, rounds);
    if (!are_alike(increments, spread_of_rounds_)) continue;
    skip_periods(*front, iteration, max / rounds, {rounds, increments.mean()});
    return;
  }
}

void PeriodWatch::skip_periods(const Front& front, std::int64_t iteration, std::int64_t periods,
                               const Period& period) {
  const std::int64_t count = periods * period.rounds;
  const Picoseconds time = period.time * periods;
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    for (std::uint32_t lane = 0; lane < job_.lanes; ++lane) {
      if (!takes_part(rank, lane)) continue;
      const std::size_t index = index_of(rank, lane);
      if (front.next[lane] >= 0) {
        lanes_[index].cut = {iteration, front.next[lane], count, time};
        continue;
      }
      // It has told others of rounds that they will not come to.
      for (const LaneRounds::Events& events : rounds_[index].events) {
        if (front.next[events.lane] < 0) continue;
        executor_.take_events(job_.process(rank), events.lane,
                              events.count * static_cast<std::uint32_t>(count));
      }
    }
  }
  shortened_ = iteration;
  report_.rounds_skipped += count;
  report_.time += time;
  report_.are_lanes_close &=
      front.are_all_at_work && front.max - front.known <= kCompared * period.rounds;
}

void PeriodWatch::check_iterations(std::int64_t all, std::int64_t some) {
  const std::int64_t count = report_.iterations - 1 - some;
  if (all < kCompared || count < 1) return;
  const Picoseconds begin = executor_.outcome(0).start;
  Increments increments;
  for (const std::vector<Picoseconds>& ends : ends_) {
    for (std::int64_t i = all - kCompared; i < all; ++i) {
      const auto at = static_cast<std::size_t>(i);
      increments.add(ends[at] - (i == 0 ? begin : ends[at - 1]));
    }
  }
  if (!are_alike(increments, spread_of_iterations_)) return;
  report_.iteration_period = increments.mean();
  report_.iterations_skipped = count;
  job_cut_ = {some, report_.iteration_period * count};
  report_.time += job_cut_.time;
}

void PeriodWatch::finish() {
  const std::int64_t carried_out = report_.iterations - report_.iterations_skipped;
  report_.rounds = whole_rounds_ * carried_out;
  for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
    const ProcessId process = job_.process(rank);
    SkippedTraffic more = skipped_[rank];
    // All iterations send the same.
    more.messages +=
        (executor_.messages_of(process) + more.messages) / carried_out * report_.iterations_skipped;
    more.bytes += Bytes((executor_.bytes_of(process) + more.bytes).count() / carried_out *
                        report_.iterations_skipped);
    executor_.add_sent(process, more.messages, more.bytes, Picoseconds(0));
  }
}

}  // namespace weft::collectives
