#include "collectives/proof/symbolic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/algorithms/tree/tree_place.hpp"
#include "simcore/base/random.hpp"
#include "tests/collectives/schedule_shapes.hpp"
#include "tests/support/extent.hpp"

// Every (operation, algorithm) pair is run on symbols (symbolic.hpp), for all numbers of ranks up
// to 24, powers of two and not, and larger ones at random; with channels, chunks, slices and sizes
// that divide by nothing.
namespace weft::collectives {
namespace {

using testing::cases;
using testing::Sample;

class EveryPair : public ::testing::TestWithParam<Pair> {
 protected:
  /// False if the pair refuses the shape.
  static bool expect_proof(std::uint32_t n, const Shape& shape, std::uint64_t order = 1) {
    const auto [operation, algorithm] = GetParam();
    SchedulePlan p = plan(operation, algorithm, n, shape);
    if (const std::string refused = refusal(p, algorithm, true); !refused.empty()) {
      // Refused are only shapes that cannot be, not sizes or numbers of ranks; but primes make no
      // domains.
      const bool has_no_domains = algorithm == Algorithm::kNvlsTree && domain_size(n) == n;
      EXPECT_TRUE(shape.channels > 1 || shape.chunk > 0 || has_no_domains || shape.domain > 0)
          << refused;
      return false;
    }
    const auto schedule = make_schedule(std::move(p), algorithm);
    const Proof proof = prove(*schedule, order);
    EXPECT_TRUE(proof.holds()) << "n = " << n << ", size " << shape.size << ", channels "
                               << shape.channels << ", chunk " << shape.chunk << ", slices "
                               << shape.slices << ", root " << shape.root << ": "
                               << (proof.holds() ? "" : proof.problems[0]);
    return true;
  }
};

TEST_P(EveryPair, EndsWithTheRightDataForEveryNumberOfRanks) {
  Sample sample(2);
  for (std::uint32_t n = 2; n <= 24; ++n) {
    if (sample.takes()) expect_proof(n, {.size = 100'003, .root = n / 3});
  }
  for (const std::uint32_t n : {31U, 32U, 33U, 48U, 64U}) {
    expect_proof(n, {.size = 1 << 20, .root = n - 1});
  }
}

TEST_P(EveryPair, EndsWithTheRightDataInAnyOrderOfEvents) {
  for (std::uint64_t order = 1; order <= 20; ++order) {
    expect_proof(6, {.size = 601, .root = 2}, order);
    expect_proof(6, {.size = 6001, .channels = 2, .chunk = 100, .slices = 3, .root = 2}, order);
  }
}

TEST_P(EveryPair, EndsWithTheRightDataInChannelsChunksAndSlices) {
  for (const std::uint32_t n : {2U, 3U, 5U, 8U, 12U, 13U}) {
    expect_proof(n, {.size = 99'991, .slices = 2, .root = 1});
    expect_proof(n, {.size = 99'991, .channels = 3, .root = 1});
    expect_proof(n, {.size = 99'991, .chunk = 1000, .root = 1});
    expect_proof(n, {.size = 99'991, .channels = 4, .chunk = 777, .slices = 3, .root = 1});
  }
}

TEST_P(EveryPair, EndsWithTheRightDataInDomains) {
  for (const std::uint32_t domain : {2U, 3U, 4U}) {
    for (const std::uint32_t n : {2 * domain, 3 * domain, 4 * domain, 5 * domain + 1}) {
      expect_proof(n, {.size = 10'007, .root = n - 1, .domain = domain});
      expect_proof(n, {.size = 10'007, .channels = 3, .chunk = 500, .domain = domain});
    }
  }
}

TEST_P(EveryPair, EndsWithTheRightDataWhereRanksOfADomainShareNics) {
  for (const std::uint32_t per_nic : {2U, 4U, 8U}) {
    expect_proof(24,
                 {.size = 10'007, .channels = 5, .chunk = 500, .domain = 8, .per_nic = per_nic});
  }
}

TEST_P(EveryPair, EndsWithTheRightDataWhereThereIsLessDataThanRanks) {
  for (const std::uint32_t n : {2U, 3U, 7U, 16U}) {
    for (const std::int64_t size : {1, 2, 3, 6, 15, 17, 31}) {
      expect_proof(n, {.size = size});
      expect_proof(n, {.size = size, .channels = 2, .chunk = 1, .slices = 2, .root = n - 1});
    }
  }
}

TEST_P(EveryPair, EndsWithTheRightDataForRandomShapes) {
  const RandomStream random(3, Purpose::kTestScenario, 1);
  for (std::uint64_t i = 0; i < cases(5U, 15U); ++i) {
    const auto draw = [&](std::uint64_t which, std::uint64_t below) {
      return static_cast<std::uint32_t>(random.below(i * 8 + which, below));
    };
    Shape shape{.size = 1 + draw(0, 50'000), .root = draw(1, 40)};
    const std::uint32_t n = 2 + draw(6, 31);
    shape.slices = 1 + draw(2, 3);
    if (draw(3, 2) == 0) {
      shape.channels = 1 + draw(4, 4);
      shape.chunk = 1 + shape.size / (1 + draw(5, 12));
    }
    expect_proof(n, shape, i);
  }
}

/// Peer, block, offset and size of what a lane sends.
using Sent = std::tuple<Step::Kind, std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>;

Sent sent(const Step& step) {
  return {step.kind, step.peer, step.block, step.offset, step.bytes().count()};
}

// Whoever only counts what is sent asks for no more.
TEST_P(EveryPair, ListsTheSendsOfItsSteps) {
  const auto [operation, algorithm] = GetParam();
  for (const std::uint32_t n : {2U, 5U, 8U, 12U}) {
    for (const Shape& shape :
         {Shape{.size = 9'991, .root = 1},
          Shape{.size = 9'991, .channels = 3, .chunk = 777, .slices = 3, .root = 1},
          Shape{.size = 3, .channels = 2, .chunk = 1, .slices = 2}}) {
      SchedulePlan p = plan(operation, algorithm, n, shape);
      if (!refusal(p, algorithm, true).empty()) continue;
      const auto schedule = make_schedule(std::move(p), algorithm);
      for (std::uint32_t rank = 0; rank < n; ++rank) {
        for (std::uint32_t lane = 0; lane < schedule->lanes(); ++lane) {
          std::vector<Sent> expected;
          StepStream steps = schedule->steps(rank, lane);
          for (Step step; steps.next(step);) {
            if (step.sends()) expected.push_back(sent(step));
          }
          std::vector<Sent> listed;
          schedule->for_each_send(rank, lane,
                                  [&](const Step& step) { listed.push_back(sent(step)); });
          EXPECT_EQ(listed, expected) << n << " ranks, rank " << rank << ", lane " << lane;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Symbolic, EveryPair, ::testing::ValuesIn(all_pairs()), test_name);

/// Of all ranks together, per rank.
RankTraffic traffic(Operation operation, Algorithm algorithm, std::uint32_t n, const Shape& shape) {
  const auto schedule = make_schedule(plan(operation, algorithm, n, shape), algorithm);
  const Proof proof = prove(*schedule);
  EXPECT_TRUE(proof.holds());
  for (const RankTraffic& t : proof.traffic) {
    EXPECT_EQ(t.sent, proof.traffic[0].sent);
    EXPECT_EQ(t.received, proof.traffic[0].received);
  }
  return proof.traffic[0];
}

// Ring: all chunks but one leave a rank twice: 2 (n-1)/n S. It adds (n-1)/n S.
TEST(Bytes, OfARingAreTwiceTheVectorButOnePart) {
  for (const std::uint32_t n : {2U, 3U, 8U, 64U}) {
    const std::int64_t size = std::int64_t{960} * n;
    const RankTraffic t = traffic(Operation::kAllReduce, Algorithm::kRing, n, {.size = size});
    EXPECT_EQ(t.sent, std::int64_t{2} * (n - 1) * size / n);
    EXPECT_EQ(t.received, std::int64_t{2} * (n - 1) * size / n);
    EXPECT_EQ(t.reduced, (n - 1) * size / n);
  }
}

// NVLS: a rank hands the switch the whole vector and its sum, S + S/n, and gets its part of the sum
// and the whole vector back. It adds nothing.
TEST(Bytes, OfNvlsAreTheVectorAndOnePart) {
  for (const std::uint32_t n : {2U, 5U, 8U, 32U}) {
    const std::int64_t size = std::int64_t{960} * n;
    const RankTraffic t = traffic(Operation::kAllReduce, Algorithm::kNvls, n, {.size = size});
    EXPECT_EQ(t.sent, size + size / n);
    EXPECT_EQ(t.received, size + size / n);
    EXPECT_EQ(t.reduced, 0);
  }
}

// With more ranks than NCCL_MAX_NVLS_ARITY, 32 of them are heads, each of a 32nd part; the others
// only contribute and listen.
TEST(Bytes, OfNvlsOnARackAreThoseOf32Heads) {
  for (const std::uint32_t n : {33U, 64U, 72U}) {
    constexpr std::int64_t kSize = 960LL * 32;
    SchedulePlan p(n, in_domains(n, n));
    p.size = kSize;
    const Proof proof = prove(*make_schedule(std::move(p), Algorithm::kNvls));
    ASSERT_TRUE(proof.holds()) << proof.problems[0];
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const std::int64_t expected = kSize + (rank < 32 ? kSize / 32 : 0);
      EXPECT_EQ(proof.traffic[rank].sent, expected) << "rank " << rank << " of " << n;
      EXPECT_EQ(proof.traffic[rank].received, expected) << "rank " << rank << " of " << n;
    }
  }
}

// Of reduce-scatter and all-gather every rank has a part.
TEST(Bytes, OfHalvesOfNvlsOnARackAreThoseOfAllRanks) {
  for (const Operation operation : {Operation::kReduceScatter, Operation::kAllGather}) {
    SchedulePlan p(40, in_domains(40, 40));
    p.operation = operation;
    p.size = 960LL * 40;
    const Proof proof = prove(*make_schedule(std::move(p), Algorithm::kNvls));
    ASSERT_TRUE(proof.holds()) << proof.problems[0];
    for (const RankTraffic& t : proof.traffic) {
      EXPECT_EQ(t.sent, proof.traffic[0].sent);
      EXPECT_EQ(t.received, proof.traffic[0].received);
    }
  }
}

/// An all-reduce of `domains` times `size` ranks by trees between domains.
std::unique_ptr<const Schedule> nvls_tree(std::uint32_t domains, std::uint32_t size,
                                          const Shape& shape) {
  SchedulePlan p(domains * size, in_domains(domains * size, size));
  p.size = shape.size;
  p.channels = shape.channels;
  p.chunk = shape.chunk;
  p.slices = shape.slices;
  EXPECT_EQ(refusal(p, Algorithm::kNvlsTree, true), "");
  return make_schedule(std::move(p), Algorithm::kNvlsTree);
}

TEST(NvlsTree, EndsWithTheRightDataForManyDomainsOfManySizes) {
  for (const std::uint32_t domains : {2U, 3U, 4U, 5U, 7U, 8U, 12U, 13U, 16U}) {
    for (const std::uint32_t size : {2U, 3U, 4U, 8U}) {
      for (const Shape& shape :
           {Shape{.size = 100'003}, Shape{.size = 5}, Shape{.size = 9001, .channels = 2},
            Shape{.size = 99'991, .channels = 3, .chunk = 1000, .slices = 2}}) {
        const Proof proof = prove(*nvls_tree(domains, size, shape), domains + size);
        EXPECT_TRUE(proof.holds()) << domains << " domains of " << size << ", " << shape.size
                                   << " bytes: " << (proof.holds() ? "" : proof.problems[0]);
      }
    }
  }
}

// Racks have 32 heads: rails of the others carry nothing, and have no connections.
TEST(NvlsTree, OfRacksHas32Rails) {
  constexpr std::int64_t kSize = 960LL * 32;
  const auto schedule = nvls_tree(3, 36, {.size = kSize, .channels = 2});
  const Proof proof = prove(*schedule);
  ASSERT_TRUE(proof.holds()) << proof.problems[0];
  for (std::uint32_t rank = 0; rank < 3 * 36; ++rank) {
    const bool is_head = rank % 36 < 32;
    std::size_t peers = 0;
    for (std::uint32_t lane = 0; lane < schedule->lanes(); ++lane) {
      peers += schedule->send_peers(rank, lane).size();
    }
    EXPECT_EQ(peers > 0, is_head) << "rank " << rank;
    EXPECT_EQ(proof.traffic[rank].sent > kSize, is_head) << "rank " << rank;
    EXPECT_GE(proof.traffic[rank].sent, kSize) << "rank " << rank;
  }
}

// Buffers hold eight chunks: the ninth goes up or down only once the other end has taken the first.
// Of 20 chunks each edge of a tree has 12 control events against the direction of its messages, and
// a rank's lane for sums waits 12 times for the one after it.
TEST(NvlsTree, RunsNoFurtherAheadThanBuffersHold) {
  const auto schedule =
      nvls_tree(6, 4, {.size = std::int64_t{20} * 4 * 100, .channels = 1, .chunk = 100});
  std::vector<std::int64_t> signalled(std::size_t{24} * 4);
  std::vector<std::int64_t> awaited(std::size_t{24} * 4);
  for (std::uint32_t rank = 0; rank < 24; ++rank) {
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      StepStream stream = schedule->steps(rank, lane);
      std::int64_t turns = 0;
      std::int64_t sent = 0;
      for (Step step; stream.next(step);) {
        if (step.kind == Step::Kind::kSend) ++sent;
        if (step.kind == Step::Kind::kAwait) ++turns;
        if (step.kind == Step::Kind::kControlEvent) ++signalled[step.peer * 4 + lane];
        if (step.kind == Step::Kind::kAwaitControlEvents) awaited[rank * 4 + lane] += step.count();
      }
      const auto peers = static_cast<std::int64_t>(schedule->send_peers(rank, lane).size());
      EXPECT_EQ(sent, 20 * peers);
      EXPECT_EQ(awaited[rank * 4 + lane], 12 * peers) << "rank " << rank << ", lane " << lane;
      if (lane == 0) {
        EXPECT_EQ(turns, 12);
      }
    }
  }
  EXPECT_EQ(signalled, awaited);
}

// k domains of g. Inside its domain a rank sends the vector to the scale-up switches, and its g-th
// part from the tree: S + S/g; it gets as much. Along its rail, of two trees with half of a part
// each: k - 1 edges up and down per tree, so 2 (k-1)/k S/g on average, S/g exactly if there are two
// domains, and 2 S/g at most: a leaf of one tree sends up, and inside the other one up and two
// down.
TEST(Bytes, OfAnNvlsTreeAreThoseOfItsDomainAndOfItsRail) {
  for (const std::uint32_t k : {2U, 3U, 4U, 8U, 12U}) {
    for (const std::uint32_t g : {2U, 8U}) {
      const std::int64_t size = std::int64_t{960} * g;
      const auto schedule = nvls_tree(k, g, {.size = size, .channels = 2});
      const Proof proof = prove(*schedule);
      ASSERT_TRUE(proof.holds());
      std::int64_t along = 0;
      for (std::uint32_t rank = 0; rank < k * g; ++rank) {
        std::int64_t to_switches = 0;
        std::int64_t to_ranks = 0;
        for (std::uint32_t lane = 0; lane < schedule->lanes(); ++lane) {
          StepStream stream = schedule->steps(rank, lane);
          for (Step step; stream.next(step);) {
            if (step.kind == Step::Kind::kSend) to_ranks += step.amount;
            if (step.kind == Step::Kind::kContribute) to_switches += step.amount;
            if (step.kind == Step::Kind::kMulticast) to_switches += step.amount;
          }
        }
        EXPECT_EQ(to_switches, size + size / g);
        EXPECT_LE(to_ranks, (k % 2 == 0 ? 2 : 3) * size / g);
        EXPECT_EQ(to_switches + to_ranks, proof.traffic[rank].sent);
        if (k == 2) {
          EXPECT_EQ(to_ranks, size / g);
        }
        along += to_ranks;
      }
      EXPECT_EQ(along, std::int64_t{2} * (k - 1) * size);
    }
  }
}

// n = g k: inside 2 (g-1)/g S, between domains 2 (k-1)/k S/g.
TEST(Bytes, OfAHierarchicalAllReduceAreThoseOfItsStages) {
  const std::uint32_t n = 24;
  const std::int64_t g = domain_size(n);
  const std::int64_t k = n / g;
  ASSERT_EQ(g, 12);
  const std::int64_t size = std::int64_t{960} * n;
  const RankTraffic t = traffic(Operation::kAllReduce, Algorithm::kHierarchical, n, {.size = size});
  EXPECT_EQ(t.sent, 2 * (g - 1) * size / g + 2 * (k - 1) * size / (g * k));
}

TEST(Bytes, OfATwoShotAllReduceAreThoseOfARing) {
  const RankTraffic t = traffic(Operation::kAllReduce, Algorithm::kTwoShot, 8, {.size = 8000});
  EXPECT_EQ(t.sent, 14'000);
  EXPECT_EQ(traffic(Operation::kAllReduce, Algorithm::kOneShot, 8, {.size = 8000}).sent, 56'000);
}

TEST(Refusals, SayWhatIsMissing) {
  const auto why = [](Operation operation, Algorithm algorithm, const RankLayout& layout,
                      bool has_switches) {
    SchedulePlan p(6, layout);
    p.operation = operation;
    p.size = 100;
    return refusal(p, algorithm, has_switches);
  };
  EXPECT_NE(why(Operation::kGather, Algorithm::kRing, {}, false).find("one-shot and binomial-tree"),
            std::string::npos);
  EXPECT_NE(why(Operation::kAllReduce, Algorithm::kHierarchical, {}, false).find("alone"),
            std::string::npos);
  EXPECT_NE(why(Operation::kAllReduce, Algorithm::kHierarchical, in_domains(6, 4), false)
                .find("as many ranks"),
            std::string::npos);
  EXPECT_NE(why(Operation::kAllReduce, Algorithm::kNvls, in_domains(6, 6), false)
                .find("add and multicast"),
            std::string::npos);
  EXPECT_NE(
      why(Operation::kAllReduce, Algorithm::kNvls, in_domains(6, 3), true).find("one scale-up"),
      std::string::npos);
  EXPECT_EQ(why(Operation::kAllReduce, Algorithm::kNvls, in_domains(6, 6), true), "");
  const auto why_no_tree = [&](const RankLayout& layout, bool has_switches) {
    return why(Operation::kAllReduce, Algorithm::kNvlsTree, layout, has_switches);
  };
  EXPECT_NE(why_no_tree({}, true).find("alone"), std::string::npos);
  EXPECT_NE(why_no_tree(in_domains(6, 4), true).find("as many ranks"), std::string::npos);
  EXPECT_NE(why_no_tree(in_domains(6, 6), true).find("`nvls` does the same"), std::string::npos);
  EXPECT_NE(why_no_tree(in_domains(6, 3), false).find("add and multicast"), std::string::npos);
  EXPECT_EQ(why_no_tree(in_domains(6, 3), true), "");
  EXPECT_NE(
      why(Operation::kAllGather, Algorithm::kNvlsTree, in_domains(6, 3), true).find("no algorithm"),
      std::string::npos);
}

TEST(RingSchedule, SendsInAStepWhatItTookInTheStepBefore) {
  const auto ring = make_schedule(plan(Operation::kAllReduce, Algorithm::kRing, 6, {.size = 600}),
                                  Algorithm::kRing);
  StepStream stream = ring->steps(4, 0);
  std::vector<Step> steps;
  for (Step step; stream.next(step);) steps.push_back(step);
  ASSERT_EQ(steps.size(), 2U * 2 * 5);
  EXPECT_EQ(steps[0].range(), part_of({0, 600}, 6, 4));
  for (std::size_t i = 2; i < steps.size(); i += 2) {
    EXPECT_EQ(steps[i].kind, Step::Kind::kSend);
    EXPECT_EQ(steps[i - 1].kind, Step::Kind::kReceive);
    EXPECT_EQ(steps[i].range(), steps[i - 1].range());
  }
}

// Four domains of four: every ring crosses each border once, on one rail, and four rings use all
// rails.
TEST(RingOrder, KeepsToARailBetweenDomainsAndUsesAllOfThem) {
  const RankMap map(16, in_domains(16, 4));
  std::vector<int> used(4);
  for (std::uint32_t channel = 0; channel < 4; ++channel) {
    const RingOrder order(map, channel);
    int crossings = 0;
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      const std::uint32_t next = order.after(rank);
      EXPECT_EQ(order.before(next), rank);
      if (map.domain_of(rank) == map.domain_of(next)) continue;
      ++crossings;
      EXPECT_EQ(map.position_of(rank), map.position_of(next));
      ++used[map.position_of(rank)];
    }
    EXPECT_EQ(crossings, 4);
  }
  EXPECT_EQ(used, (std::vector<int>{4, 4, 4, 4}));
}

// Eight ranks on two NICs: rings of four channels use both, two each way.
TEST(RingOrder, UsesAllNicsOfADomainWhereRanksShareThem) {
  RankLayout layout = in_domains(16, 8);
  share_nics(layout, 4);
  const RankMap map(16, layout);
  EXPECT_EQ(map.nics(), 2U);
  std::vector<int> sent(4);
  std::vector<int> received(4);
  for (std::uint32_t channel = 0; channel < 4; ++channel) {
    const RingOrder order(map, channel);
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      const std::uint32_t next = order.after(rank);
      if (map.domain_of(rank) == map.domain_of(next)) continue;
      ++sent[layout.nic[rank]];
      ++received[layout.nic[next]];
    }
  }
  EXPECT_EQ(sent, (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(received, (std::vector<int>{2, 2, 2, 2}));
}

// One head per NIC: of eight ranks on two NICs the first of each sends and receives.
TEST(NvlsTree, HasAHeadPerNicBetweenDomains) {
  const auto schedule = make_schedule(plan(Operation::kAllReduce, Algorithm::kNvlsTree, 16,
                                           {.size = 1 << 20, .domain = 8, .per_nic = 4}),
                                      Algorithm::kNvlsTree);
  std::vector<std::uint32_t> heads;
  for (std::uint32_t rank = 0; rank < 16; ++rank) {
    bool sends = false;
    for (std::uint32_t lane = 0; lane < schedule->lanes(); ++lane) {
      sends = sends || !schedule->send_peers(rank, lane).empty();
    }
    if (sends) heads.push_back(rank);
  }
  EXPECT_EQ(heads, (std::vector<std::uint32_t>{0, 4, 8, 12}));
}

// Every rank has children in one of the two trees at most (n even: exactly one of the inner nodes
// or root; n odd: one rank may be inner in both).
TEST(DoubleBinaryTree, HasLeavesOfOneTreeInsideTheOther) {
  for (const std::uint32_t n : {2U, 4U, 6U, 8U, 10U, 64U}) {
    const auto schedule =
        make_schedule(plan(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, n, {.size = 100}),
                      Algorithm::kDoubleBinaryTree);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const bool is_inner_1 = !schedule->send_peers(rank, 1).empty();  // down the first tree
      const bool is_inner_2 = !schedule->send_peers(rank, 3).empty();
      EXPECT_TRUE(is_inner_1 != is_inner_2) << "rank " << rank << " of " << n;
    }
  }
}

TEST(Schedule, OfARingOrTreeOf16384RanksNeedsNoQuadraticMemory) {
  for (const Algorithm algorithm :
       {Algorithm::kRing, Algorithm::kBinomialTree, Algorithm::kDoubleBinaryTree,
        Algorithm::kHalvingDoubling, Algorithm::kHierarchical, Algorithm::kNvlsTree}) {
    const auto schedule =
        make_schedule(plan(Operation::kAllReduce, algorithm, 16'384, {.size = 1 << 30}), algorithm);
    std::size_t peers = 0;
    for (std::uint32_t rank = 0; rank < 16'384; ++rank) {
      for (std::uint32_t lane = 0; lane < schedule->lanes(); ++lane) {
        peers += schedule->send_peers(rank, lane).size();
      }
    }
    EXPECT_LE(peers, 16'384U * 14) << name_of(algorithm);
    StepStream stream = schedule->steps(5, 0);
    Step step;
    EXPECT_TRUE(stream.next(step));
  }
}

}  // namespace
}  // namespace weft::collectives
