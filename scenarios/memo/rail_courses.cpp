// What is known of phases on rails: looked up by what began, and simulated as far as anybody asks.

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/memo/rails.hpp"
#include "scenarios/memo/rail_reuse.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// A few seconds of simulation, after which what is simulated again must not be more than half of
/// what is simulated once, skipped or taken: without rails all of that would be simulated.
constexpr std::uint64_t kHopsBeforeDoubt = 5'000'000;

/// Networks of a whole rail take some megabytes.
constexpr std::size_t kMaxLeftBehind = 8;

}  // namespace

void RailReuse::find_course(Open& open, Picoseconds now) {
  const Picoseconds t = now - open.start;
  const std::shared_ptr<Course> before = std::move(open.course);
  std::shared_ptr<Course>& course = courses_[component(open.rail).kind][key_of(open)];
  const bool is_new = course == nullptr;
  if (is_new) {
    course = std::make_shared<Course>();
    course->ends.resize(open.begins.size());
    bytes_ += 64 + open.begins.size() * (sizeof(PhaseEnd) + 2 * sizeof(std::int64_t));
  }
  open.course = course;
  if (!is_new || before == nullptr) return;
  // What has ended before this begin does not depend on it.
  for (std::size_t i = 0; i < before->ends.size(); ++i) {
    if (before->ends[i].time <= t) course->ends[i] = before->ends[i];
  }
  course->before = before;
  if (carry_on(*before, open)) return;
  const bool is_ahead = before->replay != nullptr && before->replay->now() > t;
  if (is_ahead && !is_anybody_on(*before)) drop_replay(*before);
}

std::optional<std::uint32_t> RailReuse::shift_to(const Course& from, const Open& open) const {
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
  const collectives::Component& rail = component(from.rail);
  const collectives::JobPlan& plan = e_.workload.jobs()[rail.job];
  for (std::size_t i = from.ends.size(); i < open.begins.size(); ++i) {
    const PhaseBegin& b = open.begins[i];
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

bool RailReuse::carry_on(Course& from, Open& open) {
  const std::size_t first = from.ends.size();
  const Picoseconds parts_at = open.begins[first].time;
  if (from.replay == nullptr || from.replay->now() > parts_at) return false;
  const std::optional<std::uint32_t> shift = shift_to(from, open);
  if (!shift) return false;
  while (from.replay->now() < parts_at && go_on(from, parts_at)) {
  }
  Course& course = *open.course;
  course.replay = std::move(from.replay);
  course.rail = from.rail;
  course.ranks = open.ranks;
  for (std::uint32_t& rank : course.ranks) rank += *shift;
  simulate_begins(open, first, *shift);
  return true;
}

void RailReuse::simulate_begins(Open& open, std::size_t first, std::uint32_t shift) {
  PhaseReplay& replay = *open.course->replay;
  for (std::size_t i = first; i < open.begins.size(); ++i) {
    PhaseBegin begin = open.begins[i];
    while (replay.now() < begin.time && go_on(replay, begin.time)) {
    }
    begin.rank += shift;
    replay.add(begin);
  }
  simulated_courses_.push_back(open.course);
}

void RailReuse::drop_left_behind() {
  const auto replay_is_gone = [](const std::weak_ptr<Course>& each) {
    const std::shared_ptr<Course> course = each.lock();
    return course == nullptr || course->replay == nullptr;
  };
  std::erase_if(simulated_courses_, replay_is_gone);
  std::size_t left_behind = 0;
  for (std::size_t i = simulated_courses_.size(); i-- > 0;) {
    const std::shared_ptr<Course> course = simulated_courses_[i].lock();
    if (!is_anybody_on(*course) && ++left_behind > kMaxLeftBehind) drop_replay(*course);
  }
}

bool RailReuse::is_anybody_on(const Course& course) const {
  return std::ranges::any_of(open_,
                             [&](const auto& open) { return open->course.get() == &course; });
}

void RailReuse::drop_replay(Course& course) {
  if (course.replay == nullptr) return;
  dropped_hops_ += course.replay->packet_hops();
  dropped_skipped_hops_ += course.replay->skips().packet_hops;
  course.replay.reset();
  const std::uint64_t once =
      simulated_hops_ - dropped_hops_ + skips_.packet_hops - dropped_skipped_hops_;
  if (dropped_hops_ > kHopsBeforeDoubt + (once + taken_hops_) / 2) is_hopeless_ = true;
}

void RailReuse::bring_replay(Open& open) {
  Course& course = *open.course;
  if (course.replay != nullptr) return;
  for (auto from = course.before.lock(); from != nullptr; from = from->before.lock()) {
    if (carry_on(*from, open)) return;
  }
  drop_left_behind();
  std::vector<std::unique_ptr<PhaseReplay>>& idle = states_[open.rail].idle;
  if (idle.empty()) {
    course.replay = std::make_unique<PhaseReplay>(e_, options_, component(open.rail));
  } else {
    course.replay = std::move(idle.back());
    idle.pop_back();
  }
  course.rail = open.rail;
  course.ranks = open.ranks;
  course.replay->start();
  simulate_begins(open, 0, 0);
}

bool RailReuse::go_on(PhaseReplay& replay, std::optional<Picoseconds> until) {
  const auto ended = [&] {
    return std::ranges::count_if(replay.ends(),
                                 [](const PhaseEnd& e) { return e.time >= Picoseconds(0); });
  };
  const auto ended_before = ended();
  const std::uint64_t hops_before = replay.packet_hops();
  const protocols::SkipCounts skips_before = replay.skips();
  replay.advance(until);
  simulated_hops_ += replay.packet_hops() - hops_before;
  skips_ += replay.skips() - skips_before;
  return ended() > ended_before;
}

bool RailReuse::go_on(Course& course, std::optional<Picoseconds> until) {
  const bool has_ended = go_on(*course.replay, until);
  const std::vector<PhaseEnd>& ends = course.replay->ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].time >= Picoseconds(0)) course.ends[i] = ends[i];
  }
  course.known_until = course.replay->now();
  course.is_at_rest = course.replay->is_at_rest();
  course.is_silent = course.is_at_rest && course.replay->packet_hops() == 0;
  return has_ended;
}

bool RailReuse::is_over(Open& open, Picoseconds now) {
  if (!open.is_complete() || !open.has_all_ended()) return false;
  const Picoseconds t = now - open.start;
  Course& course = *open.course;
  if (course.phase == nullptr) {
    bring_replay(open);
    while (course.replay->now() < t && go_on(course, t)) {
    }
    if (course.replay->is_at_rest()) finish(course);
  }
  return course.phase != nullptr && course.phase->last <= t;
}

void RailReuse::finish(Course& course) {
  Phase phase = course.replay->finish(true, {});
  std::ranges::copy(course.replay->violations(), std::back_inserter(violations_));
  WEFT_CHECK(phase.is_whole, "all calls of a phase that is over have ended");
  renumber(course.rail, course.ranks, course.replay->ports(), phase);
  states_[course.rail].idle.push_back(std::move(course.replay));
  bytes_ += phase.memory_bytes();
  ++simulated_;
  course.phase = std::make_shared<const Phase>(std::move(phase));
}

void RailReuse::renumber(std::uint32_t rail, const std::vector<std::uint32_t>& ranks,
                         const std::vector<PortId>& ports, Phase& phase) const {
  const auto place = [&](std::uint32_t rank) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
  };
  for (PhaseMessage& m : phase.messages) {
    m.source = place(m.source);
    m.destination = place(m.destination);
  }
  std::vector<PhaseSent> sent;
  std::map<PortId, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    sent.push_back(phase.sent[ranks[i]]);
    const collectives::RailLink link = collectives::rail_link(e_.fabric, host_of(rail, ranks[i]));
    numbers[link.out] = 2 * i;
    numbers[link.in] = 2 * i + 1;
  }
  phase.sent = std::move(sent);
  for (protocols::QueueShare& queue : phase.share.queues) {
    queue.port = PortId(numbers.at(ports[queue.port.value()]));
  }
}

std::shared_ptr<const Phase> RailReuse::part(const Open& open, const PhaseWindow& window) {
  PhaseReplay replay(e_, options_, component(open.rail));
  Phase phase = replay.run({open.begins, open.is_complete()}, window);
  ++simulated_;
  simulated_hops_ += phase.simulated_hops;
  skips_ += phase.skips;
  renumber(open.rail, open.ranks, replay.ports(), phase);
  return std::make_shared<const Phase>(std::move(phase));
}

PhaseDeliveries RailReuse::deliveries(Picoseconds since, Picoseconds until) {
  PhaseDeliveries all = deliveries_since(since, last_delivery_, last_event_);
  for (const std::unique_ptr<Open>& open : open_) {
    if (all == PhaseDeliveries::kSome) break;
    const auto so_far = part(*open, {.from = {}, .until = until - open->start});
    const PhaseDeliveries found = deliveries_since(since, open->start, *so_far);
    if (found != PhaseDeliveries::kNone) all = found;
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
    const PhaseBegin& b = open.begins[i];
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
  for (const collectives::Component& rail : rails_.all) {
    rail_places_.push_back({rail.job, rail.ranks, part_of(e_, rail).ports});
  }
}

CalledPhase RailReuse::called(const Open& open) const {
  CalledPhase phase;
  phase.example = &component(open.rail);
  phase.place = &rail_places_[open.rail];
  phase.start = open.start;
  phase.begins = std::make_shared<const std::vector<PhaseBegin>>(open.begins);
  return phase;
}

std::optional<CalledPhase> RailReuse::open_call_that_ended(ProcessId process, std::uint32_t stream,
                                                           Picoseconds time) const {
  const std::uint32_t rail = rails_.of_process[process.value()];
  for (const std::unique_ptr<Open>& open : open_) {
    if (open->rail != rail || open->course == nullptr) continue;
    const auto call =
        open->ended_at(rails_.rank_of_process[process.value()], stream, time, open->course->ends);
    if (!call) continue;
    CalledPhase phase = called(*open);
    phase.call = *call;
    return phase;
  }
  return {};
}

}  // namespace weft::scenarios
