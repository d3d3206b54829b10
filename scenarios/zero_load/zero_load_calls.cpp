#include "scenarios/zero_load/zero_load_calls.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/memo/matching_calls.hpp"

namespace weft::scenarios {
namespace {

using collectives::TaskProgram;

const TaskProgram& program_of(const collectives::Workload& workload, std::uint32_t job) {
  return *task_program_of(workload.jobs()[job]);
}

}  // namespace

ZeroLoadCalls::ZeroLoadCalls(const collectives::Workload& workload,
                             const collectives::GpuSets& gpu_sets,
                             ZeroLoadNetwork::DelayOf delay_of, Picoseconds control_latency)
    : workload_(workload),
      delay_of_(std::move(delay_of)),
      control_latency_(control_latency),
      number_of_call_(workload.jobs().size()),
      places_(workload.process_hosts().size()) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> kinds;
  for (const collectives::GpuSet& gpu_set : gpu_sets.all) {
    const TaskProgram& program = program_of(workload, gpu_set.job);
    if (number_of_call_[gpu_set.job].empty()) {
      number_of_call_[gpu_set.job] = collectives::numbers_of_calls(program);
    }
    for (std::size_t i = 0; i < gpu_set.communicators.size(); ++i) {
      const std::uint32_t communicator = gpu_set.communicators[i];
      const bool wait_for_all =
          std::ranges::all_of(program.calls_of(communicator), [&program](std::uint32_t call) {
            return collectives::waits_for_all(program.call(call).spec());
          });
      if (!wait_for_all || program.lane_plan().lanes_of(communicator) == 0) continue;
      const auto next = static_cast<std::uint32_t>(kinds_.size());
      const auto [it, is_new] = kinds.emplace(std::pair(gpu_set.kind, i), next);
      if (is_new) {
        kinds_.push_back(std::make_unique<CallAlone>(workload_, gpu_set.job, communicator,
                                                     delay_of_, control_latency_));
      }
      add(gpu_set, communicator, it->second);
    }
  }
}

void ZeroLoadCalls::add(const collectives::GpuSet& gpu_set, std::uint32_t communicator,
                        std::uint32_t kind) {
  const TaskProgram& program = program_of(workload_, gpu_set.job);
  const std::uint32_t stream =
      program.lane_plan().number_of(collectives::StreamOf::communicator(communicator));
  std::vector<std::uint32_t> ranks = program.task_set().communicators()[communicator].ranks;
  std::ranges::sort(ranks);
  const auto number = static_cast<std::uint32_t>(callers_.size());
  Caller& caller = callers_.emplace_back();
  caller.job = gpu_set.job;
  caller.kind = kind;
  for (const std::uint32_t rank : ranks) {
    const ProcessId process = workload_.jobs()[gpu_set.job].process(rank);
    const auto member = static_cast<std::uint32_t>(caller.members.size());
    places_[process.value()].push_back({stream, number, member});
    caller.members.push_back(process);
  }
  caller.begins.resize(ranks.size());
}

const ZeroLoadCalls::Place* ZeroLoadCalls::place_of(ProcessId process, std::uint32_t stream) const {
  for (const Place& place : places_[process.value()]) {
    if (place.stream == stream) return &place;
  }
  return nullptr;
}

// No rank begins another call before all have begun this one.
std::span<const collectives::CallOracle::End> ZeroLoadCalls::begin(ProcessId process,
                                                                   std::uint32_t stream,
                                                                   std::uint32_t call,
                                                                   Picoseconds now) {
  const Place& place = *place_of(process, stream);
  Caller& caller = callers_[place.caller];
  caller.begins[place.member] = now;
  if (++caller.begun < caller.members.size()) return {};
  caller.begun = 0;
  const Picoseconds first = std::ranges::min(caller.begins);
  const std::uint32_t number = number_of_call_[caller.job][call];
  CallAlone::Times begins = caller.begins;
  for (Picoseconds& begin : begins) begin -= first;
  const CallAlone::Ends& ends = kinds_[caller.kind]->ends_of(number, begins);
  ends_.clear();
  for (std::size_t i = 0; i < caller.members.size(); ++i) {
    const OptionalTime end = ends[i];
    if (!end) continue;  // it waits forever
    ends_.push_back({caller.members[i], stream, first + end, Picoseconds(0)});
  }
  return ends_;
}

}  // namespace weft::scenarios
