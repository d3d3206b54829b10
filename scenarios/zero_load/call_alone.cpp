#include "scenarios/zero_load/call_alone.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "collectives/runtime/executor.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// Ends that are worth keeping, of communicators alike: some megabytes.
constexpr std::size_t kMaxKept = 16'384;

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

const collectives::TaskProgram* task_program_of(const collectives::JobPlan& job) {
  return dynamic_cast<const collectives::TaskProgram*>(job.program.get());
}

CallAlone::CallAlone(const collectives::Workload& workload, std::uint32_t job,
                     std::uint32_t communicator, ZeroLoadNetwork::DelayOf delay_of,
                     Picoseconds control_latency)
    : delay_of_(std::move(delay_of)), control_latency_(control_latency) {
  const collectives::JobPlan& plan = workload.jobs()[job];
  const collectives::TaskProgram& whole = *task_program_of(plan);
  stream_ = whole.lane_plan().number_of(collectives::StreamOf::communicator(communicator));
  numbers_ = whole.calls_of(communicator);
  std::vector<std::uint32_t> ranks = whole.task_set().communicators()[communicator].ranks;
  std::ranges::sort(ranks);
  std::vector<HostId> hosts;
  hosts.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) {
    hosts.push_back(workload.process_hosts()[plan.process(rank).value()]);
  }
  auto program = std::make_unique<collectives::EpochProgram>(
      whole, ranks, std::vector<std::uint32_t>{communicator});
  program_ = program.get();
  const Errors errors =
      workload_.add_job(plan.name, Picoseconds(0), hosts, std::move(program), true);
  WEFT_CHECK(errors.empty(), "a part of a job that could be built can be");
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    for (std::uint32_t lane = 0; lane < whole.lanes(); ++lane) {
      const auto [first, end] = workload_.sends_of(workload_.lane_index(ProcessId(rank), lane));
      const ProcessId process = plan.process(ranks[rank]);
      const auto [in_whole, end_in_whole] = workload.sends_of(workload.lane_index(process, lane));
      WEFT_CHECK(first == end || end - first == end_in_whole - in_whole,
                 "a lane's messages go to members of its communicator");
      for (std::uint32_t i = first; i < end; ++i) in_whole_.emplace_back(in_whole + i - first);
    }
  }
}

const CallAlone::Ends& CallAlone::ends_of(std::uint32_t call, const Times& begins) {
  std::pair key(call, begins);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  if (known_.size() >= kMaxKept) known_.clear();  // they hardly come again
  return known_.emplace(std::move(key), run(call, begins)).first->second;
}

CallAlone::Ends CallAlone::run(std::uint32_t call, const Times& begins) {
  for (std::uint32_t rank = 0; rank < begins.size(); ++rank) {
    program_->set_call(rank, stream_, numbers_[call]);
  }
  Call running(workload_, stream_, begins);
  ZeroLoadNetwork network(
      begins.size(), workload_.connections(),
      [this](ConnectionId connection, Bytes size) {
        return delay_of_(in_whole_[connection.value()], size);
      },
      control_latency_, workload_.groups());
  network.run(running);
  return running.ends();
}

}  // namespace weft::scenarios
