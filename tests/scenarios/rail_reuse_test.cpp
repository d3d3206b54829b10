// Rails that begin alike and then part: by hand, in an order in which a run may come to it.

#include "scenarios/memo/rail_reuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "scenarios/memo/run_reuse.hpp"
#include "scenarios/run/network_options.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using collectives::CallOracle;
using collectives::Communicator;
using weft::testing::experiment_of_text;

/// Four servers with eight rails: places 0 and 1 of a rail are of the first stage, 2 and 3 of the
/// second one. 0 and 1 exchange gradients, 2 and 3, too; 0 sends to 2, 1 to 3, and back.
const std::string kStages =
    "name: stages\n"
    "racks: {count: 4, servers: 1, server: hgx-h100}\n"
    "fabric: {topology: rail-optimised, group: 4, spines: 2, switch: quantum-2}\n"
    "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
    "jobs:\n"
    "  - name: train\n"
    "    type: training\n"
    "    model: {layers: 2, hidden: 1024, heads: 8, vocabulary: 1024, sequence: 512}\n"
    "    parallelism: {tensor: 8, pipeline: 2, data: 2, schedule: 1f1b}\n"
    "    batch: {micro: 1, global: 4}\n";

/// Begins and ends calls on rails, by number of the rail and place on it.
class Rails {
 public:
  Rails()
      : e_(experiment_of_text(kStages)),
        reusable_(find_reusable(e_)),
        reuse_(e_, network_options(e_), reusable_.rails) {}

  [[nodiscard]] std::size_t count() const { return reusable_.rails.all.size(); }
  [[nodiscard]] const RailReuse& reuse() const { return reuse_; }

  /// All members of the communicator of a kind between two places begin its first call.
  void begin(std::uint32_t rail, Communicator::Kind kind, std::array<std::uint32_t, 2> places,
             Picoseconds now) {
    const collectives::GpuSet& gpu_set = reusable_.rails.all[rail];
    const collectives::TaskProgram& program = program_of(e_, gpu_set);
    const std::vector<std::uint32_t> ranks = {gpu_set.ranks[places[0]], gpu_set.ranks[places[1]]};
    const auto c = std::ranges::find_if(gpu_set.communicators, [&](std::uint32_t number) {
      const Communicator& communicator = program.task_set().communicators()[number];
      return communicator.kind == kind && communicator.ranks == ranks;
    });
    ASSERT_NE(c, gpu_set.communicators.end());
    const std::uint32_t stream =
        program.lane_plan().number_of(collectives::StreamOf::communicator(*c));
    for (const std::uint32_t rank : ranks) {
      const ProcessId process = e_.workload.jobs()[gpu_set.job].process(rank);
      note(reuse_.begin(process, stream, program.calls_of(*c).front(), now));
    }
  }

  /// Continues to a time, and ends what ends until then.
  void run_to(Picoseconds& now, Picoseconds until) {
    while (true) {
      note(reuse_.poll_ends(now, until));
      const auto next = std::ranges::min_element(ends_, {}, &CallOracle::End::time);
      if (next == ends_.end() || next->time > until) break;
      now = *next->time;
      const CallOracle::End end = *next;
      ends_.erase(next);
      all_.push_back(end);
      reuse_.end(end.process, end.stream);
    }
    now = std::max(now, until);
  }
  void close() { reuse_.close({}); }

  /// When calls ended, by process.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, Picoseconds>> ends() const {
    std::vector<std::pair<std::uint32_t, Picoseconds>> all;
    for (const CallOracle::End& end : all_) all.emplace_back(end.process.value(), *end.time);
    std::ranges::sort(all);
    return all;
  }
  [[nodiscard]] Picoseconds last_end() const {
    return *std::ranges::max_element(all_, {}, &CallOracle::End::time)->time;
  }

 private:
  void note(std::span<const CallOracle::End> told) {
    for (const CallOracle::End& end : told) {
      std::erase_if(ends_, [&](const CallOracle::End& known) {
        return known.process == end.process && known.stream == end.stream;
      });
      if (end.time) ends_.push_back(end);
    }
  }

  Experiment e_;
  Reusable reusable_;
  RailReuse reuse_;
  std::vector<CallOracle::End> ends_;  ///< told, and still to come
  std::vector<CallOracle::End> all_;
};

constexpr std::array<std::uint32_t, 2> kFirstStage = {0, 1};
constexpr Picoseconds kApart = 20_us;  // while gradients are on their way

/// Two rails exchange gradients, and send to the next stage meanwhile: `order` of the rails then.
void exchange_and_send(Rails& rails, std::array<std::uint32_t, 2> order) {
  Picoseconds now;
  for (const std::uint32_t rail : {0U, 1U}) {
    rails.begin(rail, Communicator::Kind::kData, kFirstStage, now);
  }
  rails.run_to(now, kApart);
  for (const std::uint32_t rail : order) {
    rails.begin(rail, Communicator::Kind::kPipeline, {0, 2}, now);
    rails.run_to(now, now);
  }
  rails.run_to(now, 1_s);
  rails.close();
}

TEST(RailReuse, WhateverRailComesFirstIsSimulatedByWhatHasBeenThere) {
  Rails as_before;
  ASSERT_EQ(as_before.count(), 8U);
  exchange_and_send(as_before, {0, 1});
  Rails otherwise;
  exchange_and_send(otherwise, {1, 0});
  ASSERT_EQ(as_before.ends().size(), 8U);
  EXPECT_GT(as_before.last_end(), 2 * kApart);
  EXPECT_EQ(otherwise.ends(), as_before.ends());
  EXPECT_EQ(as_before.reuse().simulated(), 1U);
  EXPECT_EQ(otherwise.reuse().simulated(), 1U);
  EXPECT_GT(as_before.reuse().simulated_hops(), 1'000U);
  EXPECT_EQ(otherwise.reuse().simulated_hops(), as_before.reuse().simulated_hops());
}

}  // namespace
}  // namespace weft::scenarios
