#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/trace_reader.hpp"

/// Runs with a timeline, and what must hold of every one.
namespace weft::testing {

struct TracedRun {
  scenarios::Results results;
  std::string bytes;
};

enum class TracedEngine : std::uint8_t { kPacket, kFluid };

inline TracedRun traced(const scenarios::Experiment& e, std::uint32_t threads = 1,
                        TracedEngine engine = TracedEngine::kPacket) {
  const TemporaryFolder folder("timeline");
  auto files = scenarios::RunFiles::create(e, folder.path() / "out", {});
  scenarios::RunFiles& to = *files.value();
  TracedRun run;
  if (engine == TracedEngine::kFluid) {
    run.results = scenarios::simulate_fluid(e, {}, {}, to.timeline());
  } else {
    protocols::Parallelism parallelism{.threads = threads};
    if (threads > 1) {
      parallelism.share_from = 0;
      parallelism.waits_for_all = true;
    }
    run.results = scenarios::simulate(e, {}, &to, parallelism);
  }
  EXPECT_FALSE(to.has_failed());
  std::ifstream in(to.folder().partial() / scenarios::Timeline::file_name(e.timeline->format),
                   std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  run.bytes = text.str();
  return run;
}

inline ReadTrace read_trace(const TracedRun& run, const scenarios::Experiment& e) {
  return e.timeline->format == scenarios::ObserveSpec::Timeline::Format::kJson
             ? read_json_trace(run.bytes)
             : PerfettoReader::read(run.bytes);
}

/// Every arrow begins once and ends once, later and somewhere.
inline void expect_whole_arrows(const ReadTrace& trace) {
  for (const auto& [id, arrow] : trace.arrows) {
    ASSERT_EQ(arrow.from.size(), 1U) << "arrow " << id;
    ASSERT_EQ(arrow.to.size(), 1U) << "arrow " << id;
    ASSERT_LE(arrow.from[0].time, arrow.to[0].time) << "arrow " << id;
    ASSERT_EQ(arrow.to[0].track.second, "arrivals");
  }
}

/// A job's critical path covers its iterations, one after the other, without gaps; and these end
/// when the last rank ends them.
inline void expect_whole_path(const ReadTrace& trace, const std::string& job,
                              bool has_iterations = true) {
  const auto& path = trace.slices.at({"job " + job, "critical path"});
  const auto& iterations = trace.slices.at({"job " + job, "iterations"});
  ASSERT_FALSE(path.empty());
  ASSERT_FALSE(iterations.empty());
  EXPECT_EQ(path.front().begin, iterations.front().begin);
  EXPECT_EQ(path.back().end, iterations.back().end);
  for (std::size_t i = 1; i < path.size(); ++i) {
    ASSERT_EQ(path[i].begin, path[i - 1].end) << "a gap in the critical path";
  }
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const std::int64_t before = i == 0 ? iterations[0].begin : iterations[i - 1].end;
    EXPECT_EQ(iterations[i].begin, before);
    const auto at_end = [&](const ReadTrace::Slice& s) { return s.end == iterations[i].end; };
    EXPECT_TRUE(std::ranges::any_of(path, at_end)) << "a piece ends with iteration " << i;
    if (!has_iterations) continue;
    std::int64_t last = -1;
    for (const auto& [track, slices] : trace.slices) {
      if (!track.first.starts_with(job + " rank ") || track.second != "iterations") continue;
      for (const ReadTrace::Slice& s : slices) {
        if (s.name == iterations[i].name) last = std::max(last, s.end);
      }
    }
    EXPECT_EQ(last, iterations[i].end) << iterations[i].name;
  }
}

}  // namespace weft::testing
