// What is known of epochs on rails: looked up by what began, and simulated as far as anybody asks.

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/memo/rails.hpp"
#include "scenarios/memo/rail_reuse.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// Networks of a whole rail take some megabytes.
constexpr std::size_t kMaxUnusedReplays = 8;

}  // namespace

void RailReuse::find_timeline(Open& open, Picoseconds now) {
  const Picoseconds t = now - open.start;
  const std::shared_ptr<PredictedTimeline> before = std::move(open.timeline);
  std::shared_ptr<PredictedTimeline>& timeline = timelines_[gpu_set(open.rail).kind][key_of(open)];
  const bool is_new = timeline == nullptr;
  if (is_new) {
    timeline = std::make_shared<PredictedTimeline>();
    timeline->ends.resize(open.begins.size());
    bytes_ += 64 + open.begins.size() * (sizeof(EpochEnd) + 2 * sizeof(std::int64_t));
  }
  open.timeline = timeline;
  if (!is_new || before == nullptr) return;
  // What has ended before this begin does not depend on it.
  for (std::size_t i = 0; i < before->ends.size(); ++i) {
    if (before->ends[i].time <= t) timeline->ends[i] = before->ends[i];
  }
  timeline->before = before;
  if (fork_replay(*before, open)) return;
  const bool is_ahead = before->replay != nullptr && before->replay->now() > t;
  if (is_ahead && !has_users(*before)) drop_replay(*before);
}

std::optional<std::uint32_t> RailReuse::shift_to(const PredictedTimeline& from,
                                                 const Open& open) const {
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < from.ends.size(); ++i) {
    std::ranges::copy(members(open.rail, open.calls[open.call_of[i]].communicator),
                      std::back_inserter(ranks));
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const std::uint32_t shift = from.ranks.front() - ranks.front();
  const auto shifted = [&](std::uint32_t rank) { return rank + shift; };
  if (!std::ranges::equal(ranks, from.ranks, {}, shifted)) return {};
  const collectives::GpuSet& rail = gpu_set(from.rail);
  const collectives::JobPlan& plan = e_.workload.jobs()[rail.job];
  for (std::size_t i = from.ends.size(); i < open.begins.size(); ++i) {
    const EpochBegin& b = open.begins[i];
    const std::uint32_t here = open.calls[open.call_of[i]].communicator;
    const std::uint32_t rank = shifted(b.rank);
    if (rank >= rail.ranks.size() || !takes(plan.process(rail.ranks[rank]), b.stream)) return {};
    const std::uint32_t there = communicator_of(from.rail, rank, b.stream);
    const bool is_alike =
        b.call < calls_of(there).size() &&
        kind_of_call_[calls_of(there)[b.call]] == kind_of_call_[calls_of(here)[b.call]] &&
        std::ranges::equal(members(open.rail, here), members(from.rail, there), {}, shifted);
    if (!is_alike) return {};
  }
  return shift;
}

bool RailReuse::fork_replay(PredictedTimeline& from, Open& open) {
  const std::size_t first = from.ends.size();
  const Picoseconds parts_at = open.begins[first].time;
  if (from.replay == nullptr || from.replay->now() > parts_at) return false;
  const std::optional<std::uint32_t> shift = shift_to(from, open);
  if (!shift) return false;
  while (from.replay->now() < parts_at && advance(from, parts_at)) {
  }
  PredictedTimeline& timeline = *open.timeline;
  timeline.replay = std::move(from.replay);
  timeline.rail = from.rail;
  timeline.ranks = open.ranks;
  for (std::uint32_t& rank : timeline.ranks) rank += *shift;
  simulate_begins(open, first, *shift);
  return true;
}

void RailReuse::simulate_begins(Open& open, std::size_t first, std::uint32_t shift) {
  EpochReplay& replay = *open.timeline->replay;
  for (std::size_t i = first; i < open.begins.size(); ++i) {
    EpochBegin begin = open.begins[i];
    while (replay.now() < begin.time && advance(replay, begin.time)) {
    }
    begin.rank += shift;
    replay.add(begin);
  }
  simulated_timelines_.push_back(open.timeline);
}

void RailReuse::evict_unused_replays() {
  const auto replay_is_gone = [](const std::weak_ptr<PredictedTimeline>& each) {
    const std::shared_ptr<PredictedTimeline> timeline = each.lock();
    return timeline == nullptr || timeline->replay == nullptr;
  };
  std::erase_if(simulated_timelines_, replay_is_gone);
  std::size_t left_behind = 0;
  for (std::size_t i = simulated_timelines_.size(); i-- > 0;) {
    const std::shared_ptr<PredictedTimeline> timeline = simulated_timelines_[i].lock();
    if (!has_users(*timeline) && ++left_behind > kMaxUnusedReplays) drop_replay(*timeline);
  }
}

bool RailReuse::has_users(const PredictedTimeline& timeline) const {
  return std::ranges::any_of(open_,
                             [&](const auto& open) { return open->timeline.get() == &timeline; });
}

void RailReuse::drop_replay(PredictedTimeline& timeline) {
  if (timeline.replay == nullptr) return;
  dropped_hops_ += timeline.replay->packet_hops();
  dropped_skipped_hops_ += timeline.replay->skips().packet_hops;
  timeline.replay.reset();
  const std::uint64_t once =
      simulated_hops_ - dropped_hops_ + skips_.packet_hops - dropped_skipped_hops_;
  // What is simulated again must not be more than half of what is simulated once, skipped or taken:
  // without rails all of that would be simulated.
  if (dropped_hops_ > budget_ + (once + memoised_hops_) / 2) is_not_worthwhile_ = true;
}

void RailReuse::ensure_replay(Open& open) {
  PredictedTimeline& timeline = *open.timeline;
  if (timeline.replay != nullptr) return;
  for (auto from = timeline.before.lock(); from != nullptr; from = from->before.lock()) {
    if (fork_replay(*from, open)) return;
  }
  evict_unused_replays();
  std::vector<std::unique_ptr<EpochReplay>>& idle = states_[open.rail].idle;
  if (idle.empty()) {
    timeline.replay = std::make_unique<EpochReplay>(e_, options_, gpu_set(open.rail));
  } else {
    timeline.replay = std::move(idle.back());
    idle.pop_back();
  }
  timeline.rail = open.rail;
  timeline.ranks = open.ranks;
  timeline.replay->start();
  simulate_begins(open, 0, 0);
}

bool RailReuse::advance(EpochReplay& replay, std::optional<Picoseconds> until) {
  const auto ended = [&] {
    return std::ranges::count_if(replay.ends(),
                                 [](const EpochEnd& e) { return e.time.has_value(); });
  };
  const auto ended_before = ended();
  const std::uint64_t hops_before = replay.packet_hops();
  const protocols::SkipCounts skips_before = replay.skips();
  replay.advance(until);
  simulated_hops_ += replay.packet_hops() - hops_before;
  skips_ += replay.skips() - skips_before;
  return ended() > ended_before;
}

bool RailReuse::advance(PredictedTimeline& timeline, std::optional<Picoseconds> until) {
  const bool has_ended = advance(*timeline.replay, until);
  const std::vector<EpochEnd>& ends = timeline.replay->ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].time) timeline.ends[i] = ends[i];
  }
  timeline.known_until = timeline.replay->now();
  timeline.is_quiescent = timeline.replay->is_quiescent();
  timeline.is_silent = timeline.is_quiescent && timeline.replay->packet_hops() == 0;
  return has_ended;
}

bool RailReuse::is_over(Open& open, Picoseconds now) {
  if (!open.is_complete() || !open.has_all_ended()) return false;
  const Picoseconds t = now - open.start;
  PredictedTimeline& timeline = *open.timeline;
  if (timeline.epoch == nullptr) {
    ensure_replay(open);
    while (timeline.replay->now() < t && advance(timeline, t)) {
    }
    if (timeline.replay->is_quiescent()) finish(timeline);
  }
  return timeline.epoch != nullptr && timeline.epoch->last <= t;
}

void RailReuse::finish(PredictedTimeline& timeline) {
  CommEpoch epoch = timeline.replay->finish(true, {});
  std::ranges::copy(timeline.replay->violations(), std::back_inserter(violations_));
  WEFT_CHECK(epoch.is_whole, "all calls of an epoch that is over have ended");
  renumber(timeline.rail, timeline.ranks, timeline.replay->ports(), epoch);
  states_[timeline.rail].idle.push_back(std::move(timeline.replay));
  bytes_ += epoch.memory_bytes();
  ++simulated_;
  timeline.epoch = std::make_shared<const CommEpoch>(std::move(epoch));
}

void RailReuse::renumber(std::uint32_t rail, const std::vector<std::uint32_t>& ranks,
                         const std::vector<PortId>& ports, CommEpoch& epoch) const {
  const auto place = [&](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
  };
  for (EpochMessage& m : epoch.messages) {
    m.source = place(m.source);
    m.destination = place(m.destination);
  }
  std::vector<EpochSent> sent;
  std::map<PortId, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    sent.push_back(epoch.sent[ranks[i]]);
    const collectives::RailLink link = collectives::rail_link(e_.fabric, host_of(rail, ranks[i]));
    numbers[link.out] = 2 * i;
    numbers[link.in] = 2 * i + 1;
  }
  epoch.sent = std::move(sent);
  for (protocols::QueueShare& queue : epoch.share.queues) {
    queue.port = PortId(numbers.at(ports[queue.port.value()]));
  }
}

std::shared_ptr<const CommEpoch> RailReuse::part(const Open& open, const EpochWindow& window) {
  EpochReplay replay(e_, options_, gpu_set(open.rail));
  CommEpoch epoch = replay.run({open.begins, open.is_complete()}, window);
  ++simulated_;
  simulated_hops_ += epoch.simulated_hops;
  skips_ += epoch.skips;
  renumber(open.rail, open.ranks, replay.ports(), epoch);
  return std::make_shared<const CommEpoch>(std::move(epoch));
}

EpochDeliveries RailReuse::deliveries(Picoseconds since, Picoseconds until) {
  EpochDeliveries all = deliveries_since(since, last_delivery_, last_event_);
  for (const std::unique_ptr<Open>& open : open_) {
    if (all == EpochDeliveries::kSome) break;
    const auto so_far = part(*open, {.from = {}, .until = until - open->start});
    const EpochDeliveries found = deliveries_since(since, open->start, *so_far);
    if (found != EpochDeliveries::kNone) all = found;
  }
  return all;
}

RailReuse::Key RailReuse::key_of(const Open& open) const {
  const auto place = [&](std::uint32_t rank) {
    return std::ranges::lower_bound(open.ranks, rank) - open.ranks.begin();
  };
  Key key{static_cast<std::int64_t>(open.ranks.size())};
  std::vector<std::uint32_t> known;
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    const EpochBegin& b = open.begins[i];
    const std::uint32_t communicator = open.calls[open.call_of[i]].communicator;
    if (std::ranges::find(known, communicator) == known.end()) {
      known.push_back(communicator);
      key.push_back(-1 - static_cast<std::int64_t>(b.stream));
      for (const std::uint32_t rank : members(open.rail, communicator)) key.push_back(place(rank));
    }
    const std::uint32_t call = calls_of(communicator)[b.call];
    key.push_back(b.time.count());
    key.push_back((std::int64_t{kind_of_call_[call]} << 32U) | (std::int64_t{b.stream} << 20U) |
                  place(b.rank));
  }
  return key;
}

void RailReuse::keep_calls(CallLog& log) {
  call_log_ = &log;
  for (const collectives::GpuSet& rail : rails_.all) {
    rail_places_.push_back({rail.job, rail.ranks, part_of(e_, rail).ports});
  }
}

CalledEpoch RailReuse::called(const Open& open) const {
  CalledEpoch epoch;
  epoch.example = &gpu_set(open.rail);
  epoch.place = &rail_places_[open.rail];
  epoch.start = open.start;
  epoch.begins = std::make_shared<const std::vector<EpochBegin>>(open.begins);
  return epoch;
}

std::optional<CalledEpoch> RailReuse::open_call_that_ended(ProcessId process, std::uint32_t stream,
                                                           Picoseconds time) const {
  const std::uint32_t rail = rails_.of_process[process.value()];
  for (const std::unique_ptr<Open>& open : open_) {
    if (open->rail != rail || open->timeline == nullptr) continue;
    const auto call =
        open->ended_at(rails_.rank_of_process[process.value()], stream, time, open->timeline->ends);
    if (!call) continue;
    CalledEpoch epoch = called(*open);
    epoch.call = *call;
    return epoch;
  }
  return {};
}

}  // namespace weft::scenarios
