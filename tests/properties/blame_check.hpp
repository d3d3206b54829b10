#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::testing {

/// By job and iteration: what blame says that it took.
using BlamedTimes = std::map<std::pair<std::uint32_t, std::uint32_t>, Picoseconds>;

inline BlamedTimes blamed_times(const scenarios::Results& results) {
  BlamedTimes times;
  for (const scenarios::BlameResult& b : results.blame) times[{b.job, b.iteration}] += b.time;
  return times;
}

/// From the end of the iteration before (or the begin of the job) to the end of each iteration; of
/// jobs without iterations all of their time.
inline BlamedTimes measured_times(const scenarios::Results& results) {
  BlamedTimes times;
  std::map<std::uint32_t, Picoseconds> last;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) {
      const Picoseconds begin =
          last.contains(row.job) ? last[row.job] : results.jobs[row.job].start;
      if (row.end > begin) times[{row.job, row.iteration}] = row.end - begin;
      last[row.job] = row.end;
    }
  };
  add(results.collectives);
  add(results.iterations);
  for (std::uint32_t j = 0; j < results.jobs.size(); ++j) {
    const scenarios::JobResult& job = results.jobs[j];
    if (last.contains(j) || !job.is_finished || job.jct == Picoseconds(0)) continue;
    times[{j, 0}] = job.jct;
  }
  return times;
}

/// What tables of iterations state as that time; nothing of what took none.
inline BlamedTimes stated_times(const scenarios::Results& results) {
  BlamedTimes times;
  const auto add = [&times](const auto& rows) {
    for (const auto& row : rows) {
      if (row.since_previous > Picoseconds(0)) {
        times[{row.job, row.iteration}] = row.since_previous;
      }
    }
  };
  add(results.collectives);
  add(results.iterations);
  return times;
}

/// Those of jobs that have iterations.
inline BlamedTimes blamed_iterations(const scenarios::Results& results) {
  BlamedTimes times = blamed_times(results);
  const auto is_of = [&](const auto& rows, std::uint32_t job) {
    return std::ranges::any_of(rows, [job](const auto& row) { return row.job == job; });
  };
  std::erase_if(times, [&](const auto& entry) {
    const std::uint32_t job = entry.first.first;
    return !is_of(results.collectives, job) && !is_of(results.iterations, job);
  });
  return times;
}

/// What holds of blame in every run, on these numbers of threads besides one: the parts of an
/// iteration add up to it, to the picosecond; all of a message's time is found in what its packets
/// did; results are those of a run that does not ask, and the same on any number of threads.
inline void check_blame(scenarios::Experiment& e, const std::string& text,
                        std::initializer_list<std::uint32_t> threads) {
  e.scenario.observe.blame = false;
  const std::string digest = scenarios::simulate(e).digest();
  e.scenario.observe.blame = true;
  const scenarios::Results results = scenarios::simulate(e);
  EXPECT_EQ(results.digest(), digest) << text;
  EXPECT_TRUE(results.has_blame) << text;
  EXPECT_EQ(blamed_times(results), measured_times(results)) << text;
  EXPECT_EQ(blamed_iterations(results), stated_times(results)) << text;
  for (const scenarios::BlameResult& b : results.blame) {
    EXPECT_GT(b.time, Picoseconds(0)) << text;
    const bool is_unknown = b.cause == "launch and protocol" && b.culprit_kind == "queue pair";
    EXPECT_FALSE(is_unknown) << b.culprit << " " << to_seconds(b.time) << "\n" << text;
  }
  const auto key = [](const scenarios::BlameResult& b) {
    return std::tuple(b.job, b.iteration, b.cause, b.culprit, b.port, b.time);
  };
  for (const std::uint32_t count : threads) {
    const scenarios::Results again = scenarios::simulate(
        e, {}, nullptr, {.threads = count, .share_from = 0, .waits_for_all = true});
    ASSERT_EQ(again.blame.size(), results.blame.size()) << text;
    for (std::size_t i = 0; i < again.blame.size(); ++i) {
      EXPECT_EQ(key(again.blame[i]), key(results.blame[i])) << text;
    }
  }
}

}  // namespace weft::testing
