// A late rank, in every operation by every algorithm, against the schedule's own dependency graph.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_program.hpp"
#include "collectives/traffic/expert_routing.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::JobDescription;
using collectives::Operation;
using collectives::RankLayout;
using collectives::Schedule;
using collectives::Step;

constexpr std::uint32_t kRanks = 12;
constexpr std::int64_t kNever = -(std::int64_t{1} << 60);

/// When a schedule ends, as a longest path: every lane of a rank begins at the rank's time, a
/// message takes `message_time`, and everything else nothing. Knows no executor and no network.
class LongestPath {
 public:
  explicit LongestPath(const Schedule& schedule) : schedule_(schedule) {}

  std::int64_t end(const std::vector<std::int64_t>& begins) {
    struct Lane {
      std::uint32_t rank;
      std::uint32_t number;
      collectives::StepStream stream;
      Step step;
      std::int64_t now;
      bool has_step;
    };
    std::vector<Lane> lanes;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      for (std::uint32_t l = 0; l < schedule_.lanes(); ++l) {
        lanes.push_back({r, l, schedule_.steps(r, l), {}, begins[r], false});
      }
    }
    for (bool moves = true; moves;) {
      moves = false;
      for (Lane& lane : lanes) {
        while (lane.has_step || lane.stream.next(lane.step)) {
          lane.has_step = !take(lane.rank, lane.number, lane.step, lane.now);
          if (lane.has_step) break;
          moves = true;
        }
      }
    }
    std::int64_t end = kNever;
    for (const Lane& lane : lanes) {
      EXPECT_FALSE(lane.has_step) << "rank " << lane.rank << " waits forever";
      end = std::max(end, lane.now);
    }
    return end;
  }

 private:
  /// What came from whom, in order; how much of it is taken.
  struct Arrivals {
    std::vector<std::int64_t> times;
    std::size_t taken = 0;
  };
  using Key = std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>;

  [[nodiscard]] const collectives::RankGroup& group_of(std::uint32_t rank) const {
    for (const collectives::RankGroup& group : groups_) {
      if (std::ranges::find(group, rank) != group.end()) return group;
    }
    ADD_FAILURE() << "switches work for rank " << rank << ", which is in no group";
    return groups_.front();
  }

  static bool wait(Arrivals& arrivals, std::int64_t& now) {
    if (arrivals.taken == arrivals.times.size()) return false;
    now = std::max(now, arrivals.times[arrivals.taken++]);
    return true;
  }

  bool take(std::uint32_t rank, std::uint32_t lane, const Step& step, std::int64_t& now) {
    const std::int64_t there = now + message_time(step.bytes()).count();
    switch (step.kind) {
      case Step::Kind::kSend:
        arrivals_[{0, rank, step.peer, lane}].times.push_back(there);
        return true;
      case Step::Kind::kReceive:
        return wait(arrivals_[{0, step.peer, rank, lane}], now);
      case Step::Kind::kNotify:
        arrivals_[{1, rank, 0, step.peer}].times.push_back(now);
        return true;
      case Step::Kind::kAwait:
        return wait(arrivals_[{1, rank, 0, lane}], now);
      case Step::Kind::kCopy:
        return true;  // costs nothing here
      case Step::Kind::kContribute:
        arrivals_[{2, rank, step.peer, lane}].times.push_back(there);
        return true;
      case Step::Kind::kReceiveReduced: {
        std::int64_t latest = now;
        const std::size_t i = sums_[{2, rank, 0, lane}];
        for (const std::uint32_t from : group_of(rank)) {
          const auto& times = arrivals_[{2, from, rank, lane}].times;
          if (times.size() <= i) return false;
          latest = std::max(latest, times[i]);
        }
        ++sums_[{2, rank, 0, lane}];
        now = latest;
        return true;
      }
      case Step::Kind::kMulticast:
        for (const std::uint32_t to : group_of(rank)) {
          arrivals_[{3, rank, to, lane}].times.push_back(there);
        }
        return true;
      case Step::Kind::kReceiveMulticast:
        return wait(arrivals_[{3, step.peer, rank, lane}], now);
      default:
        ADD_FAILURE() << "no step of a schedule";
        return true;
    }
  }

  const Schedule& schedule_;
  std::vector<collectives::RankGroup> groups_ = schedule_.groups();
  std::map<Key, Arrivals> arrivals_;
  std::map<Key, std::size_t> sums_;
};

JobDescription description(Operation operation, Algorithm algorithm) {
  // Parts of one size: shorter messages would overtake on the ideal network.
  CollectiveSpec spec = collective(operation, algorithm, 60_KiB);
  if (operation == Operation::kAllToAllV) {
    for (std::uint32_t i = 0; i < kRanks * kRanks; ++i) {
      if (i % 5 != 0) spec.blocks.push_back({i / kRanks, i % kRanks, 5_KiB});
    }
    spec.matrix = collectives::matrix_of(spec.blocks, kRanks);
  }
  JobDescription job = testing::job(kRanks, spec);
  const bool uses_scale_up_switches =
      algorithm == Algorithm::kNvls || algorithm == Algorithm::kNvlsTree;
  if (algorithm == Algorithm::kHierarchical || uses_scale_up_switches) {
    const std::uint32_t size = algorithm == Algorithm::kNvls ? kRanks : 4;
    for (std::uint32_t r = 0; r < kRanks; ++r) job.layout.domain.push_back(r / size);
    job.layout.has_in_network_reduction = uses_scale_up_switches;
  }
  return job;
}

Picoseconds end_of(JobDescription job, std::uint32_t late_rank, Picoseconds late) {
  std::get<CollectiveSpec>(job.kind).stragglers.push_back(
      {{std::to_string(late_rank)}, late, 1, 1});
  const collectives::Workload workload = build({job});
  collectives::Executor executor(workload);
  ZeroLoadNetwork network(
      kRanks, workload.connections(),
      [](ConnectionId, Bytes size) {
        return ZeroLoadNetwork::Delay{message_time(size), message_time(size) + kBack};
      },
      kControl, workload.groups());
  network.run(executor);
  EXPECT_TRUE(executor.finished(0));
  return executor.outcome(0).end;
}

// T is the longest path of the graph, L(r) the longest of those that begin at rank r: the job
// ends at max(T, d + L(r)), d - (T - L(r)) later if that is positive. Both sides are computed
// apart, one from the steps, one by the executor. To the picosecond.
TEST(Straggler, DelaysEveryCollectiveByWhatItsSlackDoesNotCover) {
  int with_slack = 0;
  int without = 0;
  for (std::size_t i = 0; i < collectives::kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    for (const Algorithm algorithm : collectives::algorithms_for(operation)) {
      SCOPED_TRACE(std::string(name_of(operation)) + " by " + name_of(algorithm));
      const JobDescription job = description(operation, algorithm);
      const auto schedule =
          make_schedule(plan_of(std::get<CollectiveSpec>(job.kind), kRanks, job.layout), algorithm);
      const std::int64_t whole = LongestPath(*schedule).end(std::vector<std::int64_t>(kRanks, 0));
      EXPECT_EQ(end_of(job, 0, 0_ps).count(), whole);
      for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
        std::vector<std::int64_t> begins(kRanks, kNever);
        begins[rank] = 0;
        const Picoseconds slack(whole - LongestPath(*schedule).end(begins));
        ASSERT_GE(slack, 0_ps);
        (slack > 0_ps ? with_slack : without) += 1;
        for (const Picoseconds d : {1_ns, slack / 2, slack, slack + 1_ns, slack + 50_us}) {
          EXPECT_EQ(end_of(job, rank, d).count(),
                    whole + std::max<std::int64_t>(0, d.count() - slack.count()))
              << "rank " << rank << ", late by " << d.count() << " ps";
        }
      }
    }
  }
  EXPECT_GT(with_slack, 50) << "or nothing was shown";
  EXPECT_GT(without, 50);
}

}  // namespace
}  // namespace weft::testing
