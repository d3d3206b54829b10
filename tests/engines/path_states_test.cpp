// States of paths as results: path_states.csv and path_changes.csv, of links of 100 Gbps and 500
// ns.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "protocols/config/parallelism.hpp"
#include "scenarios/results/tables/paths/path_changes_table.hpp"
#include "scenarios/results/tables/paths/path_states_table.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using scenarios::PathChangeResult;
using scenarios::PathStateResult;
using scenarios::Results;

/// One server per rack and eight spines; 64 values, eight by each, whose time-out is 32.8 us.
std::string one_write(const std::string& rest, const std::string& paths = "",
                      const std::string& fabric = "") {
  return "name: paths\n"
         "racks: {count: 2, servers: 1, server: {nics: 1, nic: {rate: 100Gbps}}}\n"
         "links: {access: {rate: 100Gbps, latency: 500ns}, uplink: {rate: 100Gbps, latency: "
         "500ns}}\n"
         "fabric: {topology: leaf-spine, spines: 8, switch: ideal, flow_control: none, ecn: none, "
         "load_balancing: source-routes, convergence: never" +
         fabric +
         "}\n"
         "transport: {type: mrc, source_routes: true, psn_window: 8192, congestion_control: none, "
         "recovery: {timeout_exponent: 5}, path_selection: {values: 64, reserve: 0, min_active: 1, "
         "probe_interval: 20us" +
         paths +
         "}}\n"
         "jobs: [{name: m, type: messages, list: [{from: 0, to: 1, size: 32MB}]}]\n" +
         rest;
}
std::string down(const std::string& times) {
  return "faults: [{type: link-down, from: leaf0, to: spine3, " + times + "}]\n";
}

Results run_paths(const std::string& text) { return scenarios::simulate(experiment_of_text(text)); }

/// Both tables as they are written.
std::string tables_of(const Results& r) {
  std::string text;
  for (const PathStateResult& one : r.path_states) {
    scenarios::PathStatesTable::declaration().append(text, one);
  }
  for (const PathChangeResult& one : r.path_changes) {
    scenarios::PathChangesTable::declaration().append(text, one);
  }
  return text;
}

std::uint64_t values_of(const PathStateResult& one) {
  const auto& s = one.states;
  return s.good + s.passed_over + s.assumed_bad + s.reserve + s.denied;
}

// The eight values of a dead path fail within a time-out of the outage, and what had an ACK on it;
// all of them are back within a probe of the repair.
TEST(PathStateResults, AnOutageIsFailuresAndThenRecoveries) {
  const Results r = run_paths(one_write(down("at: 200us, until: 400us")));
  ASSERT_EQ(r.path_states.size(), 1U) << "the receiver sends by no path of its own";
  const PathStateResult& h0 = r.path_states[0];
  EXPECT_EQ(h0.host, "h0");
  EXPECT_EQ(h0.plane, 0U);
  EXPECT_EQ(h0.queue_pairs, 1U);
  EXPECT_GE(h0.changes.failures, 8U);
  EXPECT_EQ(h0.changes.recoveries, h0.changes.failures);
  EXPECT_EQ(h0.changes.recoveries, r.totals.path_probes_answered);
  EXPECT_EQ(h0.states.assumed_bad, 0U);
  EXPECT_EQ(values_of(h0), 64U);
  EXPECT_GT(*h0.first_failure, 200_us);
  EXPECT_LT(*h0.first_failure, 200_us + 2 * 33_us);
  EXPECT_LT(*h0.last_failure, 400_us + 2 * 33_us);
}

TEST(PathStateResults, IntervalsAddUpToTheTable) {
  const Results r = run_paths(one_write(down("at: 200us, until: 400us")));
  ASSERT_FALSE(r.path_changes.empty());
  protocols::path_selection::PathChangeCounts sum;
  std::uint64_t bad = 0;
  std::uint64_t max_bad = 0;
  const Picoseconds width = r.path_changes[0].end - r.path_changes[0].begin;
  for (const PathChangeResult& one : r.path_changes) {
    sum += one.changes;
    bad = bad + one.changes.failures - one.changes.recoveries;
    EXPECT_EQ(one.assumed_bad, bad);
    max_bad = std::max(max_bad, bad);
    EXPECT_EQ(one.end - one.begin, width);
    EXPECT_EQ(one.begin.count() % width.count(), 0);
  }
  EXPECT_EQ(sum, r.path_states[0].changes);
  EXPECT_GE(max_bad, 8U);
  EXPECT_LE(r.path_changes.size(), protocols::path_selection::PathHistory::kIntervals);
  // They end with the repair and a probe: 512 intervals of a microsecond are 64 of 8.
  EXPECT_EQ(width, 8_us);
}

TEST(PathStateResults, WhatIsDeadStaysBadAndWhatIsDeniedStaysDenied) {
  const Results r = run_paths(one_write(down("at: 200us"), ", denied: [0, 1, 2]"));
  const PathStateResult& h0 = r.path_states.at(0);
  EXPECT_EQ(h0.states.denied, 3U);
  EXPECT_EQ(h0.changes.recoveries, r.totals.path_probes_answered);
  EXPECT_EQ(h0.states.assumed_bad, h0.changes.failures - h0.changes.recoveries);
  EXPECT_GE(h0.states.assumed_bad, 7U);
  EXPECT_EQ(values_of(h0), 64U);
  EXPECT_EQ(r.path_changes.back().assumed_bad, h0.states.assumed_bad);
}

// A spine at a thirtieth of its rate trims: its values are skipped, and none fails.
TEST(PathStateResults, TrimsAreSkips) {
  std::string text = one_write("", "", ", egress_limit: 50KB, trimming: on");
  text.insert(text.find("uplink: {"), "changes: [{from: leaf0, to: spine3, rate: 3Gbps}], ");
  const Results r = run_paths(text);
  const PathStateResult& h0 = r.path_states.at(0);
  EXPECT_GT(h0.changes.passes, 20U);
  EXPECT_LE(h0.changes.passes, static_cast<std::uint64_t>(r.totals.packets_trimmed));
}

std::string in_planes(const std::string& rest) {
  return "name: planes\n"
         "racks: {count: 2, servers: 2, server: {nics: 1, nic: {rate: 100Gbps, ports: 4}}}\n"
         "links: {access: {latency: 500ns}, uplink: {latency: 500ns}}\n"
         "fabric: {topology: leaf-spine, planes: 4, spines: 2, switch: ideal, flow_control: none, "
         "ecn: none, convergence: never, load_balancing: source-routes}\n"
         "transport: {type: mrc, source_routes: true, plane_choice: packet, plane_notice: none, "
         "ack: {every_packet: true}, recovery: {timeout_exponent: 5}, psn_window: 8192, "
         "congestion_control: none, path_selection: {probe_interval: 10us}}\n"
         "jobs: [{name: m, type: messages, list: [{from: 0, to: 2, size: 32MB}, {from: 3, to: 1, "
         "size: 32MB}]}]\n" +
         rest;
}
const std::string kPlaneFault =
    "faults: [{type: link-down, from: h2, to: p1-leaf1, at: 100us, until: 300us}]\n";

TEST(PathStateResults, HostsHaveARowPerPlane) {
  const Results r = run_paths(in_planes(kPlaneFault));
  ASSERT_EQ(r.path_states.size(), 2U * 4U) << "of h0 and h3";
  std::uint64_t failures = 0;
  for (const PathStateResult& one : r.path_states) {
    EXPECT_EQ(values_of(one), 64 * one.queue_pairs) << "256 values, shared by four planes";
    if (one.plane != 1) {
      EXPECT_EQ(one.changes.failures, 0U) << one.host << one.plane;
    }
    failures += one.changes.failures;
  }
  EXPECT_GT(failures, 0U);
  const std::vector<PathStateResult> planes = scenarios::sums_by_plane(r.path_states);
  ASSERT_EQ(planes.size(), 4U);
  for (std::uint32_t plane = 0; plane < 4; ++plane) {
    EXPECT_EQ(planes[plane].plane, plane);
    EXPECT_EQ(planes[plane].hosts, 2U);
    EXPECT_EQ(planes[plane].changes.failures, plane == 1 ? failures : 0U);
    EXPECT_EQ(planes[plane].first_failure.has_value(), plane == 1);
  }
  for (const PathChangeResult& one : r.path_changes) {
    if (one.plane != 1) {
      EXPECT_EQ(one.changes.failures, 0U);
    }
  }
}

// Both receivers lose a port in plane 1 for good, and the first one in plane 2, early and for a
// while.
TEST(PathStateResults, APlaneIsAllItsHosts) {
  const Results r = run_paths(
      in_planes("faults: [{type: link-down, from: h2, to: p1-leaf1, at: 100us},\n"
                "         {type: link-down, from: h1, to: p1-leaf0, at: 150us},\n"
                "         {type: link-down, from: h2, to: p2-leaf1, at: 20us, until: 30us}]\n"));
  const auto of = [&](const std::string& host, std::uint32_t plane) {
    return *std::ranges::find_if(r.path_states, [&](const PathStateResult& one) {
      return one.host == host && one.plane == plane;
    });
  };
  const PathStateResult h0 = of("h0", 1);
  const PathStateResult h3 = of("h3", 1);
  ASSERT_GT(h0.changes.failures, 0U);
  ASSERT_GT(h3.changes.failures, 0U);
  ASSERT_LT(*h0.first_failure, *h3.first_failure);
  const PathStateResult both = scenarios::sums_by_plane(r.path_states).at(1);
  EXPECT_EQ(both.changes.failures, h0.changes.failures + h3.changes.failures);
  EXPECT_EQ(both.states.good, h0.states.good + h3.states.good);
  EXPECT_EQ(both.states.assumed_bad, h0.states.assumed_bad + h3.states.assumed_bad);
  EXPECT_GT(h0.states.assumed_bad, 0U);
  EXPECT_EQ(both.first_failure, h0.first_failure);
  EXPECT_EQ(both.last_failure, std::max(h0.last_failure, h3.last_failure));
  protocols::path_selection::PathChangeCounts sum;
  const Picoseconds width = r.path_changes.at(0).end - r.path_changes[0].begin;
  std::uint64_t bad = 0;
  for (const PathChangeResult& one : r.path_changes) {
    EXPECT_EQ(one.end - one.begin, width) << "of all planes";
    EXPECT_FALSE(one.changes == protocols::path_selection::PathChangeCounts());
    if (one.plane != 1) continue;
    sum += one.changes;
    bad = one.assumed_bad;
  }
  EXPECT_EQ(sum, both.changes);
  EXPECT_EQ(bad, both.states.assumed_bad);
  EXPECT_GT(of("h0", 2).changes.recoveries, 0U);
}

TEST(PathStateResults, ThreadsDoNotMatter) {
  const std::string text = in_planes(kPlaneFault);
  const std::string serial = tables_of(run_paths(text));
  for (const std::uint32_t threads : {2U, 3U}) {
    const protocols::Parallelism parallelism{.threads = threads, .share_from = 1};
    EXPECT_EQ(tables_of(scenarios::simulate(experiment_of_text(text), {}, nullptr, parallelism)),
              serial);
  }
}

// Changes count from the end of the warm-up on; states are what they are.
TEST(PathStateResults, WarmUpIsNotCounted) {
  const Results r = run_paths(one_write(down("at: 200us") + "run: {warmup: 1ms}\n"));
  EXPECT_EQ(r.path_states.at(0).changes.failures, 0U);
  EXPECT_FALSE(r.path_states[0].first_failure);
  EXPECT_GE(r.path_states[0].states.assumed_bad, 8U);
  EXPECT_TRUE(r.path_changes.empty());
}

TEST(PathStateResults, RunsWithoutSuchSendersHaveNone) {
  std::string text = one_write(down("at: 200us, until: 400us"));
  text.replace(text.find("source_routes: true, "), 21, "");
  text.replace(text.find("source-routes"), 13, "ecmp");
  const std::size_t first = text.find("path_selection: {");
  text.replace(first, text.find("}}\n", first) + 1 - first, "path_selection: oblivious");
  const Results r = run_paths(text);
  EXPECT_GT(r.totals.packets_retransmitted, 0U);
  EXPECT_TRUE(r.path_states.empty());
  EXPECT_TRUE(r.path_changes.empty());
}

}  // namespace
}  // namespace weft::testing
