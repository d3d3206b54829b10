#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/spec/rank_layout.hpp"
#include "collectives/steps/program.hpp"
#include "collectives/tasks/collective_call.hpp"
#include "collectives/tasks/lane_plan.hpp"
#include "collectives/tasks/tasks.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// Runs parts: an iteration of a rank is over when all its streams are. Memory is that of the
/// communicators and of one task per lane, whatever the number of tasks.
class TaskProgram final : public JobProgram,
                          public TaskStreams,
                          public ComputingTimes,
                          public TransferCosts,
                          public InNetworkUse {
 public:
  /// Chooses algorithms, protocols and execution of all calls. Error: a call's algorithm cannot run
  /// on the ranks of its communicator.
  [[nodiscard]] static Result<std::unique_ptr<const TaskProgram>> make(
      const ProgramSetting& setting, std::unique_ptr<const TaskSet> task_set,
      const RankLayout& layout);

  [[nodiscard]] const TaskSet& task_set() const { return *task_set_; }
  [[nodiscard]] const LanePlan& lane_plan() const { return plan_; }
  [[nodiscard]] const CollectiveCall& call(std::uint32_t number) const { return *calls_[number]; }
  /// Those that a communicator makes, in the order of their numbers.
  [[nodiscard]] std::span<const std::uint32_t> calls_of(std::uint32_t communicator) const {
    return calls_of_[communicator];
  }

  /// How often a rank makes each call of its communicators in an iteration.
  [[nodiscard]] CallCounts call_counts(std::uint32_t rank) const;
  /// Communicators of the same number lie alike in domains and on NICs, rank by rank.
  [[nodiscard]] std::uint32_t layout_number(std::uint32_t communicator) const {
    return layout_numbers_[communicator];
  }
  /// Something makes the rank's computing slower, or longer by chance.
  [[nodiscard]] bool has_noise(std::uint32_t rank) const {
    return !noise_.empty() && noise_[rank].is_any();
  }

  [[nodiscard]] std::uint32_t lanes() const override { return plan_.lanes(); }
  [[nodiscard]] bool needs_acknowledgements() const override;
  [[nodiscard]] std::uint32_t iterations() const override { return task_set_->iterations(); }
  [[nodiscard]] const TaskStreams& task_streams() const override { return *this; }
  [[nodiscard]] const ComputingTimes& computing() const override { return *this; }
  [[nodiscard]] const TransferCosts& transfers() const override { return *this; }
  [[nodiscard]] const InNetworkUse& in_network() const override { return *this; }
  [[nodiscard]] std::uint32_t streams() const override { return plan_.streams(); }
  [[nodiscard]] std::uint32_t lanes_of(std::uint32_t rank, std::uint32_t stream) const override;
  [[nodiscard]] std::uint32_t stream_of(std::uint32_t lane) const override {
    return plan_.stream_of_lane(lane);
  }
  [[nodiscard]] bool notes_posts(LanePlace place) const override;
  [[nodiscard]] Picoseconds computing_time(std::uint32_t rank,
                                           const Computing& computing) const override;
  [[nodiscard]] Picoseconds planned_time(const Computing& computing) const override;
  [[nodiscard]] std::uint32_t stage_of(std::uint32_t rank) const override {
    return task_set_->stage_of(rank);
  }
  [[nodiscard]] bool slows_computing(std::uint32_t rank, std::uint32_t stream) const override;
  [[nodiscard]] std::string stream_name(std::uint32_t rank, std::uint32_t stream) const override;
  [[nodiscard]] std::string task_name(std::uint32_t stream, std::uint32_t number) const override;
  [[nodiscard]] Bytes wire_size(LanePlace place, Bytes size) const override;
  [[nodiscard]] Picoseconds receive_latency(LanePlace place, std::uint32_t from) const override;
  [[nodiscard]] std::uint32_t window(LanePlace place) const override;
  [[nodiscard]] std::vector<ReductionGroup> groups() const override;
  [[nodiscard]] InNetworkWork in_network_work(LanePlace place) const override;
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> delegated_steps(LanePlace place) const override;
  /// What a lane of a communicator does of a call, with peers and lanes numbered as the job does.
  [[nodiscard]] StepStream call_steps(std::uint32_t number, LanePlan::Member member,
                                      std::uint32_t lane) const;
  void for_each_send(std::uint32_t rank,
                     const std::function<void(const SendCount&)>& visit) const override;
  /// What a rank sends in a call of one of its communicators, as if it made the call `times` times.
  void for_each_send_of_call(std::uint32_t number, std::uint32_t rank, std::int64_t times,
                             const std::function<void(const SendCount&)>& visit) const;

 private:
  class Source;
  /// What a lane of a rank is of.
  struct Use {
    const Communicator* communicator = nullptr;
    const CallClass* calls = nullptr;
    const CollectiveCall* example = nullptr;  ///< one of them; they cost alike
    std::uint32_t member = 0;                 ///< the rank's number in the communicator
    std::uint32_t lane = 0;                   ///< of the calls'
  };

  /// A call of a script, as all ranks that have it make it.
  struct ScriptCall {
    std::uint32_t stream = 0;
    std::uint32_t number = 0;  ///< among those of the stream's communicator
    std::int64_t count = 0;    ///< in an iteration
  };

  TaskProgram(std::unique_ptr<const TaskSet> task_set,
              std::vector<std::unique_ptr<const CollectiveCall>> calls,
              const ProgramSetting& setting, const RankLayout& layout);
  [[nodiscard]] CallCounts counted_calls(std::uint32_t rank) const;
  void count_shared_scripts();
  /// `calls` is null where the lane has nothing to send.
  [[nodiscard]] Use use_of(LanePlace place) const;
  /// `omits`: to be set where a task is over as soon as it has started; outlives the stream.
  [[nodiscard]] StepStream stream(LanePlace place, bool& omits) const;
  [[nodiscard]] StepStream idle_stream() const;
  [[nodiscard]] StepStream compute_stream(std::uint32_t rank) const;
  [[nodiscard]] StepStream communicator_stream(std::uint32_t rank, LanePlan::Member member,
                                               std::uint32_t lane, bool& omits) const;

  std::unique_ptr<const TaskSet> task_set_;
  std::vector<std::unique_ptr<const CollectiveCall>> calls_;
  std::vector<std::vector<std::uint32_t>> calls_of_;  ///< by communicator
  std::vector<std::uint32_t> layout_numbers_;         ///< by communicator
  LanePlan plan_;
  ProgramSetting setting_;
  std::vector<RankJitter> noise_;  ///< by rank; empty: none has any
  /// By script, of those that several ranks have: thousands ask for the same.
  std::map<std::uint32_t, std::vector<ScriptCall>> calls_of_script_;
};

/// Where the ranks of a communicator are, of those of a job.
[[nodiscard]] RankLayout layout_of(const Communicator& communicator, const RankLayout& layout);

}  // namespace weft::collectives
