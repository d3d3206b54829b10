// What is known of phases on rails: looked up by what began, and simulated as far as anybody asks.

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/reuse/rails.hpp"
#include "scenarios/reuse/rail_reuse.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// A few seconds of simulation, after which what is simulated again must not be more than half of
/// what is simulated once or taken.
constexpr std::uint64_t kHopsBeforeDoubt = 5'000'000;

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
  // What has ended before this begin does not hang on it.
  for (std::size_t i = 0; i < before->ends.size(); ++i) {
    if (before->ends[i].time <= t) course->ends[i] = before->ends[i];
  }
  const bool is_own = before->replay != nullptr && before->rail == open.rail &&
                      std::ranges::includes(open.ranks, before->ranks);
  if (!is_own) return;
  if (before->replay->now() > t) return drop_replay(*before);
  while (before->replay->now() < t && go_on(*before, t)) {
  }
  course->replay = std::move(before->replay);
  course->rail = open.rail;
  course->ranks = open.ranks;
  course->replay->add(open.begins.back());
}

void RailReuse::drop_replay(Course& course) {
  if (course.replay == nullptr) return;
  dropped_hops_ += course.replay->packet_hops();
  leaps_ += course.replay->leaps();
  course.replay.reset();
  if (dropped_hops_ > kHopsBeforeDoubt + (simulated_hops_ - dropped_hops_ + taken_hops_) / 2) {
    is_hopeless_ = true;
  }
}

void RailReuse::bring_replay(Open& open) {
  Course& course = *open.course;
  if (course.replay != nullptr) return;
  std::vector<std::unique_ptr<PhaseReplay>>& idle = states_[open.rail].idle;
  if (idle.empty()) {
    course.replay = std::make_unique<PhaseReplay>(e_, options_, component(open.rail));
  } else {
    course.replay = std::move(idle.back());
    idle.pop_back();
  }
  course.rail = open.rail;
  course.ranks = open.ranks;
  PhaseReplay& replay = *course.replay;
  replay.start();
  for (const PhaseBegin& begin : open.begins) {
    while (replay.now() < begin.time && go_on(replay, begin.time)) {
    }
    replay.add(begin);
  }
}

bool RailReuse::go_on(PhaseReplay& replay, std::optional<Picoseconds> until) {
  const auto ended = [&] {
    return std::ranges::count_if(replay.ends(),
                                 [](const PhaseEnd& e) { return e.time >= Picoseconds(0); });
  };
  const auto ended_before = ended();
  const std::uint64_t hops_before = replay.packet_hops();
  replay.advance(until);
  simulated_hops_ += replay.packet_hops() - hops_before;
  return ended() > ended_before;
}

bool RailReuse::go_on(Course& course, std::optional<Picoseconds> until) {
  const bool has_ended = go_on(*course.replay, until);
  const std::vector<PhaseEnd>& ends = course.replay->ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].time >= Picoseconds(0)) course.ends[i] = ends[i];
  }
  course.is_at_rest = course.replay->is_at_rest();
  course.rest_at = course.replay->now();
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
  leaps_ += phase.leaps;
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
  leaps_ += phase.leaps;
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
    const std::uint32_t call = calls_of_[communicator][b.call];
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

void RailReuse::note_calls(const Open& open) {
  const collectives::JobPlan& plan = e_.workload.jobs()[component(open.rail).job];
  const auto phase = std::make_shared<const CalledPhase>(called(open));
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    if (!open.has_ended[i]) continue;
    const ProcessId process = plan.process(component(open.rail).ranks[open.begins[i].rank]);
    call_log_->add(process, open.begins[i].stream, open.start + open.course->ends[i].time, phase,
                   i);
  }
}

std::optional<CalledPhase> RailReuse::open_call_that_ended(ProcessId process, std::uint32_t stream,
                                                           Picoseconds time) const {
  const std::uint32_t rail = rails_.of_process[process.value()];
  for (const std::unique_ptr<Open>& open : open_) {
    if (open->rail != rail || open->course == nullptr) continue;
    for (std::size_t i = 0; i < open->begins.size(); ++i) {
      const PhaseBegin& begin = open->begins[i];
      const bool is_meant = begin.rank == rails_.rank_of_process[process.value()] &&
                            begin.stream == stream && open->has_ended[i] &&
                            open->start + open->course->ends[i].time == time &&
                            open->start + begin.time < time;
      if (!is_meant) continue;
      CalledPhase phase = called(*open);
      phase.call = i;
      return phase;
    }
  }
  return {};
}

}  // namespace weft::scenarios
