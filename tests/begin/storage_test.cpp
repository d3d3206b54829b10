// Storage beside the jobs: on leaves of its own, for as long as they take, and never more than its
// servers' links let through. By hand: 32 ranks write to one server with 8 NICs of 400 Gbps, which
// takes half of 3.2 Tbps where each rank sends 1/8 of its 400 Gbps.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/begin/first_scenario.hpp"
#include "tools/begin/first_sweep.hpp"
#include "tools/begin/storage.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"

namespace weft::begin {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using weft::testing::TemporaryFolder;

FirstScenario beside(const std::string& machine, const std::string& storage) {
  FirstScenario first;
  first.machine = machine;
  first.switch_part = "tomahawk-6";
  first.jobs = {"training"};
  first.storage = storage;
  return first;
}

void expect_valid(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "first.yaml");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string() << text;
  const auto experiment = scenarios::build_experiment(loaded.value());
  ASSERT_TRUE(experiment.ok()) << experiment.errors().front().to_string() << text;
  EXPECT_THAT(experiment.value().warnings, IsEmpty()) << text;
  const auto found = scenarios::check_statically(experiment.value());
  EXPECT_THAT(found.warnings, IsEmpty()) << text;
  EXPECT_THAT(found.errors, IsEmpty());
}

TEST(FirstStorage, IsValidBesideEveryKindOfMachineAndFabric) {
  for (const std::string machine : {"hgx-h100", "dgx-2", "host-400g", "gb200-nvl72"}) {
    for (const std::string& fabric : kFirstFabrics) {
      for (const std::string& storage : kFirstStorage) {
        for (const std::uint32_t servers : {1U, 3U}) {
          for (const double ratio : {1.0, 4.0}) {
            SCOPED_TRACE(
                fmt::format("{} {} by {} to {} at {}", machine, fabric, storage, servers, ratio));
            FirstScenario first = beside(machine, storage);
            first.fabric = fabric;
            first.storage_servers = servers;
            first.oversubscription = ratio;
            const auto text = first_scenario(first);
            ASSERT_TRUE(text.ok()) << text.errors().front().to_string();
            expect_valid(text.value());
          }
        }
      }
    }
  }
}

TEST(FirstStorage, TakesHalfOfWhatReachesItsServers) {
  const std::string text = first_scenario(beside("hgx-h100", "roce")).value();
  EXPECT_THAT(text, HasSubstr("{count: 4, servers: 1, server: hgx-h100}"));
  EXPECT_THAT(text, HasSubstr("server: {part: plain, nics: 8, nic: {rate: 400Gbps}}}  # storage"));
  EXPECT_THAT(text, HasSubstr("ranks: 0-39\n    clients: 32\n"));
  EXPECT_THAT(text, HasSubstr("load: 0.125 "));
}

/// How long a client writes on average, and how much at a time.
double seconds_of_writes(const Storage& storage) {
  return storage.rounds * static_cast<double>(storage.write.count()) * 8 /
         (storage.load * static_cast<double>(storage.rate.count()));
}

// It lasted 40 times as long as an incast, and a thirtieth of a step of a large model.
TEST(FirstStorage, LastsAQuarterLongerThanTheJobsWhateverTheyTake) {
  const Machine machine = find_machine("hgx-h100").value();
  const Leaves leaves = leaves_of(beside("hgx-h100", "roce"), machine).value();
  // 1 MiB at an eighth of 400 Gbps are 167.8 us.
  const Storage step = plan_storage(1, false, machine, 4, leaves, 10e-3);
  EXPECT_EQ(step.rounds, 75U);
  EXPECT_EQ(step.write, 1_MiB);
  EXPECT_FALSE(step.is_slowed);
  EXPECT_EQ(plan_storage(1, false, machine, 4, leaves, 0).rounds, 20U);
  for (const double seconds : {130e-6, 400e-6, 3e-3, 50e-3, 1.0, 60.0}) {
    const Storage storage = plan_storage(1, false, machine, 4, leaves, seconds);
    EXPECT_NEAR(seconds_of_writes(storage) / seconds, 1.25, 0.1) << seconds;
    EXPECT_GE(storage.rounds, 16U);
    EXPECT_LE(storage.rounds, 1000U);
    EXPECT_EQ(storage.is_slowed, seconds > 0.5) << seconds;
  }
  // 1000 writes of 1 MiB in 75 s are 8.389 Gbit: 0.00028 of 400 Gbps.
  const Storage slow = plan_storage(1, false, machine, 4, leaves, 60);
  EXPECT_NEAR(slow.load, 0.00028, 0.00001);
  EXPECT_THAT(storage_job_text(slow), HasSubstr("so that 1000 writes last as long as the jobs"));
  EXPECT_THAT(storage_job_text(step), HasSubstr("for half of what the servers take"));
}

// What has no closed form has a time on an empty network.
TEST(FirstStorage, KnowsHowLongMessagesTake) {
  FirstScenario first = beside("hgx-h100", "tcp");
  first.jobs = {"permutation"};
  EXPECT_THAT(first_scenario(first).value(), HasSubstr("request: 32KiB\n"));
  EXPECT_THAT(first_scenario(first).value(), Not(HasSubstr("rounds: 20\n")));
}

TEST(FirstStorage, OverTcpIsInALossyClassOfItsOwn) {
  const std::string text = first_scenario(beside("hgx-h100", "tcp")).value();
  EXPECT_THAT(text, HasSubstr("{name: storage, weight: 1, flow_control: none, ecn: none"));
  EXPECT_THAT(text, HasSubstr("type: training\n    class: rdma\n"));
  EXPECT_THAT(text, HasSubstr("class: storage\n    transport: {type: tcp"));
}

TEST(FirstStorage, IsPartOfEverySweep) {
  const TemporaryFolder folder("storage sweep");
  for (const std::string& storage : kFirstStorage) {
    const FirstScenario first = beside("hgx-h100", storage);
    folder.write("first.yaml", first_scenario(first).value());
    for (const std::string& what : kFirstSweeps) {
      SCOPED_TRACE(what + " beside " + storage);
      const auto sweep = first_sweep(first, what, "first.yaml");
      if (what == "size") {
        EXPECT_FALSE(sweep.ok());
        continue;
      }
      EXPECT_THAT(sweep.value(), HasSubstr("jobs.storage.fct_seconds.p99"));
      folder.write("first-sweep.yaml", sweep.value());
      const auto loaded = sweep::load_sweep(folder.path() / "first-sweep.yaml", {});
      ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
      const auto plan = sweep::make_plan(loaded.value());
      ASSERT_TRUE(plan.ok()) << plan.errors().front().to_string();
      EXPECT_GT(plan.value().size(), 1U);
    }
  }
}

TEST(FirstStorage, NeedsANic) {
  FirstScenario first = beside("ualink-pod", "roce");
  first.count = 1;
  EXPECT_THAT(first_scenario(first).errors().front().message,
              HasSubstr("--storage: `ualink-pod` has no NIC"));
}

}  // namespace
}  // namespace weft::begin
