#include "scenarios/checks/static_checks.hpp"
#include "scenarios/run/build_experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "protocols/config/headroom.hpp"
#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Leaves of 4 hosts and 2 spines, 6 ports; spines have 2.
constexpr const char* kLeafSpine = R"(
name: t
racks: {count: 2, servers: 4, server: host-400g}
links:
  access: {rate: 400Gbps, latency: 100ns}
  uplink: {rate: 400Gbps, latency: 100ns}
fabric:
  topology: leaf-spine
  spines: 2
  switch: {buffer: 16MB, cell: 1B, latency: 500ns}
jobs:
  - {name: a, type: permutation, size: 1MiB}
)";

constexpr const char* kRing = R"(
name: ring
fabric:
  topology: custom
  nodes:
    - {name: h0, kind: host}
    - {name: h1, kind: host}
    - {name: h2, kind: host}
    - {name: h3, kind: host}
    - {name: s0, kind: switch}
    - {name: s1, kind: switch}
    - {name: s2, kind: switch}
    - {name: s3, kind: switch}
  links:
    - {from: h0, to: s0, rate: 100Gbps, latency: 1us}
    - {from: h1, to: s1, rate: 100Gbps, latency: 1us}
    - {from: h2, to: s2, rate: 100Gbps, latency: 1us}
    - {from: h3, to: s3, rate: 100Gbps, latency: 1us}
    - {from: s0, to: s1, rate: 100Gbps, latency: 1us}
    - {from: s1, to: s2, rate: 100Gbps, latency: 1us}
    - {from: s2, to: s3, rate: 100Gbps, latency: 1us}
    - {from: s3, to: s0, rate: 100Gbps, latency: 1us}
jobs:
  - {name: a, type: permutation, size: 1MiB}
)";

Result<Experiment> build(const char* text, const std::vector<std::string>& overrides) {
  auto loaded = load_scenario_text(text, "t.yaml", overrides);
  if (!loaded) return loaded.errors();
  return build_experiment(loaded.value().scenario);
}

std::vector<std::string> warnings(const char* text,
                                  const std::vector<std::string>& overrides = {}) {
  const auto experiment = build(text, overrides);
  if (experiment.ok()) return experiment.value().warnings;
  return {"error: " + experiment.errors().front().to_string()};
}

TEST(SwitchCapacity, IsWarnedOfWherePortsAddUpToMore) {
  // A leaf has 6 ports of 400 Gbps, a spine 2.
  const auto warnings_at = [](const std::string& capacity) {
    return warnings(kLeafSpine, {"fabric.switch.capacity=" + capacity});
  };
  EXPECT_THAT(warnings_at("2400Gbps"), Not(Contains(HasSubstr("no such switch"))));
  EXPECT_THAT(warnings_at("2399Gbps"),
              Contains(AllOf(HasSubstr("leaf0 has 6 ports"), HasSubstr("(and 1 more like it)"))));
  EXPECT_THAT(warnings_at("unlimited"), Not(Contains(HasSubstr("no such switch"))));
}

TEST(SwitchCapacity, IsThatOfATiersOwnPart) {
  EXPECT_THAT(
      warnings(kLeafSpine, {"fabric.switch.capacity=500Gbps", "fabric.spine.switch=tomahawk-4"}),
      ElementsAre(AllOf(HasSubstr("leaf0"), HasSubstr("(and 1 more like it)"))));
}

TEST(StaticChecks, ASoundLosslessConfigurationGivesNoWarning) {
  EXPECT_THAT(warnings(kLeafSpine), IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.flow_control.headroom=exact"}), IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.flow_control={preset: hpcc, headroom: exact}"}),
              IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.flow_control=none", "fabric.switch.buffer=1MB"}),
              IsEmpty())
      << "a lossy fabric may drop";
}

// Six ports of a leaf may hold 1 MiB + headroom each; 6 MiB alone are more than 6 MB.
TEST(StaticChecks, XoffOfAllPortsMustFitTheBuffer) {
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.switch.buffer=6MB"}),
              ElementsAre(AllOf(HasSubstr("leaf0 can drop although PFC is on: its 6 ports"),
                                HasSubstr("lower fabric.flow_control.xoff"))));
}

// The bound is tight: XOFF and the exact headroom of six ports, and a byte less.
TEST(StaticChecks, TheBufferThatIsJustEnoughIsAccepted) {
  const auto experiment = build(kLeafSpine, {});
  ASSERT_TRUE(experiment.ok());
  const Experiment& e = experiment.value();
  const PortId in = e.fabric.node(e.fabric.switches.front()).first_port;
  const Bytes each = 1_MiB + protocols::exact_headroom(protocols::headroom_terms(
                                 e.fabric, in, e.scenario.switches, e.scenario.switches.data(),
                                 e.scenario.transports()));
  const auto buffer = [](Bytes size) {
    return std::vector<std::string>{"fabric.switch.buffer=" + std::to_string(size.count()) + "B"};
  };
  EXPECT_THAT(warnings(kLeafSpine, buffer(6 * each)), IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine, buffer(6 * each - 1_B)), ElementsAre(HasSubstr("can drop")));
}

TEST(StaticChecks, MoreSetAsideThanTheBufferHoldsIsAnError) {
  for (const char* flow_control :
       {"{headroom: 3MB}", "{reserved: 3MB}", "{type: credit, buffer: 3MB}"}) {
    EXPECT_THAT(warnings(kLeafSpine, {std::string("fabric.flow_control=") + flow_control}),
                ElementsAre(AllOf(HasSubstr("error: fabric.switch.buffer: is 15.26 MiB, but leaf0"),
                                  HasSubstr("aside for its 6 ports"))))
        << flow_control;
  }
}

// 31 packets of 4178 B are 2.59 us of 400 Gbps; a credit is back after two transmissions, two wires
// of 10 us, the switch's 500 ns and an update of 0.16 ns: 12.5 %. 249 packets are 10.34 us + 83.6
// ns more than the loop takes.
TEST(StaticChecks, CreditsThatAreAwayForLongerThanTheyLastAreNamedWithWhatALinkNeeds) {
  const std::vector<std::string> far{"links.uplink.latency=10us", "fabric.switch.latency=500ns"};
  const auto with = [&](const char* flow_control) {
    std::vector<std::string> overrides = far;
    overrides.push_back(std::string("fabric.flow_control=") + flow_control);
    return warnings(kLeafSpine, overrides);
  };
  EXPECT_THAT(with("{type: credit, buffer: 128KiB}"),
              Contains(AllOf(HasSubstr("credits of class data hold leaf0"),
                             HasSubstr("to 13 % of its 400 Gbps"), HasSubstr("31 packets"),
                             HasSubstr("set flow_control.buffer to 1,051,776 B"))));
  EXPECT_THAT(with("{type: credit, buffer: 1051776B}"), IsEmpty());
  EXPECT_THAT(with("{type: credit, buffer: 1040000B}"),
              ElementsAre(HasSubstr("credits of class data hold")));
  EXPECT_THAT(with("credit"), IsEmpty());
}

TEST(StaticChecks, HeadroomBelowWhatCanArriveIsNamedWithPortNeedAndSize) {
  // The longest loop is that of the port with the longest wire.
  EXPECT_THAT(
      warnings(kLeafSpine, {"fabric.flow_control.headroom=20KB",
                            "links.changes=[{from: leaf1, to: spine0, latency: 900ns}]"}),
      ElementsAre(AllOf(HasSubstr("class data can drop although it has PFC: after XOFF up to "),
                        HasSubstr(" B can arrive over spine0[1]->leaf1[4], and the headroom there "
                                  "is 20,000 B (16 ports have too little)"))));
}

// All six ports of a leaf may be paused at once, each with what `exact` sets aside. A pool of that
// size is never empty, and a byte less is named with the need. What ports have to themselves they
// do not draw; without a pool there is nothing to draw.
TEST(StaticChecks, AHeadroomPoolIsHeldAgainstTheWorstSimultaneousNeed) {
  const auto with = [](std::int64_t pool, const char* reserved) {
    return warnings(
        kLeafSpine,
        {"fabric.flow_control={headroom: exact, headroom_reserved: " + std::string(reserved) + "}",
         "fabric.switch.headroom_pool=" + std::to_string(pool) + "B"});
  };
  const Experiment e = build(kLeafSpine, {"fabric.flow_control.headroom=exact"}).value();
  const Node& leaf = e.fabric.node(e.fabric.switches[0]);
  std::int64_t needed = 0;
  for (std::uint32_t p = 0; p < leaf.port_count; ++p) {
    needed +=
        protocols::headroom_of(e.fabric, PortId(leaf.first_port.value() + p), e.scenario.switches,
                               e.scenario.switches.data(), e.scenario.transports())
            .count();
  }
  ASSERT_EQ(leaf.port_count, 6);
  EXPECT_THAT(with(needed, "0B"), IsEmpty());
  EXPECT_THAT(with(needed - 1, "0B"),
              ElementsAre(AllOf(HasSubstr("leaf0 can drop although PFC is on: if all of its 6 "
                                          "priority groups (a port and a class each) are over"),
                                HasSubstr("headroom_pool is"), HasSubstr("is never empty"))));
  EXPECT_THAT(with(needed - 6'000, "1000B"), IsEmpty());
  EXPECT_THAT(with(needed - 6'001, "1000B"), ElementsAre(HasSubstr("headroom_pool is")));
}

TEST(StaticChecks, AHeadroomPoolThatNobodyDrawsFromIsReported) {
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.switch.headroom_pool=16MB"}),
              ElementsAre(HasSubstr("nothing would be left to share")));
}

constexpr const char* kUnmarked[] = {"fabric.ecn=none", "transport.congestion_control=none"};

// Six ports at alpha 8 leave 16 MB / 49 to share, 327 KB; about 100 KB can still arrive at each.
TEST(StaticChecks, SharedHeadroomMustFitBesideDynamicThresholds) {
  EXPECT_THAT(
      warnings(kLeafSpine,
               {"fabric.flow_control={threshold: dynamic, alpha: 8}", kUnmarked[0], kUnmarked[1]}),
      ElementsAre(AllOf(HasSubstr("at the dynamic threshold"), HasSubstr("`headroom: exact`"))));
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.flow_control={threshold: dynamic, alpha: 0.5}",
                                    kUnmarked[0], kUnmarked[1]}),
              IsEmpty());
}

TEST(StaticChecks, AnEgressThresholdThatBitesBeforePfcIsExplained) {
  const auto with = [](const std::string& flow_control, const std::string& alpha) {
    return warnings(kLeafSpine, {kUnmarked[0], kUnmarked[1],
                                 "fabric.classes=[{name: gold, flow_control: " + flow_control +
                                     ", egress_alpha: " + alpha + "}]"});
  };
  // Five inputs of a leaf at alpha 1/8 each: an egress queue may see 5/8.
  EXPECT_THAT(with("{threshold: dynamic, alpha: 0.125, headroom: exact}", "0.5"),
              ElementsAre(AllOf(HasSubstr("class gold can drop although it has PFC: 5 inputs of "),
                                HasSubstr("leave egress_alpha out, or at least 0.625"))));
  EXPECT_THAT(with("{threshold: dynamic, alpha: 0.125, headroom: exact}", "0.625"), IsEmpty());
  // Static: five times 1 MiB and headroom against 16 MB x 1/5.
  EXPECT_THAT(with("{headroom: exact}", "0.25"),
              ElementsAre(HasSubstr("class gold can drop although it is lossless: 5 inputs")));
  EXPECT_THAT(with("{headroom: exact}", "1"), IsEmpty());
}

TEST(StaticChecks, ALossyClassThatCanFillTheSharedBufferIsNamed) {
  const std::string classes =
      "fabric.classes=[{name: gold}, {name: bulk, flow_control: none, egress_alpha: ";
  const std::vector<std::string> bulk{"jobs[0].class=bulk"};
  EXPECT_THAT(
      warnings(kLeafSpine, {classes + "none}]", bulk[0]}),
      ElementsAre(HasSubstr("class gold can drop although it has PFC: class bulk is lossy")));
  EXPECT_THAT(warnings(kLeafSpine, {classes + "1}]", bulk[0]}), IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine, {classes + "none}]"}), IsEmpty()) << "only ACKs travel there";
}

TEST(StaticChecks, QueuesAtInputsNeedSwitchesThatTheArbiterCanMatch) {
  // 62 hosts and 2 spines are 64 ports; one more is too many.
  EXPECT_THAT(warnings(kLeafSpine,
                       {"fabric.queueing=input", "racks.servers=62", "fabric.switch.buffer=160MB"}),
              IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine,
                       {"fabric.queueing=input", "racks.servers=63", "fabric.switch.buffer=160MB"}),
              ElementsAre(AllOf(HasSubstr("error: fabric.queueing"),
                                HasSubstr("up to 64 ports; leaf0 has 65"))));
}

TEST(StaticChecks, AReceiveBufferMustHoldWhatArrivesAfterItsXoff) {
  const auto with = [](const std::string& buffer) {
    return warnings(kLeafSpine, {"racks.server.nic.receive_rate=100Gbps",
                                 "racks.server.nic.receive_buffer=" + buffer});
  };
  EXPECT_THAT(with("540KiB"), Contains(HasSubstr("the NIC of h0 can drop although class data")));
  EXPECT_THAT(with("1MiB"), Not(Contains(HasSubstr("can drop"))));
}

TEST(StaticChecks, NicsThatTakeInLessThanTheirLinksBringAreNamed) {
  EXPECT_THAT(warnings(kLeafSpine, {"racks.server.nic.receive_rate=100Gbps"}),
              ElementsAre(HasSubstr(
                  "the NIC of h0 takes in 100 Gbps of the 400 Gbps that its link brings")));
  EXPECT_THAT(warnings(kLeafSpine, {"racks.server.nic.receive_rate=400Gbps"}), IsEmpty());
}

// XOFF is 1 MiB: marks from 2 MB on come after pauses, and so do those from 200 KB at 25 Gbps,
// which are 3.2 MB at 400.
TEST(StaticChecks, MarksThatComeAfterPausesAreNamedWhereDcqcnNeedsThem) {
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.ecn.kmin=2MB"}),
              ElementsAre(HasSubstr("class data marks only after PFC has paused")));
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.ecn={kmin: 200KB, kmax: 800KB, at_rate: 25Gbps}"}),
              ElementsAre(HasSubstr("marks only after PFC has paused")));
  EXPECT_THAT(warnings(kLeafSpine, {"fabric.ecn.kmin=2MB", "transport.congestion_control=none"}),
              IsEmpty());
}

// Steps of 40 and 100 Gbps at 400: four times and ten times too small. Steps that follow the link,
// or that somebody chose, are nobody's business.
TEST(StaticChecks, StepsThatWerePublishedForMuchSlowerLinksAreNamed) {
  const auto with = [](const std::string& control) {
    return warnings(kLeafSpine, {"transport.congestion_control={type: " + control + "}"});
  };
  EXPECT_THAT(with("dcqcn, preset: paper"),
              ElementsAre(HasSubstr("the steps of DCQCN are those published for 40 Gbps, and hosts "
                                    "send at 400 Gbps: after a cut it takes 10 times as long")));
  EXPECT_THAT(with("dcqcn, preset: connectx"), ElementsAre(HasSubstr("published for 100 Gbps")));
  EXPECT_THAT(with("timely, preset: hpcc-ns3"), ElementsAre(HasSubstr("the steps of TIMELY")));
  EXPECT_THAT(with("dctcp, preset: hpcc-ns3"), ElementsAre(HasSubstr("the steps of DCTCP")));
  EXPECT_THAT(with("dcqcn, preset: scaled"), IsEmpty());
  EXPECT_THAT(with("dcqcn, preset: paper, at_rate: 40Gbps"), IsEmpty());
  EXPECT_THAT(with("dcqcn, preset: paper, additive_increase: 400Mbps"), IsEmpty());
  EXPECT_THAT(with("dctcp"), IsEmpty());
  EXPECT_THAT(warnings(kLeafSpine, {"links.access={rate: 100Gbps, latency: 100ns}",
                                    "transport.congestion_control={type: dcqcn, preset: paper}"}),
              IsEmpty());
}

TEST(StaticChecks, RoutesOnWhichLosslessClassesCanDeadlockArePrinted) {
  const auto found = warnings(kRing);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(
      found[0],
      AllOf(HasSubstr("lossless traffic can deadlock"),
            HasSubstr("4 link directions wait for each other in a circle: s0[1]->s1[1] (for "
                      "h2), s1[2]->s2[1] (for h3), s2[2]->s3[2] (for h0), s3[1]->s0[2] (for "
                      "h1), and again s0[1]->s1[1]")));
  EXPECT_THAT(warnings(kRing, {"fabric.flow_control=none"}), IsEmpty());
  EXPECT_THAT(warnings(kRing, {"fabric.flow_control=credit"}), Contains(HasSubstr("can deadlock")));
}

// Quantities at their limits: no sum may overflow and no loop may be endless.
TEST(StaticChecks, AbsurdSizesAreReportedNotComputed) {
  EXPECT_THAT(
      warnings(kLeafSpine,
               {"fabric.flow_control={xoff: 2000000000GB, xon: 0, reserved: 2000000000GB}"}),
      Contains(HasSubstr("error: fabric.switch.buffer")));
  EXPECT_THAT(
      warnings(kLeafSpine, {"fabric.pause.response=2000000s", "links.access.rate=1000Tbps",
                            "links.access.latency=2000000s", "fabric.flow_control.headroom=exact"}),
      Contains(HasSubstr("error: fabric.switch.buffer")));
}

// GPUs of nobody knows which kind have no constants in the tables that `algorithm: nccl` goes by.
TEST(StaticChecks, NcclOnGpusWhoseConstantsAreNotKnownIsSaid) {
  const auto of = [](const std::string& server, const std::string& more) {
    return warnings(("name: t\nracks: {count: 1, servers: 1, server: " + server +
                     "}\nfabric: {topology: single-domain}\n"
                     "jobs: [{name: ar, type: all-reduce, size: 1MiB, " +
                     more + "}]\n")
                        .c_str());
  };
  const auto is_said = Contains(HasSubstr("job ar runs as NCCL does on H100s"));
  const std::string unknown = "{part: dgx-2, scale_up: {gpus: other}}";
  EXPECT_THAT(of(unknown, "algorithm: nccl"), is_said);
  EXPECT_THAT(of(unknown, "algorithm: ring, execution: nccl"), is_said);
  EXPECT_THAT(of(unknown, "algorithm: nccl, generation: ampere"), Not(is_said));
  EXPECT_THAT(of(unknown, "algorithm: ring"), Not(is_said));
  EXPECT_THAT(of("dgx-2", "algorithm: nccl"), Not(is_said));
  EXPECT_THAT(of("hgx-h100", "algorithm: nccl"), Not(is_said));
}

// Two flows of 2 MB that meet on an uplink of 100 Mbps: what comes second waits 160 ms, longer than
// the time-out of 67 ms, and is sent again and again.
TEST(StaticChecks, TimeOutsOfWhatIsNotLostAreForetold) {
  const std::string fabric =
      "name: t\n"
      "fabric: {topology: fat-tree, k: 4, server: ideal-host, switch: ideal, ecn: none, "
      "flow_control: none}\n"
      "links: {access: {cable: ideal}, uplink: {rate: 100Mbps, latency: 1ns}}\n";
  const auto warnings_of = [&](const std::string& transport, const std::string& size) {
    const auto loaded = load_scenario_text(
        fabric + "transport: {type: roce, congestion_control: none" + transport +
            "}\njobs: [{name: a, type: permutation, pairs: random, size: " + size + "}]\n",
        "t.yaml");
    return build_experiment(loaded.value().scenario).value().warnings;
  };
  const auto foretold = Contains(AllOf(HasSubstr("longer than the time-out of 67.11 ms"),
                                       HasSubstr("far longer than is foreseen")));
  EXPECT_THAT(warnings_of("", "2MB"), foretold);
  // Who waits longer, or has less before it, is not sent again.
  EXPECT_THAT(warnings_of(", retransmit_timeout: 10s", "2MB"),
              Not(Contains(HasSubstr("time-out"))));
  EXPECT_THAT(warnings_of("", "20KB"), Not(Contains(HasSubstr("time-out"))));
}

// Four hosts send 64 MiB each to another leaf over four uplinks of 50 Gbps, without PFC. Sprayed,
// 64 MiB come to each of them at 100 Gbps; 48 MiB are of others, and half of those wait, 4 ms.
// Over uplinks of 100 Gbps none wait, where hashes may put all four on one.
TEST(StaticChecks, SprayedPacketsWaitForTheirShareOfEveryUplink) {
  const auto warnings_of = [](const std::string& balancing, const std::string& rate) {
    const auto loaded = load_scenario_text(
        "name: t\n"
        "racks: {count: 2, servers: 4, server: {part: host-400g, nic: {rate: 100Gbps}}}\n"
        "links: {uplink: {rate: " +
            rate + "}}\nfabric: {topology: leaf-spine, spines: 4, switch: spectrum-4, ecn: none, " +
            "flow_control: none, load_balancing: " + balancing +
            "}\ntransport: {type: roce, receiver: any-order, congestion_control: none, "
            "retransmit_timeout: 200us}\n"
            "jobs: [{name: a, type: messages, list: [{from: 0, to: 4, size: 64MiB}, {from: 1, to: "
            "5, size: 64MiB}, {from: 2, to: 6, size: 64MiB}, {from: 3, to: 7, size: 64MiB}]}]\n",
        "t.yaml");
    return build_experiment(loaded.value()).value().warnings;
  };
  const auto foretold = Contains(HasSubstr("longer than the time-out of 200 us"));
  for (const char* balancing : {"round-robin", "spray", "flowlet"}) {
    EXPECT_THAT(warnings_of(balancing, "100Gbps"), Not(foretold)) << balancing;
    EXPECT_THAT(warnings_of(balancing, "50Gbps"), foretold) << balancing;
  }
  EXPECT_THAT(warnings_of("ecmp", "100Gbps"), foretold);
}

// With PFC a port that holds more than XOFF and what comes after it is stopped: before an uplink of
// 75 Gbps that hashes give to two hosts waits 1 MiB and a little of the other one, 0.12 ms. Without
// PFC it is 128 MiB.
TEST(StaticChecks, WhatPfcHoldsBackDoesNotWaitBeforeAPort) {
  const auto warnings_of = [](const std::string& timeout) {
    const auto loaded =
        load_scenario(std::filesystem::path(WEFT_SOURCE_DIR) / "scenarios/link-failure.yaml",
                      {"fabric.load_balancing=ecmp", "jobs[0].size=256MiB", "faults=[]",
                       "transport.retransmit_timeout=" + timeout});
    return build_experiment(loaded.value()).value().warnings;
  };
  EXPECT_THAT(warnings_of("200us"), Not(Contains(HasSubstr("time-out"))));
  EXPECT_THAT(warnings_of("100us"), Not(Contains(HasSubstr("time-out"))));
  EXPECT_THAT(warnings_of("50us"), Contains(HasSubstr("longer than the time-out of 50 us")));
}

}  // namespace
}  // namespace weft::scenarios
