// MRC in scenarios: planes and paths that senders manage themselves, what they lose when one dies,
// and what is refused. Links of 100 Gbps and 500 ns; a packet of 4,178 B takes 334.24 ns.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

/// Without a window: what paths carry is all that counts.
constexpr const char* kOpenWindow = "psn_window: 8192, congestion_control: none";

/// Two racks whose leaves are joined by that many spines, which go by the routes in packets.
std::string text_of_routes(std::uint32_t servers, std::uint32_t spines,
                           const std::string& transport, const std::string& jobs,
                           const char* balancing = "source-routes") {
  return fmt::format(
      "name: routes\n"
      "racks: {{count: 2, servers: {}, server: {{nics: 1, nic: {{rate: 100Gbps}}}}}}\n"
      "links: {{access: {{rate: 100Gbps, latency: 500ns}}, uplink: {{rate: 100Gbps, latency: "
      "500ns}}}}\n"
      "fabric: {{topology: leaf-spine, spines: {}, switch: ideal, flow_control: none, ecn: none,\n"
      "         load_balancing: {}, convergence: never}}\n"
      "transport: {}\njobs: {}\n",
      servers, spines, balancing, transport, jobs);
}
std::string mrc_routed(const std::string& keys) {
  return "{type: mrc, source_routes: true, " + keys + "}";
}
std::string one_mrc_write(std::uint32_t from, std::uint32_t to, const char* size) {
  return fmt::format("[{{name: m, type: messages, list: [{{from: {}, to: {}, size: {}}}]}}]", from,
                     to, size);
}
std::string cable_down(const std::string& from, const std::string& to, const char* times) {
  return fmt::format("faults: [{{type: link-down, from: {}, to: {}, {}}}]\n", from, to, times);
}

scenarios::Results run_mrc(const std::string& text) {
  return scenarios::simulate(experiment_of_text(text));
}
double jct_of_mrc(const scenarios::Results& r) { return to_seconds(r.jobs[0].jct); }

/// Two racks of two servers, whose NICs have a port of `rate` in each of `planes` planes.
std::string text_of_mrc_planes(std::uint32_t planes, std::uint32_t rate,
                               const std::string& transport, const std::string& jobs) {
  return fmt::format(
      "name: planes\n"
      "racks: {{count: 2, servers: 2, server: {{nics: 1, nic: {{rate: {1}Gbps, ports: {0}}}}}}}\n"
      "links: {{access: {{rate: {1}Gbps, latency: 500ns}}, uplink: {{rate: {1}Gbps, latency: "
      "500ns}}}}\n"
      "fabric: {{topology: leaf-spine, planes: {0}, spines: 2, switch: ideal, flow_control: none,\n"
      "         ecn: none, convergence: never, load_balancing: source-routes}}\n"
      "transport: {2}\njobs: {3}\n",
      planes, rate, transport, jobs);
}
std::string mrc_on_planes(const std::string& keys = "") {
  return mrc_routed(std::string(kOpenWindow) + ", plane_choice: packet" + keys);
}

/// Packets that `from` has sent to each of its peers.
std::map<std::string, std::int64_t> packets_of_node(const scenarios::Experiment& e,
                                                    const scenarios::Results& r,
                                                    const std::string& from, ClassId c = {}) {
  std::map<std::string, std::int64_t> packets;
  for (std::uint32_t i = 0; i < e.fabric.ports.size(); ++i) {
    const PortId port(i);
    if (e.fabric.node(e.fabric.port(port).node).name != from) continue;
    packets[e.fabric.node(e.fabric.peer_node(port)).name] += r.class_counters(port, c).packets;
  }
  return packets;
}

// MODEL.md 19.6
TEST(Mrc, AValueNamesTheUplinkAtEachTier) {
  const scenarios::Experiment e = experiment_of_text(text_of_routes(
      1, 8, mrc_routed(std::string(kOpenWindow) + ", path_selection: {values: 64, reserve: 0}"),
      one_mrc_write(0, 1, "2621440B")));
  const scenarios::Results r = scenarios::simulate(e);
  std::map<std::string, std::int64_t> packets = packets_of_node(e, r, "leaf0");
  packets.erase("h0");
  EXPECT_EQ(packets.size(), 8U);
  for (const auto& [peer, count] : packets) {
    EXPECT_EQ(count, 80) << peer << ": 640 packets are ten rotations";
  }
}

// An edge switch takes the first digit of a route, an aggregation switch the next: all four cores
// carry the same.
// MODEL.md 19.6
TEST(Mrc, SourceRoutesNameAnUplinkOfEveryTier) {
  const auto text = [](const std::string& jobs) {
    return "name: tiers\n"
           "fabric: {topology: fat-tree, k: 4, switch: ideal, flow_control: none, ecn: none,\n"
           "         load_balancing: source-routes}\n"
           "links: {access: {rate: 100Gbps, latency: 500ns}, uplink: {rate: 100Gbps, latency: "
           "500ns}}\n"
           "transport: {type: mrc, source_routes: true, path_selection: {values: 64, reserve: 0}}\n"
           "jobs: " +
           jobs + "\n";
  };
  const scenarios::Results all = run_mrc(text("[{name: p, type: permutation, size: 1MB}]"));
  EXPECT_EQ(all.outcome, scenarios::Outcome::kFinished);
  EXPECT_EQ(all.totals.packets_retransmitted, 0U);
  const scenarios::Experiment e = experiment_of_text(text(one_mrc_write(0, 15, "2621440B")));
  const scenarios::Results r = scenarios::simulate(e);
  std::map<std::string, std::int64_t> by_core;
  for (std::uint32_t i = 0; i < e.fabric.ports.size(); ++i) {
    const std::string& name = e.fabric.node(e.fabric.port(PortId(i)).node).name;
    if (!name.starts_with("core")) continue;
    by_core[name] += r.class_counters(PortId(i), ClassId()).packets;
  }
  EXPECT_EQ(by_core.size(), 4U);
  for (const auto& [core, count] : by_core) EXPECT_EQ(count, 160) << core;
}

// MODEL.md 19.6
TEST(Mrc, AnAnswerTakesTheRouteOfItsValue) {
  const scenarios::Experiment e = experiment_of_text(text_of_routes(
      1, 8,
      mrc_routed(std::string(kOpenWindow) +
                 ", ack: {every_packet: true}, path_selection: {values: 64, reserve: 0}"),
      one_mrc_write(0, 1, "2621440B")));
  const scenarios::Results r = scenarios::simulate(e);
  std::map<std::string, std::int64_t> answers = packets_of_node(e, r, "leaf1", ClassId(1));
  answers.erase("h1");
  EXPECT_EQ(answers.size(), 8U);
  for (const auto& [peer, count] : answers) EXPECT_EQ(count, 80) << peer;
}

// Routes of switches and ports of hosts that change after a failure change nothing for packets that
// name their routes.
// MODEL.md 19.6
TEST(Mrc, WhatSwitchesLearnOfAFailureMovesNoSourceRoute) {
  const auto digest = [](const char* convergence) {
    std::string text = text_of_routes(4, 4, mrc_routed("queue_pairs: 2"),
                                      "[{name: p, type: permutation, size: 4MB}]");
    text.replace(text.find("convergence: never"), 18, convergence);
    return run_mrc(text + cable_down("leaf0", "spine1", "at: 20us, until: 300us")).digest();
  };
  EXPECT_EQ(digest("convergence: 10us"), digest("convergence: never"));
  const auto of_planes = [](const char* convergence) {
    std::string text = text_of_mrc_planes(4, 200, mrc_on_planes(", plane_notice: none"),
                                          one_mrc_write(0, 2, "16MB"));
    text.replace(text.find("convergence: never"), 18, convergence);
    return run_mrc(text + cable_down("h2", "p1-leaf1", "at: 20us")).digest();
  };
  EXPECT_EQ(of_planes("convergence: 10us"), of_planes("convergence: never"));
}

// An uplink at a quarter of its rate trims, and nothing is marked: trims tell of it, and its values
// are skipped.
// MODEL.md 19.2
TEST(Mrc, TrimsPassAPathOver) {
  const auto trims = [](const std::string& paths) {
    std::string text = text_of_routes(
        1, 8,
        "{type: mrc, psn_window: 8192, congestion_control: none, path_selection: " + paths + "}",
        one_mrc_write(0, 1, "16MB"), "ecmp");
    text.replace(text.find("ecn: none"), 9, "ecn: none, egress_limit: 50KB, trimming: on");
    text.insert(text.find("uplink: {"), "changes: [{from: leaf0, to: spine3, rate: 3Gbps}], ");
    return static_cast<double>(run_mrc(text).totals.packets_trimmed);
  };
  EXPECT_GT(trims("oblivious"), 100);
  EXPECT_LT(trims("ev-states"), 0.9 * trims("oblivious"));
}

// A path dies silently. Its 8 of 64 values are used once per rotation of 64 x 334.24 ns; a loss is
// known by the ACK time-out of 262.144 us, after 12.3 rotations.
TEST(Mrc, M3_DeadPathsLoseWhatLeavesUntilTheFirstTimeOut) {
  const std::string text =
      text_of_routes(1, 8,
                     mrc_routed(std::string(kOpenWindow) +
                                ", path_selection: {values: 64, reserve: 0, min_active: 1}"),
                     one_mrc_write(0, 1, "32MB"));
  const scenarios::Results whole = run_mrc(text);
  EXPECT_EQ(whole.totals.path_probes, 0U);
  const scenarios::Results r = run_mrc(text + cable_down("leaf0", "spine3", "at: 300us"));
  EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
  const double rotation = 64 * 334.24e-9;
  const auto lost =
      static_cast<double>(r.totals.fault_drops) - static_cast<double>(r.totals.path_probes);
  const double rotations = std::ceil(262.144e-6 / rotation);
  EXPECT_NEAR(lost / 8, rotations, 1) << "of each dead value";
  EXPECT_GT(r.totals.path_probes, 8U * 10);
  EXPECT_EQ(r.totals.path_probes_answered, 0U);
}

// f = 1/8 of the paths is dead from the beginning, and nothing converges. After the first time-out
// no data go there, and the seven others carry the line rate.
TEST(Mrc, X2_WhoLearnsLosesNothingAfterTheFirstTimeOut) {
  const std::string text =
      text_of_routes(1, 8, mrc_routed(std::string(kOpenWindow)), one_mrc_write(0, 1, "64MB"));
  const double whole = jct_of_mrc(run_mrc(text));
  const scenarios::Experiment e =
      experiment_of_text(text + cable_down("leaf0", "spine3", "at: 0us"));
  const scenarios::Results r = scenarios::simulate(e);
  EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
  // An eighth of what left within the first time-out goes again.
  const double again = 262.144e-6 / 8;
  EXPECT_NEAR((jct_of_mrc(r) - again) / whole, 1, 0.02);
  EXPECT_LT(static_cast<double>(r.totals.packets_retransmitted), 1.5 * again / 334.24e-9 + 32);
}

// RoCE's flows over the dead uplink never end and are named; MRC ends.
TEST(Mrc, X3_FlowsOnADeadLinkEndWherePathsAreLearnt) {
  const std::string jobs = "[{name: p, type: permutation, size: 1MB}]";
  const std::string dead = cable_down("leaf0", "spine1", "at: 0us") + "run: {until: 1s}\n";
  const scenarios::Results mrc =
      run_mrc(text_of_routes(8, 4, mrc_routed("queue_pairs: 1"), jobs) + dead);
  EXPECT_EQ(mrc.outcome, scenarios::Outcome::kFinished);
  const std::string roce =
      "{type: roce, congestion_control: none, retransmit_timeout: 200us, retry_limit: 7}";
  const scenarios::Results stuck = run_mrc(text_of_routes(8, 4, roce, jobs, "ecmp") + dead);
  EXPECT_NE(stuck.outcome, scenarios::Outcome::kFinished);
  EXPECT_FALSE(stuck.jobs[0].is_finished);
}

// An uplink is down for 200 us: its values are good again with their first probe after that.
// MODEL.md 19.4
TEST(Mrc, M6_ValuesComeBackWithTheFirstProbeThatDoes) {
  const std::string text =
      text_of_routes(1, 8,
                     mrc_routed(std::string(kOpenWindow) +
                                ", recovery: {timeout_exponent: 5}, path_selection: {values: 64, "
                                "reserve: 0, min_active: 1, probe_interval: 20us}"),
                     one_mrc_write(0, 1, "32MB"));
  const auto packets = [&](const char* times) {
    const scenarios::Experiment e = experiment_of_text(text + cable_down("leaf0", "spine3", times));
    const scenarios::Results r = scenarios::simulate(e);
    EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
    return std::pair(packets_of_node(e, r, "leaf0").at("spine3"), r.totals);
  };
  const auto [forever, lost] = packets("at: 200us");
  const auto [repaired, totals] = packets("at: 200us, until: 400us");
  EXPECT_EQ(lost.path_probes_answered, 0U);
  // One for each dead value, and for those whose ACKs were on the cable when it failed.
  EXPECT_GE(totals.path_probes_answered, 8U);
  EXPECT_LE(totals.path_probes_answered, 20U);
  // 2.6 ms in all: from 420 us on an eighth of the packets goes there again.
  EXPECT_NEAR(static_cast<double>(repaired - forever), (2'560e-6 - 420e-6) / 334.24e-9 / 8, 60);
}

// MODEL.md 19.1
TEST(Mrc, M5_PacketsOfAQueuePairAreEqualInAllPlanes) {
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    const scenarios::Experiment e =
        experiment_of_text(text_of_mrc_planes(n, 100, mrc_on_planes(), one_mrc_write(0, 2, "3MB")));
    const scenarios::Results r = scenarios::simulate(e);
    std::vector<std::int64_t> packets;
    for (const auto& [peer, count] : packets_of_node(e, r, "h0")) packets.push_back(count);
    ASSERT_EQ(packets.size(), n);
    EXPECT_LE(std::ranges::max(packets) - std::ranges::min(packets), 1);
    EXPECT_GT(packets[0], 80);
  }
}

// Until the loss all planes carry the message, then all but one. Who hears of it by the port status
// repeats what was under way at once; who does not, by time-outs of the values of that plane: first
// of those in use, then of its reserve. Meanwhile the others carry what they can all the same. Each
// packet has an ACK: sparse ones do not tell of all that repeats overtake (15.4).
TEST(Mrc, M4_OneOfPPlanesLostLeavesTheOthers) {
  for (const std::uint32_t n : {4U, 8U}) {
    const double left = (n - 1.0) / n;
    for (const char* notice : {"port-status", "none"}) {
      const std::string keys = fmt::format(
          ", ack: {{every_packet: true}}, recovery: {{timeout_exponent: 5}}, "
          "plane_notice: {}",
          notice);
      const std::string text =
          text_of_mrc_planes(n, 800 / n, mrc_on_planes(keys), one_mrc_write(0, 2, "64MB"));
      const double whole = jct_of_mrc(run_mrc(text));
      const scenarios::Results r = run_mrc(text + cable_down("h2", "p1-leaf1", "at: 200us"));
      EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
      EXPECT_EQ(r.totals.timeouts == 0, notice == std::string("port-status"));
      EXPECT_NEAR((whole - 200e-6) / (jct_of_mrc(r) - 200e-6), left, 0.01 * left) << n << notice;
    }
  }
}

// MODEL.md 19.3
TEST(Mrc, APlaneWithoutAGoodValueIsPassedOver) {
  const scenarios::Experiment e = experiment_of_text(
      text_of_mrc_planes(4, 200,
                         mrc_on_planes(", plane_notice: none, recovery: {timeout_exponent: 5}"),
                         one_mrc_write(0, 2, "64MB")) +
      cable_down("h2", "p1-leaf1", "at: 100us"));
  const scenarios::Results r = scenarios::simulate(e);
  std::map<std::string, std::int64_t> packets = packets_of_node(e, r, "h0");
  const std::int64_t dead = packets.at("p1-leaf0");
  packets.erase("p1-leaf0");
  for (const auto& [peer, count] : packets) EXPECT_GT(count, 2 * dead) << peer;
  EXPECT_LE(std::ranges::max_element(packets, {}, [](auto& p) { return p.second; })->second -
                std::ranges::min_element(packets, {}, [](auto& p) { return p.second; })->second,
            3);
}

// A plane that is back carries data again once a probe of one of its values has come back, though
// nobody tells of it.
// MODEL.md 19.4
TEST(Mrc, APlaneThatIsBackIsFoundByProbes) {
  const std::string text = text_of_mrc_planes(
      4, 200,
      mrc_on_planes(
          ", plane_notice: none, ack: {every_packet: true}, recovery: {timeout_exponent: 5}, "
          "path_selection: {probe_interval: 20us}"),
      one_mrc_write(0, 2, "64MB"));
  const auto packets = [&](const char* times) {
    const scenarios::Experiment e = experiment_of_text(text + cable_down("h2", "p1-leaf1", times));
    return packets_of_node(e, scenarios::simulate(e), "h0").at("p1-leaf0");
  };
  EXPECT_GT(packets("at: 100us, until: 300us"), packets("at: 100us") + 1'000);
}

// Two servers add up in turns, and rest between. Values that lost packets in the first turn are
// probed in the next one, when the link is back, and not while nothing is outstanding.
// MODEL.md 19.4
TEST(Mrc, WhatIsDueIsProbedWhenAQueuePairSendsAgain) {
  const std::string text = text_of_routes(
      1, 8,
      mrc_routed("recovery: {timeout_exponent: 4}, path_selection: {values: 64, reserve: 0, "
                 "min_active: 8, probe_interval: 1ms}"),
      "[{name: a, type: all-reduce, algorithm: ring, size: 1MB, iterations: 3, compute: 3ms}]");
  const scenarios::Results r = run_mrc(text + cable_down("leaf0", "spine3", "at: 3ms, until: 5ms"));
  EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
  EXPECT_GE(r.totals.path_probes, 8U);
  EXPECT_EQ(r.totals.path_probes_answered, r.totals.path_probes);
}

/// What the servers of the second leaf are sent within 4 ms at full load by those of the first, by
/// that many uplinks: packets of 4,218 B.
double goodput_at_full_load(std::uint32_t uplinks, const std::string& keys,
                            const std::string& fabric, const std::string& faults) {
  std::string list;
  for (std::uint32_t i = 0; i < uplinks; ++i) {
    list += fmt::format("{{from: {}, to: {}, size: 90MB}}, ", i, uplinks + i);
  }
  std::string text = text_of_routes(uplinks, uplinks, mrc_routed(keys),
                                    "[{name: m, type: messages, list: [" + list + "]}]");
  text.replace(text.find("ecn: none"), 9, fabric);
  const scenarios::Experiment e =
      experiment_of_text(text + "run: {warmup: 2ms, until: 6ms}\n" + faults);
  const scenarios::Results r = scenarios::simulate(e);
  std::int64_t sum = 0;
  for (const auto& [peer, count] : packets_of_node(e, r, "leaf1")) {
    sum += peer[0] == 'h' ? count : 0;
  }
  return static_cast<double>(sum) * 337.44e-9 / (4e-3 * uplinks);
}

// One of U uplinks of a leaf dies. Its servers send at full load, and lose 1/U of their goodput.
TEST(Mrc, M7_ADeadUplinkCostsItsLeafItsShare) {
  // Without a reserve, from which other uplinks would get values unevenly.
  const char* window =
      "psn_window: 128, congestion_control: none, ack: {every_packet: true}, path_selection: "
      "{values: 256, reserve: 0, min_active: 1}";
  for (const std::uint32_t uplinks : {8U, 16U, 32U}) {
    EXPECT_NEAR(goodput_at_full_load(uplinks, window, "ecn: none", ""), 1, 0.002);
    const std::string dead = cable_down("leaf0", "spine3", "at: 0us");
    EXPECT_NEAR(goodput_at_full_load(uplinks, window, "ecn: none", dead), 1 - 1.0 / uplinks, 0.002)
        << uplinks;
  }
}

// NSCC leaves 2 to 3 % of such a load where no link is dead, and where one is half a percent to
// 1.3 % of what is left.
TEST(Mrc, NsccLeavesLittleOfWhatADeadUplinkLeaves) {
  const char* keys = "psn_window: 8192, ack: {every_packet: true}";
  const char* fabric =
      "ecn: {kmin: 100KB, kmax: 400KB, pmax: 1}, egress_limit: 600KB, trimming: on";
  for (const std::uint32_t uplinks : {8U, 16U}) {
    EXPECT_GT(goodput_at_full_load(uplinks, keys, fabric, ""), 0.96);
    const std::string dead = cable_down("leaf0", "spine3", "at: 0us");
    EXPECT_NEAR(goodput_at_full_load(uplinks, keys, fabric, dead), 1 - 1.0 / uplinks, 0.015)
        << uplinks;
  }
}

TEST(Mrc, ThreadsDoNotMatter) {
  const std::string text =
      text_of_mrc_planes(
          4, 100,
          "{type: mrc, source_routes: true, plane_choice: packet, plane_notice: none, "
          "path_selection: {probe_interval: 10us}}",
          "[{name: p, type: permutation, size: 4MB}]") +
      "faults: [{type: link-down, from: p1-leaf0, to: p1-spine1, at: 20us, until: 300us}]\n";
  const scenarios::Results r = run_mrc(text);
  EXPECT_GT(r.totals.path_probes_answered, 0U);
  for (const std::uint32_t threads : {2U, 3U}) {
    const protocols::Parallelism parallelism{.threads = threads, .share_from = 1};
    EXPECT_EQ(scenarios::simulate(experiment_of_text(text), {}, nullptr, parallelism).digest(),
              r.digest());
  }
}

// RoCE takes the values of MRC, too, where its receivers take any order.
TEST(Mrc, ValuesWithStatesServeRoceToo) {
  const std::string text = text_of_routes(
      1, 8,
      "{type: roce, receiver: any-order, congestion_control: none, window: 64, retransmit_timeout: "
      "100us, path_selection: {type: ev-states, values: 64, reserve: 0, min_active: 8, "
      "probe_interval: 20us}}",
      one_mrc_write(0, 1, "16MB"), "ecmp");
  const scenarios::Results r =
      run_mrc(text + cable_down("leaf0", "spine3", "at: 50us, until: 2ms"));
  EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
  EXPECT_GT(r.totals.path_probes, 0U);
  EXPECT_GT(r.totals.path_probes_answered, 0U) << "the cable is back";
}

// The shipped scenario: with a port status as in planes.yaml; without one its values find out.
TEST(Mrc, APlaneLostInAStepCostsItsShareToldOrNot) {
  const auto step = [](const std::vector<std::string>& overrides) {
    return scenarios::simulate(experiment_of("mrc-planes.yaml", overrides));
  };
  const scenarios::Results whole = step({"faults=[]"});
  const scenarios::Results told = step({});
  const scenarios::Results untold = step({"transport.plane_notice=none"});
  EXPECT_EQ(told.totals.timeouts, 0U);
  EXPECT_GT(jct_of_mrc(told), jct_of_mrc(whole));
  EXPECT_LT(jct_of_mrc(told), jct_of_mrc(whole) * 8 / 7);
  EXPECT_GT(untold.totals.timeouts, 0U);
  EXPECT_LT(jct_of_mrc(untold), 1.25 * jct_of_mrc(told)) << "by uec a hundred times as long";
}

// The shipped scenario.
TEST(Mrc, SprayedAllReducesTakeHalfOfWhatHashedFlowsDo) {
  const scenarios::Results r = scenarios::simulate(experiment_of("uec-allreduce.yaml"));
  ASSERT_EQ(r.jobs.size(), 3U);
  const double uec = to_seconds(r.jobs[1].jct);
  EXPECT_GT(to_seconds(r.jobs[0].jct), 1.5 * uec);
  EXPECT_NEAR(to_seconds(r.jobs[2].jct), uec, 0.05 * uec);
  EXPECT_EQ(r.totals.packets_trimmed, 0U);
}

std::string refusal_of_mrc(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "test.yaml");
  if (!loaded.ok()) return loaded.errors().front().to_string();
  const auto built = scenarios::build_experiment(loaded.value().scenario);
  return built.ok() ? std::string() : built.errors().front().to_string();
}

// MRC 1.0 has WRITE and WRITE_IMM only. What stays in a scale-up domain does not go by MRC.
TEST(Mrc, M9_ReadAndSendAreRefusedWithTheJobsName) {
  const auto job = [](const char* verb) {
    return fmt::format(
        "[{{name: fetch, operation: {}, type: messages, list: [{{from: 0, to: 1, size: 1MB}}]}}]",
        verb);
  };
  for (const char* verb : {"read", "send"}) {
    EXPECT_EQ(refusal_of_mrc(text_of_routes(1, 2, mrc_routed(kOpenWindow), job(verb))),
              fmt::format("jobs[0].operation: is `{}`, by which job `fetch` moves "
                          "data between h0 and h1; mrc has WRITE and WRITE_IMM only (MRC 1.0); set "
                          "operation: write, or another transport",
                          verb));
    for (const char* type :
         {"type: incast", "type: permutation", "type: open-loop, load: 0.5, stop: 10ms"}) {
      const std::string jobs =
          fmt::format("[{{name: fetch, size: 1MB, operation: {}, {}}}]", verb, type);
      EXPECT_THAT(refusal_of_mrc(text_of_routes(1, 2, mrc_routed(kOpenWindow), jobs)),
                  HasSubstr("by which job `fetch` moves data"))
          << type;
    }
  }
  EXPECT_EQ(refusal_of_mrc(text_of_routes(1, 2, mrc_routed(kOpenWindow), job("write"))), "");
  EXPECT_EQ(refusal_of_mrc(text_of_routes(1, 2, "{type: roce}", job("read"), "ecmp")), "");
}

TEST(Mrc, ReadsAndSendsInsideADomainDoNotGoByIt) {
  const auto text = [](const char* verb, std::uint32_t to) {
    return fmt::format(
        "name: domain\n"
        "racks: {{count: 1, servers: 2, server: hgx-h100}}\n"
        "fabric: {{topology: leaf-spine, spines: 2}}\n"
        "transport: {{type: mrc}}\n"
        "jobs: [{{name: fetch, operation: {}, type: messages, list: [{{from: 0, to: {}, size: "
        "1MB}}]}}]\n",
        verb, to);
  };
  for (const char* verb : {"read", "send"}) {
    EXPECT_EQ(refusal_of_mrc(text(verb, 1)), "");
    EXPECT_THAT(refusal_of_mrc(text(verb, 8)), HasSubstr("job `fetch`"));
  }
  EXPECT_EQ(refusal_of_mrc(text("write", 8)), "");
}

// MODEL.md 19.7
TEST(Mrc, WhatIsNotSupportedIsRefused) {
  const std::string m = one_mrc_write(0, 1, "1MB");
  EXPECT_THAT(refusal_of_mrc(text_of_routes(1, 2, mrc_routed(kOpenWindow), m, "ecmp")),
              HasSubstr("transport.source_routes: is on, and the switches of class data"));
  EXPECT_THAT(refusal_of_mrc(text_of_routes(1, 2, "{type: mrc}", m)),
              HasSubstr("transport: names no routes, and the switches of class data"));
  EXPECT_THAT(refusal_of_mrc(text_of_routes(1, 2, "{type: roce}", m)),
              HasSubstr("names no routes"));
  EXPECT_THAT(refusal_of_mrc(text_of_routes(1, 2, mrc_routed("path_selection: mixed"), m)),
              HasSubstr("whose values are hashed and name no path"));
  EXPECT_THAT(refusal_of_mrc(text_of_routes(1, 2, "{type: mrc, congestion_control: dcqcn}", m)),
              HasSubstr("mrc has windows in bytes per destination"));
  EXPECT_THAT(
      refusal_of_mrc(text_of_routes(
          1, 2, mrc_routed("path_selection: {values: 64, reserve: 32, min_active: 33}"), m)),
      HasSubstr("is more than what is left of 64 values"));
  EXPECT_THAT(
      refusal_of_mrc(text_of_routes(
          1, 2, mrc_routed("path_selection: {values: 64, reserve: 0, min_active: 8, denied: [64]}"),
          m)),
      HasSubstr("has 64, and values are below 64"));
  EXPECT_EQ(refusal_of_mrc(text_of_routes(1, 2, mrc_routed(kOpenWindow), m)), "");
  for (const int values : {8, 64, 128}) {
    const std::string keys = "path_selection: {values: " + std::to_string(values) + "}";
    EXPECT_EQ(refusal_of_mrc(text_of_routes(1, 2, mrc_routed(keys), m)), "")
        << "the reserve and the values in use follow from that";
  }
}

}  // namespace
}  // namespace weft::testing
