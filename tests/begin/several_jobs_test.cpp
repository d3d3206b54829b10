// Jobs of a first scenario that share its ranks meet on its fabric, wherever that is possible.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tools/begin/first_scenario.hpp"

namespace weft::begin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string text_of(const std::string& machine, std::uint32_t count,
                    const std::vector<std::string>& jobs) {
  FirstScenario first;
  first.machine = machine;
  first.count = count;
  first.jobs = jobs;
  const auto text = first_scenario(first);
  EXPECT_TRUE(text.ok()) << text.errors().front().to_string();
  return text.ok() ? text.value() : std::string();
}

TEST(SeveralJobs, ThatWouldEachLieBelowOneLeafHaveAPartOfEvery) {
  EXPECT_THAT(text_of("hgx-h100", 4, {"all-reduce", "all-to-all"}),
              AllOf(HasSubstr("ranks: [0-7, 16-23]"), HasSubstr("ranks: [8-15, 24-31]")));
  EXPECT_THAT(text_of("host-400g", 8, {"all-reduce", "incast"}),
              AllOf(HasSubstr("ranks: [0-1, 4-5]"), HasSubstr("senders: 3")));
  // A machine is divided where there is one below a leaf; but not if one trains.
  EXPECT_THAT(text_of("hgx-h100", 2, {"incast", "permutation"}), HasSubstr("ranks: [0-3, 8-11]"));
  EXPECT_THAT(text_of("hgx-h100", 2, {"training", "all-reduce"}), HasSubstr("ranks: 0-7\n"));
}

TEST(SeveralJobs, OfMoreThanALeafLieTogether) {
  EXPECT_THAT(text_of("host-400g", 5, {"incast", "permutation"}),
              AllOf(HasSubstr("ranks: 0-1\n"), HasSubstr("ranks: 2-4\n")));
  EXPECT_THAT(text_of("host-400g", 192, {"all-reduce", "all-to-all"}), HasSubstr("ranks: 0-95\n"));
}

// Every rank has one job, and no job lies below one leaf.
TEST(SeveralJobs, ShareTheRanksAndMeetOnLeaves) {
  for (const std::uint32_t count : {4U, 6U, 8U, 16U, 64U}) {
    for (const std::string machine : {"hgx-h100", "host-400g"}) {
      const std::string text = text_of(machine, count, {"all-reduce", "permutation"});
      const auto loaded = scenarios::load_scenario_text(text, "t.yaml");
      ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
      const auto experiment = scenarios::build_experiment(loaded.value());
      ASSERT_TRUE(experiment.ok());
      const Fabric& fabric = experiment.value().fabric;
      std::set<HostId> taken;
      for (const auto& job : loaded.value().scenario.jobs) {
        std::set<NodeId> leaves;
        for (const HostId rank : job.ranks) {
          EXPECT_TRUE(taken.insert(rank).second);
          for (const Port& port : fabric.ports_of(fabric.hosts[rank.value()])) {
            const NodeId leaf = fabric.port(port.peer).node;
            if (fabric.node(leaf).network != NetworkKind::kScaleUp) leaves.insert(leaf);
          }
        }
        const std::size_t rails = machine == "hgx-h100" ? 8 : 1;
        EXPECT_GT(leaves.size(), rails) << text;
      }
      EXPECT_EQ(taken.size(), fabric.hosts.size());
    }
  }
}

}  // namespace
}  // namespace weft::begin
