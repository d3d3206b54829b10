#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/api/weft.hpp"
#include "tests/support/temporary_folder.hpp"

// Runs of the fluid engine are programs of their own: as many as one likes, also at once.

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwo = R"(name: fluid
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}
jobs:
  - {name: a, type: incast, senders: 3, receiver: 0, size: 4MiB}
  - {name: b, type: incast, senders: 3, receiver: 1, size: 4MiB}
)";

api::Result<api::Results> fluid_run(const api::RunOptions& more = {}) {
  api::RunOptions options = more;
  options.engine = api::Engine::kFluid;
  return api::Scenario::from_text(kTwo).value().run(options);
}

TEST(FluidApi, RunsManyTimesInOneProcess) {
  std::vector<std::string> digests(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& digest : digests) {
      threads.emplace_back([&digest] {
        const auto results = fluid_run();
        digest = results.ok() ? results.value().digest() : results.errors().front().message;
      });
    }
  }
  EXPECT_EQ(digests, std::vector<std::string>(4, fluid_run().value().digest()));
  EXPECT_EQ(digests[0].size(), 64U) << digests[0];
}

TEST(FluidApi, HasTheTablesOfFluids) {
  const api::Results r = fluid_run({.isolated = true}).value();
  EXPECT_EQ(r.engine(), "fluid");
  EXPECT_EQ(r.outcome(), "finished");
  EXPECT_EQ(r.table("jobs")->rows, 2U);
  EXPECT_EQ(r.table("messages")->rows, 6U);
  EXPECT_EQ(r.table("isolated")->rows, 2U);
  EXPECT_EQ(r.table("ports")->column("ecn_marks"), nullptr);  // it knows no packets
  // 3 x 4 MiB over 400 Gbps.
  EXPECT_GE(r.table("jobs")->column("jct_ps")->integers[0], 251'658'240);
}

TEST(FluidApi, WritesDuringTheRunAndAfter) {
  const TemporaryFolder folder("fluid api");
  const auto during = (folder.path() / "during").string();
  const api::Results r = fluid_run({.folder = during}).value();
  EXPECT_EQ(r.folder(), during);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "during" / "messages.csv"));
  EXPECT_TRUE(r.write((folder.path() / "after").string()).ok());
}

TEST(FluidApi, StopsAndRefuses) {
  const auto stopped = fluid_run({.progress = [](const api::Progress&) { return false; }});
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(stopped.value().outcome(), "interrupted");

  api::Scenario wrong = api::Scenario::from_text(kTwo).value();
  wrong.set("jobs[0].size", "much");
  const auto refused = wrong.run({.engine = api::Engine::kFluid});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().front().key, "jobs[0].size");
}

}  // namespace
}  // namespace weft::testing
