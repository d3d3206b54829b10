// Pauses followed to their roots, on cases small enough to do by hand.

#include "protocols/analysis/pause_analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "protocols/analysis/victim_analysis.hpp"
#include "tests/support/named_fabric.hpp"

namespace weft::testing {
namespace {

using protocols::analyse_pauses;
using protocols::FlowActivity;
using protocols::kNoIndex;
using protocols::PauseAnalysis;
using protocols::PauseInterval;
using protocols::PauseStorm;
using protocols::VictimFlow;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// a, b - s1 - s2 - s3 - d, e with c on s2.
class Row : public ::testing::Test {
 protected:
  [[nodiscard]] PortId port(const char* from, const char* to) const {
    return port_between(fabric_, from, to);
  }
  [[nodiscard]] static PauseInterval pause(PortId port, PortId cause, int start, int end,
                                           ClassId traffic_class = {}) {
    return {.port = port,
            .cause = cause,
            .start = Picoseconds(start),
            .end = Picoseconds(end),
            .traffic_class = traffic_class};
  }
  /// s3->d is overloaded; the pauses reach both hosts of s1.
  [[nodiscard]] std::vector<PauseInterval> chain() const {
    return {pause(port("b", "s1"), port("s1", "s2"), 150, 160),
            pause(port("a", "s1"), port("s1", "s2"), 140, 170),
            pause(port("s1", "s2"), port("s2", "s3"), 120, 180),
            pause(port("s2", "s3"), port("s3", "d"), 100, 200)};
  }
  [[nodiscard]] std::vector<VictimFlow> victims(const std::vector<PauseInterval>& pauses,
                                                const std::vector<FlowActivity>& flows) const {
    return protocols::find_victims(fabric_, pauses, analyse_pauses(fabric_, pauses), flows);
  }
  [[nodiscard]] FlowActivity flow(std::vector<PortId> path,
                                  std::vector<protocols::Period> active) const {
    return {
        .path = std::move(path), .spread = {}, .traffic_class = {}, .active = std::move(active)};
  }
  [[nodiscard]] std::vector<PortId> a_to_c() const {
    return {port("a", "s1"), port("s1", "s2"), port("s2", "c")};
  }
  [[nodiscard]] std::vector<PortId> a_to_d() const {
    return {port("a", "s1"), port("s1", "s2"), port("s2", "s3"), port("s3", "d")};
  }

  Fabric fabric_ = topologies::build_fabric(named_links({{"a", "s1"},
                                                         {"b", "s1"},
                                                         {"s1", "s2"},
                                                         {"c", "s2"},
                                                         {"s2", "s3"},
                                                         {"s3", "d"},
                                                         {"s3", "e"}}))
                       .value();
};

// MODEL.md 13.1
TEST_F(Row, AChainOfPausesLeadsToTheOverloadedEgress) {
  const PauseAnalysis analysis = analyse_pauses(fabric_, chain());
  ASSERT_THAT(analysis.storms, SizeIs(1));
  const PauseStorm& storm = analysis.storms.front();
  EXPECT_EQ(storm.root, PauseStorm::Root::kEgress);
  EXPECT_THAT(storm.ports, ElementsAre(port("s3", "d")));
  EXPECT_EQ(storm.pauses, 4u);
  EXPECT_EQ(storm.paused_ports, 4u);
  EXPECT_EQ(storm.paused_hosts, 2u);
  EXPECT_EQ(storm.depth, 3u);
  EXPECT_EQ(storm.paused, Picoseconds(100 + 60 + 30 + 10));
  EXPECT_EQ(storm.first, 100_ps);
  EXPECT_EQ(storm.last, 200_ps);
  EXPECT_THAT(analysis.parent, ElementsAre(2u, 2u, 3u, kNoIndex));
  // From the root outwards, the heavier of two siblings first.
  ASSERT_THAT(storm.tree, SizeIs(4));
  const std::vector<PortId> ports{port("s2", "s3"), port("s1", "s2"), port("a", "s1"),
                                  port("b", "s1")};
  const std::vector<std::uint32_t> parents{kNoIndex, 0, 1, 1};
  const std::vector<int> totals{200, 100, 30, 10};
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(storm.tree[b].port, ports[b]) << b;
    EXPECT_EQ(storm.tree[b].parent, parents[b]) << b;
    EXPECT_EQ(storm.tree[b].total, Picoseconds(totals[b])) << b;
  }
}

// MODEL.md 13.1
TEST_F(Row, ANicThatTakesInTooLittleIsTheRoot) {
  const std::vector<PauseInterval> pauses{
      pause(port("s2", "s3"), port("s3", "d"), 50, 400),
      pause(port("s3", "d"), PortId::none(), 0, 500),
  };
  const PauseAnalysis analysis = analyse_pauses(fabric_, pauses);
  ASSERT_THAT(analysis.storms, SizeIs(1));
  EXPECT_EQ(analysis.storms[0].root, PauseStorm::Root::kNic);
  EXPECT_THAT(analysis.storms[0].ports, ElementsAre(port("s3", "d")));
  EXPECT_EQ(analysis.storms[0].depth, 2u);
  EXPECT_EQ(analysis.storms[0].paused, 850_ps);
  EXPECT_EQ(analysis.storms[0].paused_hosts, 0u);
}

TEST_F(Row, TwoRootsAreTwoStormsAlthoughTheyPauseOnePort) {
  const std::vector<PauseInterval> pauses{
      pause(port("s2", "s3"), port("s3", "d"), 0, 10),
      pause(port("s2", "s3"), port("s3", "e"), 20, 50),
      pause(port("s1", "s2"), port("s2", "s3"), 5, 9),
  };
  const PauseAnalysis analysis = analyse_pauses(fabric_, pauses);
  ASSERT_THAT(analysis.storms, SizeIs(2));
  EXPECT_THAT(analysis.storms[0].ports, ElementsAre(port("s3", "e")));  // 30 ps, the other 14
  EXPECT_THAT(analysis.storms[1].ports, ElementsAre(port("s3", "d")));
  EXPECT_THAT(analysis.storm_of, ElementsAre(1u, 0u, 1u));
}

TEST_F(Row, ClassesAreFollowedApart) {
  const std::vector<PauseInterval> pauses{
      pause(port("s2", "s3"), port("s3", "d"), 0, 100, ClassId(1)),
      pause(port("s1", "s2"), port("s2", "s3"), 50, 60, ClassId(0)),
  };
  const PauseAnalysis analysis = analyse_pauses(fabric_, pauses);
  ASSERT_THAT(analysis.storms, SizeIs(2));
  EXPECT_EQ(analysis.storms[0].traffic_class, ClassId(1));
  EXPECT_THAT(analysis.storms[1].ports, ElementsAre(port("s2", "s3")));
}

TEST_F(Row, AParentHoldsWhenXoffIsCrossedNotWhenThePauseTakesEffect) {
  // s1->s2 obeys at 250. Without a reaction time s2->s3 was free again by then, and so overloaded
  // in its own right; if the pause took 60 ps to get there, s2->s3 was still paused at 190.
  const std::vector<PauseInterval> pauses{
      pause(port("s2", "s3"), port("s3", "d"), 100, 200),
      pause(port("s1", "s2"), port("s2", "s3"), 250, 300),
  };
  EXPECT_THAT(analyse_pauses(fabric_, pauses).storms, SizeIs(2));
  const std::vector<Picoseconds> reaction(fabric_.ports.size(), 60_ps);
  const PauseAnalysis analysis = analyse_pauses(fabric_, pauses, {.reaction = reaction});
  ASSERT_THAT(analysis.storms, SizeIs(1));
  EXPECT_THAT(analysis.storms[0].ports, ElementsAre(port("s3", "d")));
}

TEST_F(Row, APauseThatBeginsLaterIsTheCauseOnlyIfItHoldsForMostOfTheTime) {
  // s1->s2 is paused for 250 ps, s2->s3 for 100 or 130 of them.
  std::vector<PauseInterval> pauses{
      pause(port("s1", "s2"), port("s2", "s3"), 50, 300),
      pause(port("s2", "s3"), port("s3", "d"), 100, 200),
  };
  EXPECT_THAT(analyse_pauses(fabric_, pauses).parent, ElementsAre(kNoIndex, kNoIndex));
  pauses.push_back(pause(port("s2", "s3"), port("s3", "e"), 270, 310));
  EXPECT_THAT(analyse_pauses(fabric_, pauses).parent, ElementsAre(1u, kNoIndex, kNoIndex));
}

TEST_F(Row, OnlyTheMeasuredPartCounts) {
  const PauseAnalysis analysis = analyse_pauses(fabric_, chain(), {.from = 165_ps});
  ASSERT_THAT(analysis.storms, SizeIs(1));
  EXPECT_EQ(analysis.storms[0].pauses, 3u);  // b->s1 was over
  EXPECT_EQ(analysis.storms[0].paused, Picoseconds(35 + 15 + 5));
  EXPECT_EQ(analysis.storm_of[0], kNoIndex);
  EXPECT_THAT(analyse_pauses(fabric_, chain(), {.from = 200_ps}).storms, IsEmpty());
  EXPECT_THAT(analyse_pauses(fabric_, {}).storms, IsEmpty());
}

TEST_F(Row, TheOrderOfThePausesDoesNotMatter) {
  std::vector<PauseInterval> pauses = chain();
  const PauseAnalysis expected = analyse_pauses(fabric_, pauses);
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(pauses.begin(), pauses.end(), random);
    const PauseAnalysis analysis = analyse_pauses(fabric_, pauses);
    ASSERT_THAT(analysis.storms, SizeIs(1));
    ASSERT_THAT(analysis.storms[0].tree, SizeIs(4));
    for (std::size_t b = 0; b < 4; ++b) {
      EXPECT_EQ(analysis.storms[0].tree[b].port, expected.storms[0].tree[b].port);
    }
  }
}

// MODEL.md 13.3
TEST_F(Row, AFlowThatSharesNoBottleneckIsAVictim) {
  // a->c waits while s1->s2 is paused, 120 .. 180; the pause of its own NIC port lies within that
  // and counts once. a->d goes to the bottleneck itself.
  const auto found =
      victims(chain(), {flow(a_to_d(), {{0_ps, 1000_ps}}), flow(a_to_c(), {{0_ps, 1000_ps}})});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].flow, 1u);
  EXPECT_EQ(found[0].lost, 60_ps);
  EXPECT_EQ(found[0].active, 1000_ps);
  ASSERT_THAT(found[0].losses, SizeIs(1));
  EXPECT_EQ(found[0].losses[0].storm, 0u);
  EXPECT_EQ(found[0].losses[0].lost, 60_ps);
}

TEST_F(Row, OnlyTheLifeOfAFlowCounts) {
  const auto found = victims(chain(), {flow(a_to_c(), {{130_ps, 150_ps}, {160_ps, 175_ps}}),
                                       flow(a_to_c(), {{0_ps, 120_ps}, {180_ps, 200_ps}})});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].flow, 0u);
  EXPECT_EQ(found[0].lost, Picoseconds(20 + 15));
  EXPECT_EQ(found[0].active, 35_ps);
}

TEST_F(Row, AFlowOfAnotherClassIsNotHurt) {
  FlowActivity other = flow(a_to_c(), {{0_ps, 1000_ps}});
  other.traffic_class = ClassId(1);
  EXPECT_THAT(victims(chain(), {other}), IsEmpty());
}

TEST_F(Row, TimeThatTwoStormsHoldIsCountedOnce) {
  const std::vector<PauseInterval> pauses{
      pause(port("s2", "s3"), port("s3", "d"), 0, 100),
      pause(port("s1", "s2"), port("s2", "s3"), 10, 60),
      pause(port("a", "s1"), port("s1", "b"), 40, 110),
  };
  const auto found = victims(pauses, {flow(a_to_c(), {{0_ps, 1000_ps}})});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].lost, 100_ps);  // 10 .. 110
  ASSERT_THAT(found[0].losses, SizeIs(2));
  EXPECT_EQ(found[0].losses[0].lost, 70_ps);
  EXPECT_EQ(found[0].losses[1].lost, 50_ps);
}

// MODEL.md 13.4
TEST_F(Row, ASprayedFlowThatMayCrossTheRootIsNoVictim) {
  FlowActivity sprayed = flow({port("a", "s1")}, {{0_ps, 1000_ps}});
  ASSERT_THAT(victims(chain(), {sprayed}), SizeIs(1));
  EXPECT_EQ(victims(chain(), {sprayed})[0].lost, 30_ps);  // of its NIC port only
  const std::vector<PortId> spread{port("s3", "d")};
  sprayed.spread = spread;
  EXPECT_THAT(victims(chain(), {sprayed}), IsEmpty());
}

/// Four switches in a ring, a host on each.
class Ring : public Row {
 protected:
  Ring() {
    fabric_ = topologies::build_fabric(named_links({{"h0", "s0"},
                                                    {"h1", "s1"},
                                                    {"h2", "s2"},
                                                    {"h3", "s3"},
                                                    {"s0", "s1"},
                                                    {"s1", "s2"},
                                                    {"s2", "s3"},
                                                    {"s3", "s0"}}))
                  .value();
  }
  /// s0->s1 was paused first, then what it blocks, and so on round to s1->s2, which it waits for.
  [[nodiscard]] std::vector<PauseInterval> deadlock(bool is_lasting) const {
    std::vector<PauseInterval> pauses{
        pause(port("s0", "s1"), port("s1", "s2"), 10, 1000),
        pause(port("s3", "s0"), port("s0", "s1"), 20, 1000),
        pause(port("s2", "s3"), port("s3", "s0"), 30, 1000),
        pause(port("s1", "s2"), port("s2", "s3"), 40, 1000),
        pause(port("h1", "s1"), port("s1", "s2"), 50, 1000),
        pause(port("h0", "s0"), port("s0", "s1"), 15, 1000),
    };
    for (PauseInterval& p : pauses) p.is_lasting = is_lasting;
    return pauses;
  }
};

// MODEL.md 13.2
TEST_F(Ring, AChainThatBitesItsOwnTailIsACycle) {
  for (const bool is_lasting : {false, true}) {
    const PauseAnalysis analysis = analyse_pauses(fabric_, deadlock(is_lasting));
    ASSERT_THAT(analysis.storms, SizeIs(1)) << is_lasting;
    const PauseStorm& storm = analysis.storms.front();
    EXPECT_EQ(storm.root, PauseStorm::Root::kCycle);
    // Each waits for the next.
    EXPECT_THAT(storm.ports, ElementsAre(port("s0", "s1"), port("s1", "s2"), port("s2", "s3"),
                                         port("s3", "s0")));
    EXPECT_EQ(storm.pauses, 6u);
    EXPECT_EQ(storm.paused_hosts, 2u);
    EXPECT_EQ(storm.depth, 2u);
  }
}

TEST_F(Ring, WhatHoldsAPauseAtTheEndOutweighsWhatBeganIt) {
  // s0->s1 began while s1->s2 was paused by its host's overloaded port, which has long recovered.
  std::vector<PauseInterval> pauses = deadlock(true);
  pauses.push_back(pause(port("s1", "s2"), port("s2", "h2"), 5, 12));
  const PauseAnalysis analysis = analyse_pauses(fabric_, pauses);
  ASSERT_THAT(analysis.storms, SizeIs(2));
  EXPECT_EQ(analysis.storms[0].root, PauseStorm::Root::kCycle);
  EXPECT_EQ(analysis.storms[0].pauses, 6u);
  EXPECT_THAT(analysis.storms[1].ports, ElementsAre(port("s2", "h2")));
}

TEST_F(Ring, AFlowThroughTheCycleIsNoVictimOfIt) {
  const std::vector<PortId> through{port("h0", "s0"), port("s0", "s1"), port("s1", "h1")};
  EXPECT_THAT(victims(deadlock(true), {flow(through, {{0_ps, 1000_ps}})}), IsEmpty());
  // Its NIC waits for the cycle, though the flow goes elsewhere.
  const auto found = victims(deadlock(true), {flow({port("h0", "s0")}, {{0_ps, 1000_ps}})});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].lost, 985_ps);
}

}  // namespace
}  // namespace weft::testing
