#include "scenarios/memo/rail_reuse.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/memo/rails.hpp"
#include "collectives/tasks/task_program.hpp"
#include "scenarios/memo/savings_forecast.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::CommunicatorCall;
using collectives::GpuSet;
using collectives::TaskProgram;

/// Equal calls have equal numbers.
std::vector<std::uint32_t> kinds_of_calls(const TaskProgram& program) {
  std::vector<std::uint32_t> kinds;
  using Rough = std::tuple<std::int64_t, std::size_t, bool, collectives::Communicator::Kind>;
  std::map<Rough, std::vector<std::uint32_t>> examples;
  const auto calls = program.task_set().calls();
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    const collectives::Communicator& c = program.task_set().communicators()[calls[i].communicator];
    std::vector<std::uint32_t>& alike = examples[{calls[i].spec.size.count(), c.ranks.size(),
                                                  calls[i].is_until_acknowledged, c.kind}];
    const auto same = std::ranges::find_if(alike, [&](std::uint32_t other) {
      return program.call(other).spec() == program.call(i).spec();
    });
    kinds.push_back(same == alike.end() ? i : *same);
    if (kinds.back() == i) alike.push_back(i);
  }
  return kinds;
}

}  // namespace

RailReuse::RailReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
                     const collectives::GpuSets& rails)
    : e_(experiment),
      options_(std::move(options)),
      rails_(rails),
      states_(rails.all.size()),
      takes_(collectives::streams_of(experiment.workload, rails)),
      timelines_(rails.of_kind.size()) {
  if (!is_used()) return;
  program_ = &program_of(e_, gpu_set(0));
  kind_of_call_ = kinds_of_calls(*program_);
  number_of_call_ = collectives::numbers_of_calls(*program_);
  budget_ = std::ranges::max(reuse_budgets(e_, rails_));
  for (std::uint32_t r = 0; r < states_.size(); ++r) {
    states_[r].open_of_rank.resize(gpu_set(r).ranks.size());
  }
}

bool RailReuse::takes(ProcessId process, std::uint32_t stream) const {
  const std::vector<bool>& of_process = takes_[process.value()];
  return stream < of_process.size() && of_process[stream];
}

bool RailReuse::Open::has_all_ended() const {
  return std::ranges::find(has_ended, false) == has_ended.end();
}

HostId RailReuse::host_of(std::uint32_t rail, std::uint32_t rank) const {
  const collectives::JobPlan& plan = e_.workload.jobs()[gpu_set(rail).job];
  return e_.workload.process_hosts()[plan.process(gpu_set(rail).ranks[rank]).value()];
}

std::uint32_t RailReuse::communicator_of(std::uint32_t rail, std::uint32_t rank,
                                         std::uint32_t stream) const {
  return program_->lane_plan().member(gpu_set(rail).ranks[rank], stream)->communicator;
}

std::vector<std::uint32_t> RailReuse::members(std::uint32_t rail,
                                              std::uint32_t communicator) const {
  const GpuSet& of_rail = gpu_set(rail);
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : program_->task_set().communicators()[communicator].ranks) {
    ranks.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(of_rail.ranks, rank) -
                                               of_rail.ranks.begin()));
  }
  return ranks;
}

void RailReuse::add(Open& open, const EpochBegin& begin, std::uint64_t number) {
  const std::uint32_t communicator = communicator_of(open.rail, begin.rank, begin.stream);
  open.add(*program_, communicator, number, begin);
  open.is_reported.push_back(false);
}

RailReuse::Open& RailReuse::find_or_open_epoch(std::uint32_t rail, std::uint32_t communicator,
                                               std::uint64_t number, Picoseconds now) {
  Rail& state = states_[rail];
  std::vector<std::uint32_t> ranks = members(rail, communicator);
  std::ranges::sort(ranks);
  Open* waiting = nullptr;
  if (const auto at = state.waiting.find({communicator, number}); at != state.waiting.end()) {
    waiting = at->second;
    state.waiting.erase(at);
    // It has waited for longer than anything there took to quiesce; how long is all the same.
    waiting->start = std::max(waiting->start, now - *waiting->timeline->known_until);
  }
  Open* found = nullptr;
  for (const std::uint32_t rank : ranks) {
    Open* open = state.open_of_rank[rank];
    if (open == nullptr || open == found) continue;
    if (is_over(*open, now)) {
      close(*open, std::nullopt);
      continue;
    }
    std::vector<std::uint32_t> common;
    std::ranges::copy_if(ranks, std::back_inserter(common),
                         [&](std::uint32_t r) { return state.open_of_rank[r] == open; });
    if (release_ranks(*open, common, now)) {
      for (const std::uint32_t r : common) state.open_of_rank[r] = nullptr;
    } else if (found == nullptr) {
      found = open;
    } else {
      merge(*found, *open);
    }
  }
  if (found == nullptr) found = std::exchange(waiting, nullptr);
  if (found == nullptr) {
    found = open_.emplace_back(std::make_unique<Open>()).get();
    found->rail = rail;
    found->start = now;
  }
  retract_predictions(*found, now);
  std::vector<std::uint32_t> all;
  std::ranges::set_union(found->ranks, ranks, std::back_inserter(all));
  found->ranks = std::move(all);
  // Others of the epoch may have been let go, and be in another one by now.
  for (const std::uint32_t rank : ranks) state.open_of_rank[rank] = found;
  if (waiting != nullptr) join(*found, *waiting, now);
  return *found;
}

bool RailReuse::release_ranks(Open& open, const std::vector<std::uint32_t>& ranks,
                              Picoseconds now) {
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    const OpenCalls::Call& call = open.calls[open.call_of[i]];
    if (open.has_ended[i] && call.is_complete()) continue;
    const std::vector<std::uint32_t> of_call = members(open.rail, call.communicator);
    const bool is_common = std::ranges::any_of(
        of_call, [&](std::uint32_t rank) { return std::ranges::find(ranks, rank) != ranks.end(); });
    if (is_common) return false;
  }
  std::vector<std::uint32_t> places;
  for (const std::uint32_t rank : ranks) {
    const auto at = std::ranges::lower_bound(open.ranks, rank);
    places.push_back(static_cast<std::uint32_t>(at - open.ranks.begin()));
  }
  PredictedTimeline& timeline = *open.timeline;
  const Picoseconds t = now - open.start;
  const auto known = timeline.quiet.find({t, places});
  if (known != timeline.quiet.end()) return known->second;
  if (timeline.replay == nullptr || timeline.replay->now() > t) return false;
  while (timeline.replay->now() < t && advance(timeline, t)) {
  }
  std::vector<std::uint32_t> in_replay;
  in_replay.reserve(places.size());
  for (const std::uint32_t place : places) in_replay.push_back(timeline.ranks[place]);
  return timeline.quiet[{t, std::move(places)}] = timeline.replay->is_quiet(in_replay);
}

void RailReuse::join(Open& open, Open& waiting, Picoseconds now) {
  if (waiting.start != now) return merge(open, waiting);
  for (std::size_t i = 0; i < waiting.begins.size(); ++i) {
    EpochBegin begin = waiting.begins[i];
    begin.time = now - open.start;
    add(open, begin, waiting.calls[waiting.call_of[i]].number);
    find_timeline(open, now);
  }
  std::erase_if(open_, [&](const auto& each) { return each.get() == &waiting; });
}

bool RailReuse::is_blocked_receiver_only(std::uint32_t rail, const EpochBegin& begin,
                                         std::uint64_t number, Picoseconds now) {
  Rail& state = states_[rail];
  const std::uint32_t communicator = communicator_of(rail, begin.rank, begin.stream);
  if (state.waiting.contains({communicator, number})) return false;
  const Open* of_rank = state.open_of_rank[begin.rank];
  if (of_rank != nullptr && of_rank->has_begun(communicator, number)) return false;
  std::unique_ptr<Open> alone = std::make_unique<Open>();
  alone->rail = rail;
  alone->start = now;
  alone->ranks = members(rail, communicator);
  std::ranges::sort(alone->ranks);
  add(*alone, begin, number);
  if (alone->calls.front().waits_for_all) return false;
  find_timeline(*alone, now);
  PredictedTimeline& timeline = *alone->timeline;
  const auto has_ended = [&] { return timeline.ends.front().time.has_value(); };
  while (!timeline.is_quiescent && !has_ended()) {
    ensure_replay(*alone);
    advance(timeline, {});
  }
  if (!timeline.is_silent || has_ended()) return false;
  timeline.replay.reset();
  state.waiting[{communicator, number}] = alone.get();
  open_.push_back(std::move(alone));
  return true;
}

void RailReuse::merge(Open& into, Open& from) {
  for (const Open* open : {&into, &from}) {
    if (open->timeline != nullptr) drop_replay(*open->timeline);
  }
  struct Begun {
    EpochBegin begin;
    std::uint64_t number;
    bool has_ended;
    bool is_reported;
    EpochEnd end;
  };
  const Picoseconds start = std::min(into.start, from.start);
  std::vector<Begun> all;
  for (const Open* open : {&into, &from}) {
    const Picoseconds later = open->start - start;
    for (std::size_t i = 0; i < open->begins.size(); ++i) {
      Begun b{open->begins[i],
              open->calls[open->call_of[i]].number,
              open->has_ended[i],
              open->is_reported[i],
              {}};
      b.begin.time += later;
      if (open->timeline != nullptr && i < open->timeline->ends.size()) {
        b.end = open->timeline->ends[i];
        if (b.end.time) {
          b.end.time = b.end.time + later;
          b.end.posted_at += later;
        }
      }
      all.push_back(b);
    }
  }
  std::ranges::stable_sort(all, [](const Begun& a, const Begun& b) {
    return std::tuple(a.begin.time, a.begin.rank, a.begin.stream) <
           std::tuple(b.begin.time, b.begin.rank, b.begin.stream);
  });
  std::vector<std::uint32_t> ranks;
  std::ranges::set_union(into.ranks, from.ranks, std::back_inserter(ranks));
  for (const std::uint32_t rank : from.ranks) {
    Open*& of_rank = states_[into.rail].open_of_rank[rank];
    if (of_rank == &from) of_rank = &into;
  }
  into.start = start;
  into.ranks = std::move(ranks);
  into.begins.clear();
  into.has_ended.clear();
  into.is_reported.clear();
  into.calls.clear();
  into.call_of.clear();
  into.timeline = std::make_shared<PredictedTimeline>();
  for (const Begun& b : all) {
    add(into, b.begin, b.number);
    into.has_ended.back() = b.has_ended;
    into.is_reported.back() = b.is_reported;
    into.timeline->ends.push_back(b.end);
  }
  std::erase_if(open_, [&](const auto& open) { return open.get() == &from; });
}

std::span<const RailReuse::End> RailReuse::begin(ProcessId process, std::uint32_t stream,
                                                 std::uint32_t call, Picoseconds now) {
  ++calls_;
  ends_.clear();
  const std::uint32_t rail = rails_.of_process[process.value()];
  const std::uint32_t rank = rails_.rank_of_process[process.value()];
  const std::uint64_t number = states_[rail].begun[{rank, stream}]++;
  const EpochBegin alone{.time = {}, .rank = rank, .stream = stream, .call = number_of_call_[call]};
  if (is_blocked_receiver_only(rail, alone, number, now)) return ends_;
  Open& open = find_or_open_epoch(rail, communicator_of(rail, rank, stream), number, now);
  add(open,
      {.time = now - open.start, .rank = rank, .stream = stream, .call = number_of_call_[call]},
      number);
  find_timeline(open, now);
  open.needs_poll = true;
  needs_poll_ = true;
  return ends_;
}

RailReuse::End RailReuse::end_of(const Open& open, std::size_t begin, EpochEnd end) const {
  const GpuSet& of_rail = gpu_set(open.rail);
  const EpochBegin& b = open.begins[begin];
  return {.process = e_.workload.jobs()[of_rail.job].process(of_rail.ranks[b.rank]),
          .stream = b.stream,
          .time = open.start + end.time,
          .posted_at = open.start + end.posted_at};
}

void RailReuse::retract_predictions(Open& open, Picoseconds now) {
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    if (open.has_ended[i] || !open.is_reported[i]) continue;
    if (open.start + open.timeline->ends[i].time <= now) continue;
    open.is_reported[i] = false;
    End end = end_of(open, i, {});
    end.time = {};
    ends_.push_back(end);
  }
}

void RailReuse::end(ProcessId process, std::uint32_t stream) {
  const std::uint32_t rank = rails_.rank_of_process[process.value()];
  Open& open = *states_[rails_.of_process[process.value()]].open_of_rank[rank];
  open.has_ended[open.running(rank, stream)] = true;
  open.needs_poll = true;
  needs_poll_ = true;
}

bool RailReuse::needs_poll() { return std::exchange(needs_poll_, false); }

std::span<const RailReuse::End> RailReuse::poll_ends(Picoseconds now, Picoseconds horizon) {
  ends_.clear();
  needs_poll_ = false;
  next_poll_at_.reset();
  for (const std::unique_ptr<Open>& each : open_) {
    Open& open = *each;
    if (!std::exchange(open.needs_poll, false) || !open.is_running()) continue;
    if (const auto again = look_ahead(open, horizon)) {
      open.needs_poll = true;
      next_poll_at_ = std::min(next_poll_at_.value_or(*again), *again);
    }
    for (std::size_t i = 0; i < open.begins.size(); ++i) {
      const EpochEnd& end = open.timeline->ends[i];
      if (open.has_ended[i] || open.is_reported[i] || !end.time) continue;
      open.is_reported[i] = true;
      ends_.push_back(end_of(open, i, end));
      WEFT_CHECK(ends_.back().time >= now, "calls end in the future");
    }
  }
  return ends_;
}

bool RailReuse::has_new_completion(const Open& open) {
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    if (!open.has_ended[i] && open.timeline->ends[i].time) return true;
  }
  return false;
}

std::optional<Picoseconds> RailReuse::look_ahead(Open& open, Picoseconds horizon) {
  PredictedTimeline& timeline = *open.timeline;
  std::optional<Picoseconds> until;
  if (horizon < Picoseconds::max()) until = horizon - open.start;
  while (!has_new_completion(open) && !timeline.is_quiescent) {
    if (until && timeline.known_until >= *until) return horizon;
    ensure_replay(open);
    const std::optional<Picoseconds> next = timeline.replay->next_end();
    if (until && !next) return {};
    if (until && *next >= *until) return open.start + *next;
    advance(timeline, until);
  }
  return {};
}

EpochEnd RailReuse::predicted_end(ProcessId process, std::uint32_t stream) {
  const std::uint32_t rank = rails_.rank_of_process[process.value()];
  Open& open = *states_[rails_.of_process[process.value()]].open_of_rank[rank];
  const std::size_t i = open.running(rank, stream);
  while (!open.timeline->ends[i].time && !open.timeline->is_quiescent) {
    ensure_replay(open);
    if (!open.timeline->ends[i].time) advance(*open.timeline, {});
  }
  EpochEnd end = open.timeline->ends[i];
  if (!end.time) return end;
  end.time = end.time + open.start;
  end.posted_at += open.start;
  return end;
}

const EpochPlace& RailReuse::place_of(const Open& open) {
  std::unique_ptr<EpochPlace>& place = places_[{open.rail, open.ranks}];
  if (place != nullptr) return *place;
  place = std::make_unique<EpochPlace>();
  place->job = gpu_set(open.rail).job;
  for (const std::uint32_t rank : open.ranks) {
    place->ranks.push_back(gpu_set(open.rail).ranks[rank]);
    const collectives::RailLink link = collectives::rail_link(e_.fabric, host_of(open.rail, rank));
    place->ports.push_back(link.out);
    place->ports.push_back(link.in);
  }
  return *place;
}

void RailReuse::close(Open& open, std::optional<Picoseconds> until) {
  const EpochPlace& place = place_of(open);
  EpochWindow window;
  if (open.start < measured_from_) window.from = measured_from_ - open.start;
  if (until) window.until = *until - open.start;
  const std::shared_ptr<const CommEpoch> epoch =
      window.from || window.until ? part(open, window) : open.timeline->epoch;
  tallies_[{&place, epoch}].add(open.start);
  ++epochs_;
  memoised_hops_ += epoch->share.sums.packet_hops;
  last_event_ = std::max<OptionalTime>(last_event_, open.start + epoch->last);
  last_delivery_ = std::max(last_delivery_, open.start + epoch->last_delivery());
  if (closed_) closed_(place, open.start, epoch);
  if (call_log_ != nullptr) {
    call_log_->add(e_.workload.jobs()[gpu_set(open.rail).job], open, open.timeline->ends,
                   called(open));
  }
  for (const std::uint32_t rank : open.ranks) {
    Open*& of_rank = states_[open.rail].open_of_rank[rank];
    if (of_rank == &open) of_rank = nullptr;
  }
  std::erase_if(open_, [&](const auto& each) { return each.get() == &open; });
}

bool RailReuse::begin_measurement(Picoseconds now) {
  std::vector<Open*> all;
  for (const std::unique_ptr<Open>& open : open_) all.push_back(open.get());
  for (Open* open : all) {
    const bool is_over_before =
        is_over(*open, now) && open->start + open->timeline->epoch->last < now;
    if (is_over_before) close(*open, std::nullopt);
  }
  measured_from_ = now;
  return !open_.empty();
}

bool RailReuse::close(std::optional<Picoseconds> limit) {
  bool was_cut = false;
  while (!open_.empty()) {
    Open& open = *open_.back();
    // What nobody ever ends has quiesced, too, where the run has.
    const Picoseconds end = limit.value_or(Picoseconds::max() / 4);
    const bool is_whole = is_over(open, end);
    const bool is_over = is_whole && (!limit || open.start + open.timeline->epoch->last < *limit);
    if (is_over) {
      close(open, std::nullopt);
      continue;
    }
    close(open, end);
    was_cut |= limit.has_value();
  }
  return was_cut;
}

void RailReuse::take(const std::function<void(const MemoisedEpoch&)>& visit) {
  for (const auto& [of, tally] : tallies_) visit({of.first, of.second.get(), tally});
}

void RailReuse::forget() {
  tallies_.clear();
  for (auto& timelines : timelines_) {
    std::erase_if(timelines, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  evict_unused_replays();
  bytes_ = 0;
}

}  // namespace weft::scenarios
