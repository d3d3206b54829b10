#include "scenarios/zero_load/like_calls.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "collectives/memo/matching_calls.hpp"

namespace weft::scenarios {
namespace {

/// The places of a communicator's members, in the order of their ranks.
std::vector<std::uint32_t> places_by_rank(const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint32_t> places(ranks.size());
  std::iota(places.begin(), places.end(), 0U);
  std::ranges::sort(places, {}, [&ranks](std::uint32_t place) { return ranks[place]; });
  return places;
}

const std::vector<std::uint32_t>& ranks_of(const collectives::Workload& workload, std::uint32_t job,
                                           std::uint32_t communicator) {
  return task_program_of(workload.jobs()[job])->task_set().communicators()[communicator].ranks;
}

}  // namespace

LikeCalls::LikeCalls(const collectives::Workload& workload, const LikeRanks& ranks,
                     ZeroLoadNetwork::DelayOf delay_of, Picoseconds control_latency)
    : workload_(workload),
      ranks_(ranks),
      delay_of_(std::move(delay_of)),
      control_latency_(control_latency),
      number_of_call_(workload.jobs().size()),
      calls_(ranks.kinds.size()) {
  for (std::uint32_t job = 0; job < ranks.kind_of.size(); ++job) {
    if (ranks.kind_of[job].empty()) continue;
    number_of_call_[job] = collectives::numbers_of_calls(*task_program_of(workload.jobs()[job]));
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const LikeRanks::Kind& kind = ranks.kinds[i];
    for (const std::uint32_t place : places_by_rank(ranks_of(workload, kind.job, kind.example))) {
      calls_[i].class_of.push_back(kind.classes[place]);
    }
    calls_[i].classes = kind.classes;
    std::ranges::sort(calls_[i].classes);
    calls_[i].classes.erase(std::unique(calls_[i].classes.begin(), calls_[i].classes.end()),
                            calls_[i].classes.end());
  }
}

const std::uint32_t* LikeCalls::kind_at(ProcessId process, std::uint32_t stream) const {
  const std::uint32_t job = workload_.job_of(process);
  if (ranks_.kind_of[job].empty() || stream == 0) return nullptr;
  const auto member = task_program_of(workload_.jobs()[job])
                          ->lane_plan()
                          .member(workload_.rank_of(process), stream);
  return member ? &ranks_.kind_of[job][member->communicator] : nullptr;
}

bool LikeCalls::takes(ProcessId process, std::uint32_t stream) const {
  const std::uint32_t* kind = kind_at(process, stream);
  return kind != nullptr && ranks_.kinds[*kind].execution == LikeRanks::Execution::kOnce;
}

CallAlone& LikeCalls::alone(std::uint32_t kind) {
  std::unique_ptr<CallAlone>& alone = calls_[kind].alone;
  if (!alone) {
    alone = std::make_unique<CallAlone>(workload_, ranks_.kinds[kind].job,
                                        ranks_.kinds[kind].example, delay_of_, control_latency_);
  }
  return *alone;
}

// No class begins another call before all have begun this one.
std::span<const collectives::CallOracle::End> LikeCalls::begin(ProcessId process,
                                                               std::uint32_t stream,
                                                               std::uint32_t call,
                                                               Picoseconds now) {
  ends_.clear();
  const std::uint32_t kind = *kind_at(process, stream);
  Calls& calls = calls_[kind];
  if (now < calls.last_end) overlap_ = true;
  calls.begun[ranks_.class_of[process.value()]] = now;
  if (!is_sound() || calls.begun.size() < calls.classes.size()) return ends_;
  Picoseconds first = now;
  for (const auto& [rank_class, begin] : calls.begun) first = std::min(first, begin);
  CallAlone::Times begins;
  begins.reserve(calls.class_of.size());
  for (const std::uint32_t rank_class : calls.class_of) {
    begins.push_back(calls.begun.at(rank_class) - first);
  }
  calls.begun.clear();
  const std::uint32_t number = number_of_call_[workload_.job_of(process)][call];
  const CallAlone::Ends& ends = alone(kind).ends_of(number, begins);
  if (!is_one_per_class(kind, ends)) return ends_;
  for (const std::uint32_t rank_class : calls.classes) {
    const auto member = std::ranges::find(calls.class_of, rank_class) - calls.class_of.begin();
    const OptionalTime end = ends[static_cast<std::size_t>(member)];
    if (!end) continue;  // it waits forever
    ends_.push_back({ranks_.first_of[rank_class], stream, first + end, Picoseconds(0)});
    calls.last_end = std::max(calls.last_end, *ends_.back().time);
  }
  return ends_;
}

bool LikeCalls::is_one_per_class(std::uint32_t kind, const CallAlone::Ends& ends) {
  const std::vector<std::uint32_t>& class_of = calls_[kind].class_of;
  std::map<std::uint32_t, OptionalTime> end_of;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto [known, is_new] = end_of.emplace(class_of[i], ends[i]);
    if (is_new || known->second == ends[i]) continue;
    note_parting(kind, ends);
    return false;
  }
  return true;
}

void LikeCalls::note_parting(std::uint32_t kind, const CallAlone::Ends& ends) {
  apart_.assign(workload_.process_hosts().size(), 0);
  const std::uint32_t job = ranks_.kinds[kind].job;
  for (std::uint32_t c = 0; c < ranks_.kind_of[job].size(); ++c) {
    if (ranks_.kind_of[job][c] != kind) continue;
    // Members are in the same order in all communicators of a kind; ends are in that of ranks.
    const auto places = places_by_rank(ranks_of(workload_, job, ranks_.kinds[kind].example));
    const std::vector<std::uint32_t>& ranks = ranks_of(workload_, job, c);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto same = std::ranges::find(ends, ends[i]) - ends.begin();
      apart_[workload_.jobs()[job].process(ranks[places[i]]).value()] =
          static_cast<std::uint32_t>(same) + 1;
    }
  }
}

std::vector<std::uint32_t> LikeCalls::apart_as_well(
    const std::vector<std::uint32_t>& before) const {
  if (before.empty()) return apart_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number;
  std::vector<std::uint32_t> both;
  both.reserve(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(number.size());
    both.push_back(number.emplace(std::pair(before[i], apart_[i]), next).first->second);
  }
  return both;
}

}  // namespace weft::scenarios
