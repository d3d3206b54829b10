#include "collectives/jobs/job_order.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::JobDescription;
using collectives::LoneJob;

/// Jobs called a, b, c ... of two ranks each, which take `kLength` and wait for these.
std::vector<JobDescription> jobs_after(const std::vector<std::vector<std::uint32_t>>& after) {
  std::vector<JobDescription> jobs;
  for (const std::vector<std::uint32_t>& others : after) {
    JobDescription& job = jobs.emplace_back(testing::job(2, all_reduce(1_KB)));
    job.name = std::string(1, static_cast<char>('a' + jobs.size() - 1));
    job.after = others;
  }
  return jobs;
}

std::string error_of(const std::vector<JobDescription>& jobs) {
  const Errors errors = collectives::check_order(jobs);
  return errors.empty() ? "" : errors[0].where.key + " " + errors[0].message;
}

TEST(JobOrder, TakesAnyOrderWithoutCircles) {
  EXPECT_EQ(error_of(jobs_after({{}, {}, {}})), "");
  EXPECT_EQ(error_of(jobs_after({{1, 2}, {2}, {}, {0, 0}})), "");
}

TEST(JobOrder, NamesACircleFromItsFirstJob) {
  EXPECT_EQ(error_of(jobs_after({{0}})),
            "jobs[0].after makes the job wait for itself: `a` after `a`");
  // The first one waits for the circle and is no part of it.
  EXPECT_EQ(error_of(jobs_after({{3}, {}, {3, 1}, {1, 4}, {2}})),
            "jobs[2].after makes the job wait for itself: `c` after `d` after `e` after `c`");
}

TEST(JobOrder, RefusesJobsThatThereAreNot) {
  EXPECT_EQ(error_of(jobs_after({{}, {2}})), "jobs[1].after names job 2 of 2");
}

TEST(JobOrder, IsCheckedBeforeAWorkloadIsBuilt) {
  EXPECT_FALSE(collectives::build_workload(jobs_after({{1}, {0}}), {}).ok());
}

// A control event tells the first rank that a rank has ended, another one the ranks that they
// begin.
TEST(JobsAfterOthers, BeginTwoControlLatenciesAfterTheLastOfThemEnds) {
  std::vector<JobDescription> jobs = jobs_after({{}, {}, {0, 1}, {2}});
  jobs[1].start = 20_us;
  jobs[2].start = 5_us;
  const ZeroLoadRun run(build(jobs));
  const Picoseconds length = run.outcome(0).end;
  EXPECT_EQ(run.outcome(1).end, 20_us + length);
  EXPECT_EQ(run.outcome(2).start, run.outcome(1).end + 2 * kControl + 5_us);
  EXPECT_EQ(run.outcome(2).end, run.outcome(2).start + length);
  EXPECT_EQ(run.outcome(3).start, run.outcome(2).end + 2 * kControl);
  EXPECT_TRUE(run.executor().all_finished());
}

TEST(JobsAfterOthers, HaveNotBegunAndSayForWhomTheyWait) {
  std::vector<JobDescription> jobs = jobs_after({{}, {}, {0, 1}});
  const ZeroLoadRun run(build(jobs), true, 1_us);
  EXPECT_FALSE(run.outcome(2).has_begun);
  EXPECT_FALSE(run.outcome(2).is_finished);
  EXPECT_TRUE(run.outcome(0).has_begun);
  const auto sentences = run.executor().describe_blocked(
      [](HostId host) { return "h" + std::to_string(host.value()); });
  EXPECT_EQ(sentences.back(), "rank 1 of job c (h1) waits for the end of a, b");
}

// Times that a program states count from the begin of its job.
TEST(JobsAfterOthers, CountTheTimesOfTheirMessagesFromTheirBegin) {
  std::vector<JobDescription> jobs = jobs_after({{}});
  collectives::MessagesSpec list;
  list.list.push_back({.start = 3_us, .from = 0, .to = 1, .size = 1_KB});
  jobs.push_back(job(2, list));
  jobs[1].after = {0};
  const ZeroLoadRun run(build(jobs));
  EXPECT_EQ(run.outcome(1).end, run.outcome(1).start + 3_us + message_time(1_KB) + kBack);
}

TEST(LoneJob, RunsFromItsBeginWhateverItIsAfter) {
  const collectives::Workload workload = build(jobs_after({{}, {0}, {1}}));
  collectives::Executor executor(workload, collectives::Executor::Spans::kKept,
                                 LoneJob{.job = 1, .begin = 7_us});
  std::int64_t posted = 0;
  ZeroLoadNetwork network(
      workload.process_hosts().size(), workload.connections(),
      [&](ConnectionId, Bytes size) {
        ++posted;
        return ZeroLoadNetwork::Delay{message_time(size), message_time(size) + kBack};
      },
      kControl);
  network.run(executor);
  EXPECT_EQ(executor.outcome(1).start, 7_us);
  EXPECT_EQ(posted, executor.outcome(1).messages);
  EXPECT_GT(posted, 0);
  EXPECT_TRUE(executor.all_finished());
}

}  // namespace
}  // namespace weft::testing
