#include "scenarios/zero_load/zero_load_calls.hpp"

#include <algorithm>
#include <utility>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/runtime/executor.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::TaskProgram;

/// Calls whose ends are kept, of communicators alike: some megabytes.
constexpr std::size_t kMaxKept = 16'384;

const TaskProgram& program_of(const collectives::Workload& workload, std::uint32_t job) {
  return dynamic_cast<const TaskProgram&>(*workload.jobs()[job].program);
}

/// Members begin at given times, and come to the end of the call.
class Call final : public ProcessHandler, private collectives::TaskObserver {
 public:
  Call(const collectives::Workload& workload, std::uint32_t stream,
       const std::vector<Picoseconds>& begins)
      : executor_(workload, collectives::Executor::Spans::kNotKept),
        stream_(stream),
        begins_(begins),
        ends_(begins.size()) {
    executor_.begin_by_timers();
    executor_.set_observer(*this);
  }

  /// By member; missing: it never does.
  [[nodiscard]] const std::vector<OptionalTime>& ends() const { return ends_; }

  void on_start(ProcessContext& context, ProcessId self) override {
    executor_.on_start(context, self);
    context.set_job_timer(begins_[self.value()], self,
                          collectives::Executor::timer_of_begin(stream_));
  }
  void on_delivered(ProcessContext& context, ProcessId self, ConnectionId connection) override {
    executor_.on_delivered(context, self, connection);
  }
  void on_acknowledged(ProcessContext& context, ProcessId self, ConnectionId connection) override {
    executor_.on_acknowledged(context, self, connection);
  }
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t token) override {
    executor_.on_wake(context, self, token);
  }
  void on_control_event(ProcessContext& context, ProcessId self, ProcessId from,
                        std::uint64_t token) override {
    executor_.on_control_event(context, self, from, token);
  }
  bool on_job_timer(ProcessContext& context, ProcessId self, std::uint32_t number) override {
    return executor_.on_job_timer(context, self, number);
  }

 private:
  void begun(ProcessId /*process*/, std::uint32_t /*stream*/, std::uint32_t /*call*/,
             Picoseconds /*now*/) override {}
  void ended(ProcessId process, std::uint32_t /*stream*/, Picoseconds now,
             Picoseconds /*posted_at*/) override {
    ends_[process.value()] = now;
  }

  collectives::Executor executor_;
  const std::uint32_t stream_;
  const std::vector<Picoseconds>& begins_;
  std::vector<OptionalTime> ends_;
};

}  // namespace

/// Runs calls of a communicator with nothing around it.
class ZeroLoadCalls::Replay {
 public:
  Replay(const ZeroLoadCalls& calls, const collectives::GpuSet& gpu_set, std::uint32_t communicator)
      : calls_(calls), whole_(program_of(calls.workload_, gpu_set.job)) {
    stream_ = whole_.lane_plan().number_of(collectives::StreamOf::communicator(communicator));
    numbers_ = whole_.calls_of(communicator);
    const collectives::JobPlan& plan = calls.workload_.jobs()[gpu_set.job];
    std::vector<std::uint32_t> ranks = whole_.task_set().communicators()[communicator].ranks;
    std::ranges::sort(ranks);
    std::vector<HostId> hosts;
    hosts.reserve(ranks.size());
    for (const std::uint32_t rank : ranks) {
      hosts.push_back(calls.workload_.process_hosts()[plan.process(rank).value()]);
    }
    auto program = std::make_unique<collectives::EpochProgram>(
        whole_, ranks, std::vector<std::uint32_t>{communicator});
    program_ = program.get();
    const Errors errors =
        workload_.add_job(plan.name, Picoseconds(0), hosts, std::move(program), true);
    WEFT_CHECK(errors.empty(), "a part of a job that could be built can be");
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      for (std::uint32_t lane = 0; lane < whole_.lanes(); ++lane) {
        const auto [first, end] = workload_.sends_of(workload_.lane_index(ProcessId(rank), lane));
        const ProcessId process = plan.process(ranks[rank]);
        const auto [in_whole, end_in_whole] =
            calls.workload_.sends_of(calls.workload_.lane_index(process, lane));
        WEFT_CHECK(first == end || end - first == end_in_whole - in_whole,
                   "a lane's messages go to members of its communicator");
        for (std::uint32_t i = first; i < end; ++i) {
          in_whole_.emplace_back(in_whole + i - first);
        }
      }
    }
  }

  /// `call`: of those of the communicator.
  [[nodiscard]] Ends ends_of(std::uint32_t call, const Times& begins) {
    for (std::uint32_t rank = 0; rank < begins.size(); ++rank) {
      program_->set_call(rank, stream_, numbers_[call]);
    }
    Call running(workload_, stream_, begins);
    ZeroLoadNetwork network(
        begins.size(), workload_.connections(),
        [this](ConnectionId connection, Bytes size) {
          return calls_.delay_of_(in_whole_[connection.value()], size);
        },
        calls_.control_latency_, workload_.groups());
    network.run(running);
    return running.ends();
  }

 private:
  const ZeroLoadCalls& calls_;
  const TaskProgram& whole_;
  std::uint32_t stream_ = 0;
  std::span<const std::uint32_t> numbers_;  ///< of calls, in the program
  collectives::EpochProgram* program_ = nullptr;
  collectives::Workload workload_;
  std::vector<ConnectionId> in_whole_;  ///< by connection
};

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
        kinds_.push_back({std::make_unique<Replay>(*this, gpu_set, communicator), {}});
      }
      add(gpu_set, communicator, it->second);
    }
  }
}

ZeroLoadCalls::~ZeroLoadCalls() = default;

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
  std::pair<std::uint32_t, Times> key(number, caller.begins);
  for (Picoseconds& begin : key.second) begin -= first;
  Kind& kind = kinds_[caller.kind];
  auto found = kind.ends.find(key);
  if (found == kind.ends.end()) {
    if (kind.ends.size() >= kMaxKept) kind.ends.clear();  // they hardly come again
    Ends ends = kind.replay->ends_of(number, key.second);
    found = kind.ends.emplace(std::move(key), std::move(ends)).first;
  }
  ends_.clear();
  for (std::size_t i = 0; i < caller.members.size(); ++i) {
    const OptionalTime end = found->second[i];
    if (!end) continue;  // it waits forever
    ends_.push_back({caller.members[i], stream, first + end, Picoseconds(0)});
  }
  return ends_;
}

}  // namespace weft::scenarios
