#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/memo/lane_rounds.hpp"
#include "collectives/memo/shortened_steps.hpp"
#include "collectives/runtime/executor.hpp"
#include "collectives/runtime/workload.hpp"
#include "collectives/steps/step_watch.hpp"

namespace weft::collectives {

/// What was skipped of a job, and why not more.
struct PeriodReport {
  std::int64_t rounds = 0;  ///< whole rounds of calls, of those iterations that were carried out
  std::int64_t rounds_skipped = 0;
  std::int64_t iterations = 0;  ///< of the job
  std::int64_t iterations_skipped = 0;
  Picoseconds time;              ///< that all of it stands for
  Picoseconds iteration_period;  ///< that iterations which are skipped follow each other by
  /// Of the periods that it goes by: (longest - shortest) / shortest. Where both rounds and
  /// iterations are skipped, of both together.
  double spread = 0;
  /// Of three successive periods that differ by more than the tolerance, the least.
  std::optional<double> closest;
  /// All lanes were at work where rounds were skipped, and no further apart than periods that were
  /// compared: what follows is bounded by them.
  bool are_lanes_close = true;
};

/// Skips in a lone job what repeats itself. Once the last three rounds of a call have taken
/// all lanes of all ranks as long, within a tolerance, the lanes skip rounds that none has
/// begun, all of them the same number, and end the call later by as many periods. Once the last
/// three iterations have taken all ranks as long, the job ends with those that are running, and
/// later.
///
/// Rounds are of collectives only. Decisions are taken between callbacks, at times that the model
/// decides on.
class PeriodWatch final : public StepWatch {
 public:
  /// All arguments must outlive it. The workload has one job, which has iterations.
  PeriodWatch(const Workload& workload, Executor& executor, double tolerance);

  std::unique_ptr<StepSource> follow(ProcessId process, std::uint32_t lane,
                                     std::unique_ptr<StepSource> program) override;
  void on_round(ProcessId process, std::uint32_t lane, const Step& step, Picoseconds now) override;
  void on_iteration_end(ProcessId process, Picoseconds now) override;

  /// When to poll next.
  [[nodiscard]] Picoseconds next_check(Picoseconds now) const;
  /// All that happens until `now` has happened.
  void poll(Picoseconds now);
  /// The job is finished: its ranks have sent what they left out, too.
  void finish();
  [[nodiscard]] PeriodReport report() const { return report_; }

 private:
  /// A lane of a rank.
  struct Watched {
    std::int64_t iteration = -1;      ///< that the begins of rounds are of
    std::vector<Picoseconds> begins;  ///< of rounds, then the end of the last whole one
    LaneCut cut;
  };
  /// The increments of periods over all that is watched.
  struct Increments {
    Picoseconds min = Picoseconds::max();
    Picoseconds max;
    Picoseconds sum;
    std::int64_t count = 0;

    void add(Picoseconds increment);
    [[nodiscard]] Picoseconds mean() const { return sum / count; }
  };
  /// A given number of rounds, and how long they take.
  struct Period {
    std::int64_t rounds = 1;
    Picoseconds time;
  };
  /// How far the lanes of a call have come.
  struct Front {
    std::vector<std::int64_t> next;  ///< by lane: the round that no rank has begun; -1: it is over
    std::int64_t known = std::numeric_limits<std::int64_t>::max();  ///< begins that all lanes know
    std::int64_t max = 0;                                           ///< that one does
    bool are_all_at_work = true;
  };

  [[nodiscard]] std::size_t index_of(std::uint32_t rank, std::uint32_t lane) const {
    return std::size_t{rank} * job_.lanes + lane;
  }
  [[nodiscard]] bool takes_part(std::uint32_t rank, std::uint32_t lane) const {
    return rounds_[index_of(rank, lane)].steps > 0;
  }
  /// Iterations that all ranks have ended, and that some rank has.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> ended() const;
  void check_rounds(std::int64_t iteration);
  /// Nothing, where no more rounds can be skipped of this call at this time.
  [[nodiscard]] std::optional<Front> front_of(std::int64_t iteration) const;
  /// False: the lane is at a point where it can leave nothing out.
  [[nodiscard]] bool add_lane(std::uint32_t lane, std::int64_t iteration, Front& front) const;
  [[nodiscard]] bool reaches_all_ranks(const Front& front) const;
  /// Of the last periods, of `rounds` rounds each.
  [[nodiscard]] Increments increments_of(const Front& front, std::int64_t rounds) const;
  void skip_periods(const Front& front, std::int64_t iteration, std::int64_t periods,
                    const Period& period);
  void check_iterations(std::int64_t all, std::int64_t some);
  /// Whether they are; notes how much they differ, of those that are alike in `of_alike`.
  [[nodiscard]] bool are_alike(const Increments& increments, double& of_alike);

  const Workload& workload_;
  Executor& executor_;
  const JobPlan& job_;
  const double tolerance_;
  std::vector<LaneRounds> rounds_;              ///< by rank and lane; empty: calls have none
  std::int64_t whole_rounds_ = 0;               ///< of a call
  std::vector<Watched> lanes_;                  ///< by rank and lane
  std::vector<SkippedTraffic> skipped_;         ///< by rank
  std::vector<std::vector<Picoseconds>> ends_;  ///< of iterations, by rank
  JobCut job_cut_;
  std::int64_t iteration_ = 0;   ///< that the slowest rank was in at the last look
  std::int64_t shortened_ = -1;  ///< the last iteration whose call was
  Picoseconds origin_;           ///< of the running call, for how often to look
  double spread_of_rounds_ = 0;
  double spread_of_iterations_ = 0;
  PeriodReport report_;
};

}  // namespace weft::collectives
