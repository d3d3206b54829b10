// The shipped training step of GPT-3 on 512 GPUs as a trace.

#include <gtest/gtest.h>

#include "tests/support/engines.hpp"
#include "tests/support/traced_run.hpp"

namespace weft::testing {
namespace {

TEST(TimelineOfGpt3, IsWhole) {
  const scenarios::Experiment e =
      experiment_of("gpt3-175b.yaml", {"observe.timeline=perfetto", "observe.blame=true"});
  const TracedRun run = traced(e, 2);
  const ReadTrace trace = read_trace(run, e);
  expect_whole_arrows(trace);
  expect_whole_path(trace, "gpt");
  EXPECT_EQ(static_cast<std::int64_t>(trace.arrows.size()), run.results.messages.completed());
}

}  // namespace
}  // namespace weft::testing
