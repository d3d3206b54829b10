#include "scenarios/memo/domain_reuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/tasks/task_program.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::Component;
using collectives::Components;
using collectives::TaskProgram;

constexpr std::size_t kMaxDifferences = 10;

}  // namespace

DomainReuse::DomainReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
                         Components components, Reuse mode)
    : e_(experiment),
      options_(std::move(options)),
      components_(std::move(components)),
      mode_(mode),
      states_(components_.all.size()),
      takes_(collectives::streams_of(e_.workload, components_)) {
  seen_.resize(components_.of_kind.size());
  for (const std::uint32_t example : components_.of_kind) {
    stores_.push_back(std::make_unique<PhaseStore>(e_, options_, components_.all[example]));
  }
  number_of_call_.resize(e_.workload.jobs().size());
  std::map<std::int32_t, std::vector<PortId>> ports;
  for (const Component& component : components_.all) {
    std::vector<PortId>& of_domain = ports[component.domain];
    if (of_domain.empty()) {
      of_domain = fabric_of_domain(e_.fabric, e_.routes, component.domain).ports;
    }
    places_.push_back({component.job, component.ranks, of_domain});
  }
  for (const Component& component : components_.all) {
    std::vector<std::uint32_t>& numbers = number_of_call_[component.job];
    if (numbers.empty()) numbers = collectives::numbers_of_calls(program_of(e_, component));
  }
}

bool DomainReuse::takes(ProcessId process, std::uint32_t stream) const {
  const std::vector<bool>& of_process = takes_[process.value()];
  return stream < of_process.size() && of_process[stream];
}

PhaseBegin DomainReuse::begin_of(const Component& component, ProcessId process,
                                 std::uint32_t stream, std::uint32_t call, Picoseconds time) const {
  return {.time = time,
          .rank = components_.rank_of_process[process.value()],
          .stream = stream,
          .call = number_of_call_[component.job][call]};
}

void DomainReuse::add_begin(const Component& component, Open& open, const PhaseBegin& begin) const {
  const TaskProgram& program = program_of(e_, component);
  const auto member = program.lane_plan().member(component.ranks[begin.rank], begin.stream);
  std::uint32_t number = 0;  // among the calls that this rank has begun on that stream
  for (const PhaseBegin& b : open.begins) {
    if (b.rank == begin.rank && b.stream == begin.stream) ++number;
  }
  open.add(program, member->communicator, number, begin);
  open.phase.reset();
}

std::span<const collectives::CallReuse::End> DomainReuse::begin(ProcessId process,
                                                                std::uint32_t stream,
                                                                std::uint32_t call,
                                                                Picoseconds now) {
  const std::uint32_t number = components_.of_process[process.value()];
  const Component& component = components_.all[number];
  State& state = states_[number];
  Open& open = state.open;
  ++state.calls;
  state.ends.clear();
  const bool is_over = open.is_open && open.phase != nullptr && open.phase->is_whole &&
                       !open.is_running() && now >= open.start + open.phase->last;
  if (is_over) close(number, std::nullopt);
  if (mode_ == Reuse::kAudit) audit(number);
  if (!open.is_open) {
    open.is_open = true;
    open.start = now;
  }
  const PhaseBegin begin = begin_of(component, process, stream, call, now - open.start);
  add_begin(component, open, begin);
  if (mode_ == Reuse::kAudit) {
    open.seen.emplace_back();
    return {};
  }
  if (store(number).is_hopeless()) is_hopeless_ = true;
  if (!is_hopeless_ && open.is_running()) find_ends(number);
  return state.ends;
}

void DomainReuse::find_ends(std::uint32_t number) {
  State& state = states_[number];
  Open& open = state.open;
  open.phase = store(number).find(open.all());
  const Component& component = components_.all[number];
  const collectives::JobPlan& plan = e_.workload.jobs()[component.job];
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    const PhaseEnd& end = open.phase->ends[i];
    if (open.has_ended[i] || end.time < Picoseconds(0)) continue;
    state.ends.push_back({.process = plan.process(component.ranks[open.begins[i].rank]),
                          .stream = open.begins[i].stream,
                          .time = open.start + end.time,
                          .posted_at = open.start + end.posted_at});
  }
}

void DomainReuse::end(ProcessId process, std::uint32_t stream) {
  Open& open = states_[components_.of_process[process.value()]].open;
  const std::uint32_t rank = components_.rank_of_process[process.value()];
  open.has_ended[open.running(rank, stream)] = true;
}

void DomainReuse::begun(ProcessId process, std::uint32_t stream, std::uint32_t call,
                        Picoseconds now) {
  if (takes(process, stream)) begin(process, stream, call, now);
}

void DomainReuse::ended(ProcessId process, std::uint32_t stream, Picoseconds now,
                        Picoseconds posted_at) {
  if (!takes(process, stream)) return;
  Open& open = states_[components_.of_process[process.value()]].open;
  const std::size_t i = open.running(components_.rank_of_process[process.value()], stream);
  const Picoseconds begun_at = open.start + open.begins[i].time;
  if (mode_ == Reuse::kAudit) {
    open.seen[i] = {now - open.start, std::max(posted_at, begun_at) - open.start};
  } else {
    const PhaseEnd end = open.phase == nullptr ? PhaseEnd{} : open.phase->ends[i];
    const bool is_equal =
        end.time >= Picoseconds(0) && open.start + end.time == now &&
        std::max(begun_at, open.start + end.posted_at) == std::max(begun_at, posted_at);
    if (!is_equal) note_difference(process, begun_at, now, open.start + end.time);
  }
  end(process, stream);
}

void DomainReuse::note_difference(ProcessId process, Picoseconds begun_at, Picoseconds now,
                                  Picoseconds foreseen) {
  const std::lock_guard lock(mutex_);
  if (differences_.size() == kMaxDifferences) return;
  differences_.push_back(fmt::format(
      "rank {} ends a call that it began at {} ps at {} ps; reuse would have said {} ps",
      e_.workload.rank_of(process), begun_at.count(), now.count(), foreseen.count()));
}

void DomainReuse::audit(std::uint32_t number) {
  State& state = states_[number];
  Open& open = state.open;
  const bool is_over = open.is_open && open.all().is_complete && !open.is_running();
  if (!is_over) return;
  const std::lock_guard lock(mutex_);
  const auto [first, is_new] =
      seen_[components_.all[number].kind].emplace(key_of(open.begins), open.seen);
  if (!is_new && first->second != open.seen) ++ended_otherwise_;
  ++state.phases;
  open = Open{};
}

void DomainReuse::close(std::uint32_t number, std::optional<Picoseconds> until) {
  State& state = states_[number];
  Open& open = state.open;
  PhaseStore::Found phase = open.phase;
  PhaseWindow window;
  if (open.start < measured_from_) window.from = measured_from_ - open.start;
  if (until) window.until = *until - open.start;
  if (window.from || window.until) phase = store(number).part(open.all(), window);
  state.tallies[phase].add(open.start);
  ++state.phases;
  store(number).count_taken(phase->share.sums.packet_hops);
  state.last_event = std::max(state.last_event, open.start + phase->last);
  state.last_delivery = std::max(state.last_delivery, open.start + phase->last_delivery());
  if (closed_) {
    const std::lock_guard lock(mutex_);
    closed_(places_[number], open.start, phase);
  }
  if (call_log_ != nullptr) {
    call_log_->add(e_.workload.jobs()[components_.all[number].job], open, phase->ends,
                   called(number, open.start, {phase, &phase->begins}));
  }
  open = Open{};
}

CalledPhase DomainReuse::called(std::uint32_t number, Picoseconds start,
                                std::shared_ptr<const std::vector<PhaseBegin>> begins) const {
  const Component& component = components_.all[number];
  CalledPhase phase;
  phase.example = &components_.all[components_.of_kind[component.kind]];
  phase.place = &places_[number];
  phase.start = start;
  phase.begins = std::move(begins);
  return phase;
}

std::optional<CalledPhase> DomainReuse::open_call_that_ended(ProcessId process,
                                                             std::uint32_t stream,
                                                             Picoseconds time) const {
  const std::uint32_t number = components_.of_process[process.value()];
  const Open& open = states_[number].open;
  if (!open.is_open || open.phase == nullptr) return {};
  const auto call =
      open.ended_at(components_.rank_of_process[process.value()], stream, time, open.phase->ends);
  if (!call) return {};
  CalledPhase phase =
      called(number, open.start, std::make_shared<const std::vector<PhaseBegin>>(open.begins));
  phase.call = *call;
  return phase;
}

bool DomainReuse::is_over_before(const Open& open, Picoseconds time) {
  return open.phase != nullptr && open.phase->is_whole && open.start + open.phase->last < time;
}

bool DomainReuse::begin_measurement(Picoseconds now) {
  bool is_any_open = false;
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    const Open& open = states_[c].open;
    if (!open.is_open) continue;
    if (is_over_before(open, now)) {
      close(c, std::nullopt);
    } else {
      is_any_open = true;
    }
  }
  measured_from_ = now;
  return is_any_open;
}

bool DomainReuse::close(std::optional<Picoseconds> limit) {
  if (mode_ == Reuse::kAudit) {
    for (std::uint32_t c = 0; c < states_.size(); ++c) audit(c);
    return false;
  }
  bool was_cut = false;
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    Open& open = states_[c].open;
    if (!open.is_open) continue;
    // What nobody ever ends has come to rest, too, where the run has.
    const Picoseconds end = limit.value_or(Picoseconds::max() / 4);
    if (is_over_before(open, end)) {
      close(c, std::nullopt);
      continue;
    }
    close(c, end);
    was_cut |= limit.has_value();
  }
  return was_cut;
}

PhaseDeliveries DomainReuse::deliveries(Picoseconds since, Picoseconds until) {
  bool is_known = true;
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    const State& state = states_[c];
    PhaseDeliveries found = deliveries_since(since, state.last_delivery, state.last_event);
    if (found == PhaseDeliveries::kNone && state.open.is_open) {
      const PhaseWindow so_far{.from = {}, .until = until - state.open.start};
      const PhaseStore::Found part = store(c).part(state.open.all(), so_far);
      found = deliveries_since(since, state.open.start, *part);
    }
    if (found == PhaseDeliveries::kSome) return found;
    is_known = is_known && found == PhaseDeliveries::kNone;
  }
  return is_known ? PhaseDeliveries::kNone : PhaseDeliveries::kUnknown;
}

void DomainReuse::take(const std::function<void(const TakenPhase&)>& visit,
                       const std::function<void()>& use) {
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    for (const auto& [phase, tally] : states_[c].tallies) {
      visit({&places_[c], phase.get(), tally});
    }
  }
  use();
  for (State& state : states_) state.tallies.clear();
  for (const auto& store : stores_) store->forget();
}

std::vector<bool> DomainReuse::hopeless_kinds() const {
  std::vector<bool> hopeless;
  for (const auto& store : stores_) hopeless.push_back(store->is_hopeless());
  return hopeless;
}

std::size_t DomainReuse::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& store : stores_) bytes += store->memory_bytes();
  return bytes;
}

Picoseconds DomainReuse::last_event() const {
  Picoseconds last;
  for (const State& state : states_) last = std::max(last, state.last_event);
  return last;
}

std::uint64_t DomainReuse::taken_hops() const {
  std::uint64_t hops = 0;
  for (const auto& store : stores_) hops += store->taken_hops();
  return hops;
}

ReuseReport DomainReuse::report() const {
  ReuseReport report;
  report.mode = mode_;
  report.components = static_cast<std::uint32_t>(components_.all.size());
  for (std::size_t c = 0; c < states_.size(); ++c) {
    report.gpus += static_cast<std::uint32_t>(components_.all[c].ranks.size());
    report.calls += states_[c].calls;
    report.phases += states_[c].phases;
  }
  for (const auto& store : stores_) {
    report.simulated += store->simulated();
    report.inside.simulated += store->simulated_hops();
    report.skips += store->skips();
  }
  for (const auto& phases : seen_) report.simulated += phases.size();
  report.ended_otherwise = ended_otherwise_;
  return report;
}

std::vector<std::string> DomainReuse::violations() const {
  std::vector<std::string> all = differences_;
  for (const auto& store : stores_) std::ranges::copy(store->violations(), std::back_inserter(all));
  return all;
}

}  // namespace weft::scenarios
