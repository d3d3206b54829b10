#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

/// Runs with blame on two leaves, and what blame has of them.
namespace weft::scenarios {

using weft::testing::experiment_of_text;

inline Results blamed(const std::string& text) {
  Experiment e = experiment_of_text(text);
  e.scenario.observe.blame = true;
  Results r = simulate(e);
  EXPECT_TRUE(is_success(r.outcome)) << text;
  return r;
}

/// What a cause took of a job, of one culprit or of all.
inline Picoseconds time_of(const Results& r, const std::string& job, const std::string& cause,
                           const std::string& culprit = {}) {
  Picoseconds sum;
  for (const BlameResult& b : r.blame) {
    const bool is_it = r.jobs[b.job].name == job && b.cause == cause;
    if (is_it && (culprit.empty() || b.culprit == culprit)) sum += b.time;
  }
  return sum;
}

inline const JobResult& job_of(const Results& r, const std::string& name) {
  return *std::ranges::find(r.jobs, name, &JobResult::name);
}

inline const std::string kSwitch = ", switch: spectrum-4";
/// Without pauses, and with room for all.
inline const std::string kDeep = ", switch: {part: spectrum-4, buffer: 400MB}, flow_control: none";

/// Two leaves of four servers, one spine.
inline std::string two_leaves(const std::string& rest, const std::string& fabric = kSwitch) {
  return "name: t\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "links: {access: {length: 3m}, uplink: {length: 30m}}\n"
         "fabric: {topology: leaf-spine, spines: 1" +
         fabric + "}\n" + rest;
}

inline const std::string kPlain = "transport: {type: roce, congestion_control: none}\n";
inline constexpr Picoseconds kBlamePacket = transmission_time(4178_B, 400_Gbps);

}  // namespace weft::scenarios
