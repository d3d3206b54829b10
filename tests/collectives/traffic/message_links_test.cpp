#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "collectives/jobs/messages/message_list.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::MessagesSpec;

MessagesSpec list_of(std::vector<MessagesSpec::Message> list) {
  MessagesSpec spec;
  spec.list = std::move(list);
  return spec;
}

std::vector<std::string> link_errors(const MessagesSpec& spec, std::uint32_t ranks) {
  collectives::Problems problems;
  collectives::MessageList::check(spec, ranks, problems);
  std::vector<std::string> texts;
  for (const auto& problem : problems) texts.push_back(problem.key + " " + problem.message);
  return texts;
}

// From rank to rank each message is posted when the last one has come: their times add up, and at
// the end there is one acknowledgement.
TEST(MessageLinks, AChainTakesTheSumOfItsMessages) {
  const auto spec = list_of({{2_us, 0, 1, 1_KB},
                             {0_ps, 1, 2, 2_KB, {0}},
                             {0_ps, 2, 3, 3_KB, {1}},
                             {5_us, 3, 0, 4_KB, {2}}});
  const ZeroLoadRun run(build({job(4, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  EXPECT_EQ(run.outcome().end, 2_us + message_time(1_KB) + message_time(2_KB) + message_time(3_KB) +
                                   5_us + message_time(4_KB) + kBack);
  EXPECT_EQ(run.outcome().messages, 4);
}

// The last one waits for both that come to its sender, of which the second is later.
TEST(MessageLinks, WaitForAllThatTheyNameAndForNothingElse) {
  const auto spec = list_of(
      {{0_ps, 0, 2, 1_KB}, {50_us, 1, 2, 1_KB}, {0_ps, 2, 3, 1_KB}, {0_ps, 2, 3, 2_KB, {0, 1}}});
  const ZeroLoadRun run(build({job(4, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  EXPECT_EQ(run.outcome().end, 50_us + message_time(1_KB) + message_time(2_KB) + kBack);
}

// Of its own a sender waits for the acknowledgement.
TEST(MessageLinks, AreAfterTheAcknowledgementsOfOnesOwn) {
  const auto spec = list_of({{0_ps, 0, 1, 1_KB}, {0_ps, 0, 2, 1_KB, {0}}});
  const ZeroLoadRun run(build({job(3, spec)}));
  EXPECT_EQ(run.outcome().end, 2 * (message_time(1_KB) + kBack));
  const ZeroLoadRun datagrams(build({job(3, spec)}, 1, false), false);
  ASSERT_TRUE(datagrams.executor().finished(0));
  EXPECT_EQ(datagrams.outcome().end, message_time(1_KB)) << "posted is all that is known";
}

TEST(MessageLinks, AreRefusedWhereTheSenderCouldNotKnow) {
  EXPECT_EQ(
      link_errors(list_of({{0_ps, 0, 1, 1_KB}, {0_ps, 2, 3, 1_KB, {0}}}), 4),
      std::vector<std::string>{"list[1].after names message 0 from rank 0 to 1, of which rank "
                               "2 does not know"});
  EXPECT_EQ(link_errors(list_of({{0_ps, 0, 1, 1_KB, {1}}, {0_ps, 1, 0, 1_KB, {0}}}), 2),
            std::vector<std::string>{
                "list[0].after names message 1; it has to be one before in the list"});
  std::vector<MessagesSpec::Message> many{{0_ps, 0, 1, 1_B}};
  while (many.size() < 4096) many.push_back({0_ps, 0, 1, 1_B, {0}});
  EXPECT_EQ(link_errors(list_of(many), 2).size(), 1U);
  many.pop_back();
  EXPECT_TRUE(link_errors(list_of(many), 2).empty());
}

}  // namespace
}  // namespace weft::testing
