#include "scenarios/memo/domain_reuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/tasks/task_program.hpp"
#include "scenarios/memo/savings_forecast.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::GpuSet;
using collectives::GpuSets;
using collectives::TaskProgram;

constexpr std::size_t kMaxDifferences = 10;

}  // namespace

DomainReuse::DomainReuse(const Experiment& experiment, protocols::PacketNetwork::Options options,
                         GpuSets gpu_sets, Reuse mode)
    : e_(experiment),
      options_(std::move(options)),
      gpu_sets_(std::move(gpu_sets)),
      mode_(mode),
      states_(gpu_sets_.all.size()),
      takes_(collectives::streams_of(e_.workload, gpu_sets_)) {
  seen_.resize(gpu_sets_.of_kind.size());
  const std::vector<std::uint64_t> budgets = reuse_budgets(e_, gpu_sets_);
  for (std::size_t kind = 0; kind < gpu_sets_.of_kind.size(); ++kind) {
    const GpuSet& example = gpu_sets_.all[gpu_sets_.of_kind[kind]];
    stores_.push_back(std::make_unique<EpochStore>(e_, options_, example, budgets[kind]));
  }
  number_of_call_.resize(e_.workload.jobs().size());
  std::map<std::int32_t, std::vector<PortId>> ports;
  for (const GpuSet& gpu_set : gpu_sets_.all) {
    std::vector<PortId>& of_domain = ports[gpu_set.domain];
    if (of_domain.empty()) {
      of_domain = fabric_of_domain(e_.fabric, e_.routes, gpu_set.domain).ports;
    }
    places_.push_back({gpu_set.job, gpu_set.ranks, of_domain});
  }
  for (const GpuSet& gpu_set : gpu_sets_.all) {
    std::vector<std::uint32_t>& numbers = number_of_call_[gpu_set.job];
    if (numbers.empty()) numbers = collectives::numbers_of_calls(program_of(e_, gpu_set));
  }
}

bool DomainReuse::takes(ProcessId process, std::uint32_t stream) const {
  const std::vector<bool>& of_process = takes_[process.value()];
  return stream < of_process.size() && of_process[stream];
}

EpochBegin DomainReuse::begin_of(const GpuSet& gpu_set, ProcessId process, std::uint32_t stream,
                                 std::uint32_t call, Picoseconds time) const {
  return {.time = time,
          .rank = gpu_sets_.rank_of_process[process.value()],
          .stream = stream,
          .call = number_of_call_[gpu_set.job][call]};
}

void DomainReuse::add_begin(const GpuSet& gpu_set, Open& open, const EpochBegin& begin) const {
  const TaskProgram& program = program_of(e_, gpu_set);
  const auto member = program.lane_plan().member(gpu_set.ranks[begin.rank], begin.stream);
  std::uint32_t number = 0;  // among the calls that this rank has begun on that stream
  for (const EpochBegin& b : open.begins) {
    if (b.rank == begin.rank && b.stream == begin.stream) ++number;
  }
  open.add(program, member->communicator, number, begin);
  open.epoch.reset();
}

std::span<const collectives::CallOracle::End> DomainReuse::begin(ProcessId process,
                                                                 std::uint32_t stream,
                                                                 std::uint32_t call,
                                                                 Picoseconds now) {
  const std::uint32_t number = gpu_sets_.of_process[process.value()];
  const GpuSet& gpu_set = gpu_sets_.all[number];
  State& state = states_[number];
  Open& open = state.open;
  ++state.calls;
  state.ends.clear();
  const bool is_over = open.is_open && open.epoch != nullptr && open.epoch->is_whole &&
                       !open.is_running() && now >= open.start + open.epoch->last;
  if (is_over) close(number, std::nullopt);
  if (mode_ == Reuse::kAudit) audit(number);
  if (!open.is_open) {
    open.is_open = true;
    open.start = now;
  }
  const EpochBegin begin = begin_of(gpu_set, process, stream, call, now - open.start);
  add_begin(gpu_set, open, begin);
  if (mode_ == Reuse::kAudit) {
    open.seen.emplace_back();
    return {};
  }
  if (store(number).is_not_worthwhile()) is_not_worthwhile_ = true;
  if (!is_not_worthwhile_ && open.is_running()) find_ends(number);
  return state.ends;
}

void DomainReuse::find_ends(std::uint32_t number) {
  State& state = states_[number];
  Open& open = state.open;
  open.epoch = store(number).find(open.all());
  const GpuSet& gpu_set = gpu_sets_.all[number];
  const collectives::JobPlan& plan = e_.workload.jobs()[gpu_set.job];
  for (std::size_t i = 0; i < open.begins.size(); ++i) {
    const EpochEnd& end = open.epoch->ends[i];
    if (open.has_ended[i] || !end.time) continue;
    state.ends.push_back({.process = plan.process(gpu_set.ranks[open.begins[i].rank]),
                          .stream = open.begins[i].stream,
                          .time = open.start + end.time,
                          .posted_at = open.start + end.posted_at});
  }
}

void DomainReuse::end(ProcessId process, std::uint32_t stream) {
  Open& open = states_[gpu_sets_.of_process[process.value()]].open;
  const std::uint32_t rank = gpu_sets_.rank_of_process[process.value()];
  open.has_ended[open.running(rank, stream)] = true;
}

void DomainReuse::begun(ProcessId process, std::uint32_t stream, std::uint32_t call,
                        Picoseconds now) {
  if (takes(process, stream)) begin(process, stream, call, now);
}

void DomainReuse::ended(ProcessId process, std::uint32_t stream, Picoseconds now,
                        Picoseconds posted_at) {
  if (!takes(process, stream)) return;
  Open& open = states_[gpu_sets_.of_process[process.value()]].open;
  const std::size_t i = open.running(gpu_sets_.rank_of_process[process.value()], stream);
  const Picoseconds begun_at = open.start + open.begins[i].time;
  if (mode_ == Reuse::kAudit) {
    open.seen[i] = {now - open.start, std::max(posted_at, begun_at) - open.start};
  } else {
    const EpochEnd end = open.epoch == nullptr ? EpochEnd{} : open.epoch->ends[i];
    const bool is_equal =
        end.time && open.start + *end.time == now &&
        std::max(begun_at, open.start + end.posted_at) == std::max(begun_at, posted_at);
    if (!is_equal) note_difference(process, begun_at, now, open.start + end.time);
  }
  end(process, stream);
}

void DomainReuse::note_difference(ProcessId process, Picoseconds begun_at, Picoseconds now,
                                  OptionalTime predicted) {
  const std::lock_guard lock(mutex_);
  if (differences_.size() == kMaxDifferences) return;
  differences_.push_back(fmt::format(
      "rank {} ends a call that it began at {} ps at {} ps; reuse would have said {} ps",
      e_.workload.rank_of(process), begun_at.count(), now.count(), predicted.value_or({}).count()));
}

void DomainReuse::audit(std::uint32_t number) {
  State& state = states_[number];
  Open& open = state.open;
  const bool is_over = open.is_open && open.all().is_complete && !open.is_running();
  if (!is_over) return;
  const std::lock_guard lock(mutex_);
  const auto [first, is_new] =
      seen_[gpu_sets_.all[number].kind].emplace(key_of(open.begins), open.seen);
  if (!is_new && first->second != open.seen) ++ended_otherwise_;
  ++state.epochs;
  open = Open{};
}

void DomainReuse::close(std::uint32_t number, std::optional<Picoseconds> until) {
  State& state = states_[number];
  Open& open = state.open;
  EpochStore::Found epoch = open.epoch;
  EpochWindow window;
  if (open.start < measured_from_) window.from = measured_from_ - open.start;
  if (until) window.until = *until - open.start;
  if (window.from || window.until) epoch = store(number).part(open.all(), window);
  state.tallies[epoch].add(open.start);
  ++state.epochs;
  store(number).count_taken(epoch->share.sums.packet_hops);
  state.last_event = std::max<OptionalTime>(state.last_event, open.start + epoch->last);
  state.last_delivery = std::max(state.last_delivery, open.start + epoch->last_delivery());
  if (closed_) {
    const std::lock_guard lock(mutex_);
    closed_(places_[number], open.start, epoch);
  }
  if (call_log_ != nullptr) {
    call_log_->add(e_.workload.jobs()[gpu_sets_.all[number].job], open, epoch->ends,
                   called(number, open.start, {epoch, &epoch->begins}));
  }
  open = Open{};
}

CalledEpoch DomainReuse::called(std::uint32_t number, Picoseconds start,
                                std::shared_ptr<const std::vector<EpochBegin>> begins) const {
  const GpuSet& gpu_set = gpu_sets_.all[number];
  CalledEpoch epoch;
  epoch.example = &gpu_sets_.all[gpu_sets_.of_kind[gpu_set.kind]];
  epoch.place = &places_[number];
  epoch.start = start;
  epoch.begins = std::move(begins);
  return epoch;
}

std::optional<CalledEpoch> DomainReuse::open_call_that_ended(ProcessId process,
                                                             std::uint32_t stream,
                                                             Picoseconds time) const {
  const std::uint32_t number = gpu_sets_.of_process[process.value()];
  const Open& open = states_[number].open;
  if (!open.is_open || open.epoch == nullptr) return {};
  const auto call =
      open.ended_at(gpu_sets_.rank_of_process[process.value()], stream, time, open.epoch->ends);
  if (!call) return {};
  CalledEpoch epoch =
      called(number, open.start, std::make_shared<const std::vector<EpochBegin>>(open.begins));
  epoch.call = *call;
  return epoch;
}

bool DomainReuse::is_over_before(const Open& open, Picoseconds time) {
  return open.epoch != nullptr && open.epoch->is_whole && open.start + open.epoch->last < time;
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
    // What nobody ever ends has quiesced, too, where the run has.
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

EpochDeliveries DomainReuse::deliveries(Picoseconds since, Picoseconds until) {
  bool is_known = true;
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    const State& state = states_[c];
    EpochDeliveries found = deliveries_since(since, state.last_delivery, state.last_event);
    if (found == EpochDeliveries::kNone && state.open.is_open) {
      const EpochWindow so_far{.from = {}, .until = until - state.open.start};
      const EpochStore::Found part = store(c).part(state.open.all(), so_far);
      found = deliveries_since(since, state.open.start, *part);
    }
    if (found == EpochDeliveries::kSome) return found;
    is_known = is_known && found == EpochDeliveries::kNone;
  }
  return is_known ? EpochDeliveries::kNone : EpochDeliveries::kUnknown;
}

void DomainReuse::take(const std::function<void(const MemoisedEpoch&)>& visit,
                       const std::function<void()>& use) {
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    for (const auto& [epoch, tally] : states_[c].tallies) {
      visit({&places_[c], epoch.get(), tally});
    }
  }
  use();
  for (State& state : states_) state.tallies.clear();
  for (const auto& store : stores_) store->forget();
}

std::vector<bool> DomainReuse::kinds_not_worthwhile() const {
  std::vector<bool> hopeless;
  for (const auto& store : stores_) hopeless.push_back(store->is_not_worthwhile());
  return hopeless;
}

std::size_t DomainReuse::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& store : stores_) bytes += store->memory_bytes();
  return bytes;
}

Picoseconds DomainReuse::last_event() const {
  Picoseconds last;
  for (const State& state : states_) last = std::max(last, state.last_event.value_or({}));
  return last;
}

std::uint64_t DomainReuse::memoised_hops() const {
  std::uint64_t hops = 0;
  for (const auto& store : stores_) hops += store->memoised_hops();
  return hops;
}

ReuseReport DomainReuse::report() const {
  ReuseReport report;
  report.mode = mode_;
  report.gpu_sets = static_cast<std::uint32_t>(gpu_sets_.all.size());
  for (std::size_t c = 0; c < states_.size(); ++c) {
    report.gpus += static_cast<std::uint32_t>(gpu_sets_.all[c].ranks.size());
    report.calls += states_[c].calls;
    report.epochs += states_[c].epochs;
  }
  for (const auto& store : stores_) {
    report.simulated += store->simulated();
    report.inside.simulated += store->simulated_hops();
    report.skips += store->skips();
  }
  for (const auto& epochs : seen_) report.simulated += epochs.size();
  report.ended_otherwise = ended_otherwise_;
  return report;
}

std::vector<std::string> DomainReuse::violations() const {
  std::vector<std::string> all = differences_;
  for (const auto& store : stores_) std::ranges::copy(store->violations(), std::back_inserter(all));
  return all;
}

}  // namespace weft::scenarios
