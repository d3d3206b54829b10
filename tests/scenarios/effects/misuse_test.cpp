#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/temporary_folder.hpp"

/// What is plausible, wrong and would pass without a word: each is refused or warned of, with its
/// cause, and what is meant is not.
namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kCast = R"(
name: cast
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}
jobs: [{name: i, type: incast, size: 10MB}]
)";

std::vector<std::string> warnings_with(const std::string& text,
                                       const std::vector<std::string>& overrides,
                                       const std::filesystem::path& file = "t.yaml") {
  const auto loaded = load_scenario_text(text, file, overrides);
  if (!loaded.ok()) return {"error: " + loaded.errors().front().to_string()};
  const auto experiment = build_experiment(loaded.value());
  if (experiment.ok()) return experiment.value().warnings;
  return {"error: " + loaded.value().located(experiment.errors()).front().to_string()};
}

std::vector<std::string> warnings_with(const std::vector<std::string>& overrides) {
  return warnings_with(kCast, overrides);
}

std::vector<std::string> warnings_of_run(const std::vector<std::string>& overrides) {
  const auto loaded = load_scenario_text(kCast, "t.yaml", overrides);
  return simulate(build_experiment(loaded.value()).value()).warnings;
}

TEST(Misuse, WhatIsMeantIsNotWarnedOf) { EXPECT_THAT(warnings_with({}), IsEmpty()); }

// Marks.

TEST(Misuse, ControlsWithoutMarksAreNamed) {
  EXPECT_THAT(warnings_with({"fabric.ecn=none"}),
              Contains(HasSubstr("DCQCN is on and no class is marked")));
  EXPECT_THAT(warnings_with({"fabric.ecn=none", "fabric.flow_control=none",
                             "transport={type: tcp, congestion_control: dctcp}"}),
              Contains(HasSubstr("DCTCP is on and no class is marked")));
  EXPECT_THAT(warnings_with({"fabric.ecn=none", "transport.congestion_control=none"}), IsEmpty());
}

TEST(Misuse, AnotherClassThatIsMarkedIsNoHelp) {
  const std::string classes =
      "fabric.classes=[{name: a, ecn: none}, {name: b, ecn: {kmin: 100KB, kmax: 400KB}}]";
  EXPECT_THAT(
      warnings_with({classes, "jobs[0].class=a"}),
      Contains(HasSubstr("DCQCN is on and class a, where it is, is not marked, so that nothing is "
                         "ever slowed down; set the class's `ecn`, or")));
  EXPECT_THAT(warnings_with({classes, "jobs[0].class=b"}), Each(Not(HasSubstr("DCQCN"))));
}

TEST(Misuse, MarksBeyondTheBufferAreNeverSet) {
  const std::string ecn = "fabric.ecn={kmin: 100MB, kmax: 400MB, pmax: 0.2}";
  for (const char* flow_control : {"none", "credit", "pfc"}) {
    EXPECT_THAT(warnings_with({ecn, "fabric.switch.buffer=16MB",
                               std::string("fabric.flow_control=") + flow_control}),
                Contains(HasSubstr("is never marked")))
        << flow_control;
  }
  EXPECT_THAT(warnings_with({"fabric.ecn={kmin: 1MB, kmax: 4MB}", "fabric.flow_control=none"}),
              IsEmpty());
}

TEST(Misuse, MarksBelowTwoPacketsAreOfEveryPacket) {
  EXPECT_THAT(warnings_with({"fabric.ecn={kmin: 100B, kmax: 400B, pmax: 0.2}"}),
              Contains(HasSubstr("ecn.kmax says bytes")));
  EXPECT_THAT(warnings_with({"fabric.ecn={type: step, kmin: 100B}"}),
              Contains(HasSubstr("ecn.kmin says bytes")));
  EXPECT_THAT(warnings_with({"fabric.ecn={kmin: 100B, kmax: 40KB, pmax: 0.2}"}), IsEmpty());
}

// Stragglers.

TEST(Misuse, StragglersThatSlowNothingAreRefused) {
  const auto job = [](const std::string& keys) {
    return warnings_with(
        {"jobs=[{name: a, type: all-reduce, size: 1MB, iterations: 2, " + keys + "}]"});
  };
  EXPECT_THAT(job("stragglers: [{ranks: 3, compute: 10, reduce: 10}]"),
              Contains(AllOf(HasSubstr("error"), HasSubstr("jobs[0].stragglers[0].compute"),
                             HasSubstr("the job computes nothing"))));
  EXPECT_THAT(job("stragglers: [{ranks: 3, reduce: 10}]"),
              Contains(AllOf(HasSubstr("error"), HasSubstr("jobs[0].stragglers[0].reduce"),
                             HasSubstr("take no time"))));
  EXPECT_THAT(job("stragglers: [{ranks: 3}]"), Contains(HasSubstr("says nothing that is slower")));
  EXPECT_THAT(job("compute: 1us, stragglers: [{ranks: 3, compute: 10}]"), IsEmpty());
  EXPECT_THAT(job("execution: {reduce_rate: 1Tbps}, stragglers: [{ranks: 3, reduce: 10}]"),
              IsEmpty());
  EXPECT_THAT(job("stragglers: [{ranks: 3, late: 10us}]"), IsEmpty());
}

TEST(Misuse, NoiseOfAGraphThatComputesNothingIsRefused) {
  EXPECT_THAT(warnings_with({"jobs=[{name: g, type: graph, noise: [{factor: 2}], nodes: [{name: a, "
                             "type: all-reduce, size: 1MB}]}]"}),
              Contains(HasSubstr("no node of the graph computes")));
}

// Rates, parts and cables.

TEST(Misuse, LinksFasterThanTheirNicsAreNamed) {
  EXPECT_THAT(warnings_with({"links.access.rate=800Gbps"}),
              Contains(AllOf(HasSubstr("links.access.rate"), HasSubstr("faster than their NIC"))));
  EXPECT_THAT(warnings_with({"links.access.rate=100Gbps"}), IsEmpty());
  EXPECT_THAT(warnings_with({"links.access.rate=800Gbps", "racks.server.nic.rate=800Gbps"}),
              Contains(HasSubstr("connectx-7 has 400Gbps")));
}

TEST(Misuse, PartsBeyondWhatTheyAreBuiltForAreNamed) {
  EXPECT_THAT(warnings_with({"fabric.switch={part: spectrum-4, buffer: 100GB}"}),
              Contains(AllOf(HasSubstr("fabric.switch.buffer"), HasSubstr("spectrum-4 has"))));
  EXPECT_THAT(warnings_with({"fabric.switch={buffer: 100GB}"}), IsEmpty());
  EXPECT_THAT(warnings_with({"fabric.switch={part: spectrum-4, buffer: 64MB}"}), IsEmpty());
}

TEST(Misuse, NicsBelowTheRateOfTheirPartAreNamed) {
  EXPECT_THAT(warnings_with({"racks.server={part: plain, nic: {part: connectx-7, rate: 200Gbps}}"}),
              Contains(AllOf(HasSubstr("racks.server.nic.rate"),
                             HasSubstr("is `200Gbps`, and connectx-7 has 400Gbps"),
                             HasSubstr("; raise racks.server.nic.rate to 400Gbps"))));
  EXPECT_THAT(warnings_with({"racks.server={part: hgx-h100-nics, nic: {rate: 200Gbps}}"}),
              Contains(HasSubstr("and hgx-h100-nics has 400Gbps: the NICs there run below")));
  // Servers by definition are what a scenario makes of them, and so are NICs without a part.
  EXPECT_THAT(warnings_with({"racks.server={part: host-400g, nic: {rate: 200Gbps}}"}), IsEmpty());
  EXPECT_THAT(warnings_with({"racks.server={nics: 1, nic: {rate: 200Gbps}}"}), IsEmpty());
}

TEST(Misuse, MbpsForGbpsAreNamed) {
  for (const char* key : {"links.access.rate", "links.uplink.rate", "racks.server.nic.rate"}) {
    EXPECT_THAT(warnings_with({std::string(key) + "=400Mbps"}),
                Contains(AllOf(HasSubstr(key), HasSubstr("are Gbps meant?"))));
  }
}

TEST(Misuse, CopperThatNobodyMakesIsNamed) {
  EXPECT_THAT(warnings_with({"links.access={length: 100m, cable: copper}"}),
              Contains(AllOf(HasSubstr("links.access.length"), HasSubstr("passive copper"))));
  EXPECT_THAT(warnings_with({"links.access={length: 100m}"}),
              Contains(HasSubstr("passive copper")));
  EXPECT_THAT(warnings_with({"links.access={length: 100m, cable: fibre}"}), IsEmpty());
  EXPECT_THAT(warnings_with({"links.access={length: 5m, cable: copper}"}), IsEmpty());
}

TEST(Misuse, MtusOfEthernetAreNoPathMtus) {
  for (const char* mtu : {"9216B", "9000B", "1500B", "4097B"}) {
    EXPECT_THAT(warnings_with({std::string("transport={type: roce, mtu: ") + mtu + "}"}),
                Contains(AllOf(HasSubstr("transport.mtu"), HasSubstr("path MTUs of RoCE"))));
  }
  for (const char* mtu : {"4096B", "1024B", "1000B"}) {
    EXPECT_THAT(warnings_with({std::string("transport={type: roce, mtu: ") + mtu + "}"}),
                IsEmpty());
  }
  EXPECT_THAT(warnings_with({"jobs[0].transport={type: roce, mtu: 9216B}"}),
              Contains(HasSubstr("jobs[0].transport.mtu")));
}

TEST(Misuse, GpusThatAreNotTheServersAreNamed) {
  const std::string text = R"(
name: t
racks: {count: 1, servers: 1, server: dgx-a100}
fabric: {topology: single-domain}
jobs:
  - name: a
    type: training
    model: {layers: 2, hidden: 64, heads: 8, vocabulary: 256, sequence: 64}
    parallelism: {tensor: 8}
    compute: {gpu: a100-sxm-80}
)";
  EXPECT_THAT(warnings_with(text, {}), IsEmpty());
  EXPECT_THAT(warnings_with(text, {"jobs[0].compute.gpu=b200"}),
              Contains(AllOf(HasSubstr("computes as on a b200"), HasSubstr("Ampere"))));
}

// Loads.

TEST(Misuse, LoadsThatCannotBeCarriedAreNamed) {
  const auto job = [](const std::string& keys) {
    return warnings_with({"transport.congestion_control=none", "jobs=[{name: r, " + keys + "}]"});
  };
  const auto names_it =
      Contains(AllOf(HasSubstr("job r asks"), HasSubstr("times what it carries")));
  EXPECT_THAT(job("type: open-loop, size: 64KB, load: 1.5, stop: 1ms"), names_it);
  EXPECT_THAT(job("type: open-loop, size: 64KB, load: 0.9, stop: 1ms"),
              Contains(HasSubstr("leaf0")))
      << "two uplinks for four hosts";
  EXPECT_THAT(job("type: open-loop, size: 64KB, load: 0.3, stop: 1ms"), IsEmpty());
  EXPECT_THAT(job("type: open-loop, size: 50B, load: 0.3, stop: 1ms"), names_it) << "headers";
  EXPECT_THAT(job("type: incast, size: 64KB, rounds: 10, load: 1.2"), names_it);
  EXPECT_THAT(job("type: incast, size: 64KB, rounds: 10, period: 1us"), names_it);
  EXPECT_THAT(job("type: incast, size: 64KB, rounds: 10, load: 0.5"), IsEmpty());
  EXPECT_THAT(job("type: requests, request: 1KB, response: 64KB, rounds: 10, load: 1.2"), names_it);
  EXPECT_THAT(job("type: requests, request: 1KB, response: 64KB, rounds: 10, load: 0.5"),
              IsEmpty());
}

TEST(Misuse, LoadsAddUp) {
  const std::string one = "type: open-loop, size: 64KB, load: 0.6, stop: 1ms";
  const std::string jobs = "jobs=[{name: a, " + one + "}, {name: b, " + one + "}";
  EXPECT_THAT(warnings_with({jobs + "]"}), Contains(HasSubstr("jobs a, b together ask")));
  EXPECT_THAT(warnings_with({jobs + "]", "jobs[1].start=1ms"}), IsEmpty());
}

TEST(Misuse, SizesInKilobytesAreNamed) {
  const weft::testing::TemporaryFolder folder("sizes in kilobytes");
  folder.write("kb.cdf", "1 0\n10 50\n100 100\n");
  folder.write("bytes.cdf", "1000 0\n10000 50\n100000 100\n");
  const auto job = [&](const std::string& sizes) {
    return warnings_with(
        kCast, {"jobs=[{name: o, type: open-loop, sizes: " + sizes + ", load: 0.1, stop: 100us}]"},
        folder.path() / "t.yaml");
  };
  EXPECT_THAT(job("kb.cdf"), Contains(HasSubstr("if it was written in KB")));
  EXPECT_THAT(job("bytes.cdf"), IsEmpty());
  EXPECT_THAT(job("websearch"), IsEmpty());
}

// Round trips.

TEST(Misuse, WindowsThatDoNotFillThePathAreNamed) {
  const std::string far = "links.uplink={length: 1km, cable: fibre}";
  EXPECT_THAT(warnings_with({far, "transport.window=1"}),
              Contains(AllOf(HasSubstr("a window of 1 packet holds"),
                             HasSubstr("ideal times have the same window"))));
  EXPECT_THAT(warnings_with({"transport={type: roce, congestion_control: swift, window: 2}"}),
              Contains(HasSubstr("a window of 2 packets holds")));
  EXPECT_THAT(
      warnings_with({"transport={type: roce, recovery: {type: selective-repeat, cap: 8KB}}"}),
      Contains(HasSubstr("a recovery.cap of")));
  EXPECT_THAT(warnings_with({far, "transport.window=1000"}), IsEmpty());
}

TEST(Misuse, TimeOutsBelowTheRoundTripAreNamed) {
  EXPECT_THAT(warnings_with({"transport.retransmit_timeout=1us"}),
              Contains(AllOf(HasSubstr("retransmit_timeout is 1 us"), HasSubstr("round trip"))));
  EXPECT_THAT(warnings_with({"transport.retransmit_timeout=100us"}),
              Not(Contains(HasSubstr("round trip"))));
  EXPECT_THAT(
      warnings_with(
          {"links.uplink={length: 100km, cable: fibre}",
           "transport={type: roce, recovery: {type: selective-repeat, timeout_low: 100us}}"}),
      Contains(HasSubstr("recovery.timeout_low is")));
}

// Times and faults.

TEST(Misuse, WarmUpsThatOutlastTheRunAreNamed) {
  EXPECT_THAT(warnings_of_run({"run.warmup=1s"}), Contains(HasSubstr("the warm-up of 1 s")));
  EXPECT_THAT(warnings_of_run({"run.warmup=1us"}), IsEmpty());
}

TEST(Misuse, FaultsThatComeTooLateAreNamed) {
  const std::string fault = "faults=[{type: link-rate, from: h1, rate: 50Gbps, at: 1s}]";
  EXPECT_THAT(warnings_of_run({fault}),
              Contains(AllOf(HasSubstr("faults[0] (link-rate of h1) had no effect"),
                             HasSubstr("all jobs were over"))));
  EXPECT_THAT(warnings_with({fault, "run.until=1ms"}),
              Contains(HasSubstr("the run stops at 1 ms")));
  EXPECT_THAT(warnings_of_run({"faults=[{type: link-rate, from: h1, rate: 50Gbps, at: 1us}]"}),
              IsEmpty());
}

// A link that flaps is up at first: what counts is when its first outage begins.
TEST(Misuse, LinksThatFlapTooLateAreNamed) {
  const auto flapping = [](const char* up, const char* until) {
    return fmt::format(
        "faults=[{{type: flapping, from: h1, up: {{distribution: fixed, mean: {}}}, down: "
        "{{distribution: fixed, mean: 1us}}, until: {}}}]",
        up, until);
  };
  EXPECT_THAT(warnings_of_run({flapping("1s", "2s")}),
              Contains(AllOf(HasSubstr("faults[0] (flapping of h1) had no effect"),
                             HasSubstr("its first outage begins at 1 s, and all jobs were over"))));
  EXPECT_THAT(warnings_with({flapping("1s", "2s"), "run.until=1ms"}),
              Contains(HasSubstr("its first outage begins at 1 s, and the run stops at 1 ms")));
  EXPECT_THAT(warnings_with({flapping("1s", "1ms")}),
              Contains(HasSubstr("no outage begins before it ends at 1 ms; let `up` be less")));
  EXPECT_THAT(warnings_of_run({flapping("1us", "3us")}), IsEmpty());
}

TEST(Misuse, FaultsAndChangesWhereNothingComesAreNamed) {
  const std::string ranks = "jobs[0].ranks=[h0, h1, h2]";
  EXPECT_THAT(warnings_with({ranks, "faults=[{type: link-down, from: leaf1, to: spine0}]"}),
              Contains(HasSubstr("faults[0] (link-down of leaf1 to spine0) has no effect")));
  EXPECT_THAT(warnings_with({ranks, "faults=[{type: switch-down, switch: spine1}]"}),
              Contains(HasSubstr("has no effect")));
  EXPECT_THAT(warnings_with({ranks, "faults=[{type: nic-pause, host: h5, until: 1us}]"}),
              Contains(HasSubstr("has no effect")));
  EXPECT_THAT(warnings_with({ranks, "links.changes=[{from: h7, rate: 100Gbps}]"}),
              Contains(HasSubstr("links.changes[0] (h7) has no effect")));
  EXPECT_THAT(warnings_with({ranks, "faults=[{type: link-rate, from: h2, rate: 50Gbps}]",
                             "links.changes=[{from: h1, rate: 100Gbps}]"}),
              IsEmpty());
}

// Keys beside others that take their effect away.

std::vector<std::string> effects_with(const std::string& jobs,
                                      const std::vector<std::string>& overrides) {
  std::vector<std::string> all{
      "transport={type: roce, receiver: any-order, congestion_control: none}"};
  if (!jobs.empty()) all.push_back("jobs=[{name: a, " + jobs + "}]");
  all.insert(all.end(), overrides.begin(), overrides.end());
  return warnings_with(all);
}

::testing::Matcher<std::vector<std::string>> idle(const std::string& key) {
  return Contains(AllOf(HasSubstr(key), HasSubstr("has no effect")));
}

TEST(KeysWithoutEffect, OfTrainingAreNamedWherePlansExchangeNothingOfTheKind) {
  const auto training = [](const std::string& plan, const std::string& overlap) {
    return effects_with(
        "type: training, model: {layers: 2, hidden: 64, heads: 4, vocabulary: 64, sequence: 64, "
        "experts: 4, top_k: 2}, batch: {global: 8}, parallelism: " +
            plan + ", overlap: " + overlap,
        {});
  };
  const char* const replicas = "{data: 8}";
  const char* const exchanging = "{data: 8, expert: 4}";
  EXPECT_THAT(training(replicas, "{weights: true}"), idle("jobs[0].overlap.weights"));
  EXPECT_THAT(training(replicas, "{tensor: true}"), idle("jobs[0].overlap.tensor"));
  EXPECT_THAT(training(exchanging, "{shared_experts: true}"), idle("overlap.shared_experts"));
  EXPECT_THAT(training(exchanging, "{weights: true}"), Not(idle("overlap.weights")));
  EXPECT_THAT(training("{tensor: 2, data: 4}", "{weights: true, tensor: true}"),
              Not(idle("overlap")));
  EXPECT_THAT(training(replicas, "{weights: false, tensor: false}"), Not(idle("overlap")));
  EXPECT_THAT(training(replicas, "{parameters: true}"), idle("jobs[0].overlap.parameters"));
  EXPECT_THAT(training("{data: 8, zero: 3}", "{parameters: true}"), idle("overlap.parameters"));
  EXPECT_THAT(training(replicas, "{prefetch: false}"), idle("jobs[0].overlap.prefetch"));
  EXPECT_THAT(training("{data: 8, zero: 2}", "{prefetch: true}"), idle("overlap.prefetch"));
  EXPECT_THAT(training(replicas, "{pipeline: false}"), idle("jobs[0].overlap.pipeline"));
  for (const char* zero : {"1", "2"}) {
    EXPECT_THAT(training(std::string("{data: 8, zero: ") + zero + "}", "{parameters: true}"),
                Not(idle("overlap")));
  }
  EXPECT_THAT(training("{data: 8, zero: 3}", "{prefetch: false}"), Not(idle("overlap")));
  EXPECT_THAT(training("{data: 4, pipeline: 2}", "{pipeline: false}"), Not(idle("overlap")));
}

TEST(KeysWithoutEffect, AreNamedWithWhatTakesItAway) {
  EXPECT_THAT(effects_with("", {"fabric.load_balancing=spray", "fabric.hash.type=crc16"}),
              idle("fabric.hash.type"));
  EXPECT_THAT(effects_with("", {"fabric.load_balancing=round-robin", "fabric.hash.seeds=same"}),
              idle("fabric.hash.seeds"));
  EXPECT_THAT(effects_with("", {"fabric.load_balancing=spray", "fabric.weighted_ecmp=true"}),
              idle("fabric.weighted_ecmp"));
  EXPECT_THAT(effects_with("", {"fabric.spines=1", "fabric.load_balancing=spray"}),
              idle("fabric.load_balancing"));
  EXPECT_THAT(effects_with("", {"transport.cnp_priority=same"}), idle("transport.cnp_priority"));
  EXPECT_THAT(effects_with("", {"pxn.chunk=64KiB"}), idle("pxn.chunk"));
  EXPECT_THAT(effects_with("", {"fabric.convergence=10us"}), idle("fabric.convergence"));
  EXPECT_THAT(effects_with("", {"fabric.flow_control=none", "fabric.pause.response=1us"}),
              idle("fabric.pause"));
  EXPECT_THAT(effects_with("", {"fabric.flow_control=none", "observe.pauses=true"}),
              idle("observe.pauses"));
  EXPECT_THAT(effects_with("", {"observe.credits=true"}), idle("observe.credits"));
  EXPECT_THAT(effects_with("", {"fabric.ecn=none", "observe.marks=all"}), idle("observe.marks"));
  EXPECT_THAT(effects_with("", {"run.reuse.tolerance=0.1"}), idle("run.reuse.tolerance"));
}

TEST(KeysWithoutEffect, OfCollectives) {
  EXPECT_THAT(
      effects_with("type: all-reduce, algorithm: halving-doubling, size: 1MB, domain_size: 4", {}),
      idle("jobs[0].domain_size"));
  EXPECT_THAT(
      effects_with("type: broadcast, algorithm: binomial-tree, size: 1MB, domain_size: 4", {}),
      idle("jobs[0].domain_size"));
  EXPECT_THAT(
      effects_with("type: send-recv, size: 64KiB, iterations: 10, execution: {chunk: 64KiB, "
                   "in_flight: 16}",
                   {}),
      idle("jobs[0].execution.in_flight"));
  EXPECT_THAT(effects_with("type: all-gather, size: 1MB, execution: {reduce_rate: 1Tbps}", {}),
              idle("jobs[0].execution.reduce_rate"));
  EXPECT_THAT(
      effects_with("type: send-recv, size: 1MiB, execution: {chunk: 64KiB, in_flight: 2}", {}),
      IsEmpty());
  // Sixteen chunks, of which two or three are under way: the next waits for the peer's.
  EXPECT_THAT(
      effects_with("type: send-recv, size: 1MiB, execution: {chunk: 64KiB, in_flight: 8}", {}),
      idle("jobs[0].execution.in_flight"));
  EXPECT_THAT(
      effects_with("type: broadcast, algorithm: one-shot, size: 1MiB, execution: {chunk: 64KiB, "
                   "in_flight: 8}",
                   {}),
      Not(idle("jobs[0].execution.in_flight")));
}

TEST(KeysWithoutEffect, APaceWithoutARate) {
  const auto paced = [](const std::string& rates) {
    return effects_with(
        "type: all-reduce, algorithm: ring, size: 1MB, execution: {transfer: paced" + rates + "}",
        {});
  };
  EXPECT_THAT(paced(""), idle("jobs[0].execution.transfer"));
  EXPECT_THAT(paced(", channel_rate: 100Gbps"), IsEmpty());
  EXPECT_THAT(paced(", network_channel_rate: 100Gbps"), IsEmpty());
}

TEST(KeysWithoutEffect, QueuePairsOfOneMessage) {
  EXPECT_THAT(effects_with("type: send-recv, size: 1MiB", {"transport.queue_pairs=8"}),
              idle("transport.queue_pairs"));
  EXPECT_THAT(effects_with("type: permutation, size: 1MiB, queue_pairs: 4", {}),
              idle("jobs[0].queue_pairs"));
  EXPECT_THAT(
      effects_with("type: send-recv, size: 1MiB, iterations: 4", {"transport.queue_pairs=8"}),
      IsEmpty());
}

TEST(KeysWithoutEffect, SplittingOverOneQueuePair) {
  EXPECT_THAT(effects_with("type: send-recv, size: 1MiB", {"transport.split_messages=true"}),
              idle("transport.split_messages"));
  EXPECT_THAT(effects_with("type: send-recv, size: 1MiB",
                           {"transport.split_messages=true", "transport.queue_pairs=2"}),
              IsEmpty());
  EXPECT_THAT(effects_with("type: send-recv, size: 1MiB, queue_pairs: 2",
                           {"transport.split_messages=true"}),
              IsEmpty());
}

TEST(KeysWithoutEffect, OfClassesAndTransportsThatNobodyUses) {
  const std::string classes =
      "fabric.classes=[{name: a, ecn: none, flow_control: none}, {name: b, flow_control: none}, "
      "{name: top}]";
  EXPECT_THAT(
      effects_with("", {classes, "fabric.classes[2].flow_control=none", "fabric.flow_control=pfc"}),
      idle("fabric.flow_control"));
  EXPECT_THAT(effects_with("", {"jobs[0].transport={type: roce, congestion_control: none}"}),
              Contains(HasSubstr("transport (--set transport")));
}

// Shipped scenarios say what they mean.

TEST(KeysWithoutEffect, AndOtherMisuseAreInNoShippedScenario) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(WEFT_SOURCE_DIR) / "scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename());
    const auto loaded = load_scenario(entry.path());
    ASSERT_TRUE(loaded.ok());
    const auto experiment = build_experiment(loaded.value());
    ASSERT_TRUE(experiment.ok());
    for (const std::string& warning : experiment.value().warnings) {
      EXPECT_THAT(warning, Not(HasSubstr("no effect")));
      EXPECT_THAT(warning, Not(HasSubstr("is on and")));
      EXPECT_THAT(warning, Not(HasSubstr("longer than the time-out")));
      const bool is_meant = loaded.value().scenario.name == "oversubscription";
      EXPECT_EQ(warning.find("times what it carries") != std::string::npos, is_meant) << warning;
    }
  }
}

// What a resolved scenario writes out as a default was chosen by nobody.

std::vector<std::string> without_places(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) {
    const std::size_t at = warning.find(" (line ");
    if (at != std::string::npos) warning.erase(at, warning.find(')', at) + 1 - at);
  }
  return warnings;
}

TEST(ResolvedScenarios, WarnOfWhatTheirScenariosWarnOf) {
  std::size_t files = 0;
  std::size_t warned = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto first = load_scenario(entry.path());
    ASSERT_TRUE(first.ok()) << entry.path();
    const std::string text = first.value().resolved_yaml("1");
    const auto second = load_scenario_text(text, entry.path());
    ASSERT_TRUE(second.ok()) << second.errors().front().to_string();
    // Comments, too: what is a default stays one.
    EXPECT_EQ(second.value().resolved_yaml("1"), text);
    EXPECT_EQ(second.value().canonical_yaml(), first.value().canonical_yaml());
    const auto warnings = build_experiment(first.value()).value().warnings;
    EXPECT_EQ(without_places(build_experiment(second.value()).value().warnings),
              without_places(warnings))
        << entry.path();
    ++files;
    warned += warnings.empty() ? 0 : 1;
  }
  EXPECT_GT(files, 30U);
  EXPECT_GT(warned, 0U);
}

TEST(ResolvedScenarios, WarnOfWhatIsGivenOrChanged) {
  const std::string key = "pxn.chunk";
  const auto given = load_scenario_text(kCast, "t.yaml", {"pxn.chunk=64KiB"});
  EXPECT_THAT(warnings_with(given.value().resolved_yaml("1"), {}), idle(key));
  const std::string text = load_scenario_text(kCast, "t.yaml").value().resolved_yaml("1");
  EXPECT_THAT(warnings_with(text, {}), IsEmpty());
  EXPECT_THAT(warnings_with(text, {"pxn.chunk=64KiB"}), idle(key));
  EXPECT_THAT(warnings_with(text, {"fabric.pause.response=1us", "fabric.flow_control=none"}),
              idle("fabric.pause"));
  // Another file that says the same, with comments of its own, gives its keys.
  EXPECT_THAT(warnings_with(text.substr(text.find('\n') + 1), {}), idle(key));
}

TEST(ResolvedScenarios, ElementsInOneLineSayWhichOfTheirKeysAreDefaults) {
  const std::string text =
      load_scenario_text(kCast, "t.yaml", {"links.changes=[{from: h1, rate: 100Gbps}]"})
          .value()
          .resolved_yaml("1");
  const auto second = load_scenario_text(text, "t.yaml").value();
  EXPECT_EQ(second.resolved_yaml("1"), text);
}

TEST(MisspeltKeys, AMapThatIsGivenAValueNamesTheKeyThatTakesIt) {
  EXPECT_THAT(warnings_with({"fabric.spine=8"}), Contains(HasSubstr("did you mean `spines`?")));
  EXPECT_THAT(warnings_with({"fabric.leaf=8"}), Contains(HasSubstr("did you mean `leaves`?")));
  // Another place where the key belongs is named once, whatever ways lead there.
  EXPECT_THAT(warnings_with({"links.changes=[{form: h1, rate: 1Gbps}]"}),
              Contains(AllOf(HasSubstr("did you mean `from`?"), HasSubstr("`type: dctcp`"),
                             Not(HasSubstr("dctcp` or `transport.")))));
  // What takes no such value, and what is far, is not meant.
  EXPECT_THAT(warnings_with({"fabric.spine=spectrum-4"}),
              Contains(AllOf(HasSubstr("keys switch"), Not(HasSubstr("did you mean")))));
  EXPECT_THAT(warnings_with({"fabric.pause=8"}),
              Contains(AllOf(HasSubstr("frame_overhead"), Not(HasSubstr("did you mean")))));
}

}  // namespace
}  // namespace weft::scenarios
