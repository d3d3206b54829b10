// What random scenarios have: that every two features meet that can, and what the checks leave out.

#include "tests/properties/swarm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "protocols/network/packet_network.hpp"
#include "scenarios/run/network_options.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/properties/swarm_seeds.hpp"

namespace weft::testing {
namespace {

using F = SwarmFeature;

/// Two features that no scenario has together, and why.
struct Apart {
  F a;
  F b;
};
constexpr std::array kApart{
    // Their servers have no NICs by name.
    Apart{F::kFatTree, F::kSlowNics},
    // Refused, for datagrams are put together in order only.
    Apart{F::kSpray, F::kDatagrams},
    // Refused: switches there say nothing in packets.
    Apart{F::kInputQueues, F::kTelemetry},
    // Refused: only queues at outputs are trimmed.
    Apart{F::kInputQueues, F::kTrimming},
    // What is lost is not sent again.
    Apart{F::kDatagrams, F::kLinkFailures},
    Apart{F::kDatagrams, F::kBitErrors},
};
/// What the plain path is without.
constexpr std::array kNotPlain{
    F::kSlowNics,      F::kCells,      F::kCredits,       F::kDynamicThresholds, F::kHeadroom,
    F::kInputQueues,   F::kCutThrough, F::kEntropies,     F::kTelemetry,         F::kGrants,
    F::kUltraEthernet, F::kTrimming,   F::kOwnTransports, F::kLinkFailures,      F::kSlowLinks,
    F::kNicPauses,     F::kBitErrors,  F::kLinkRetry,
};

bool may_meet(F a, F b) {
  if (b == F::kPlainPath && std::ranges::find(kNotPlain, a) != kNotPlain.end()) return false;
  return std::ranges::none_of(kApart,
                              [&](const Apart& apart) { return apart.a == a && apart.b == b; });
}

SwarmFeatures features_of(std::uint64_t seed) {
  RandomScenario scenario(seed);
  (void)scenario.text();
  return scenario.features();
}

TEST(Swarm, EveryTwoFeaturesThatMayMeetDoSo) {
  constexpr std::uint64_t kSeeds = 4000;
  std::array<std::array<int, kSwarmFeatures>, kSwarmFeatures> met{};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SwarmFeatures features = features_of(seed);
    for (std::size_t a = 0; a < kSwarmFeatures; ++a) {
      for (std::size_t b = a + 1; b < kSwarmFeatures; ++b) {
        met[a][b] += features.test(a) && features.test(b) ? 1 : 0;
      }
    }
  }
  for (std::size_t a = 0; a < kSwarmFeatures; ++a) {
    for (std::size_t b = a + 1; b < kSwarmFeatures; ++b) {
      const std::string names = name_of(F(a)) + " and " + name_of(F(b));
      if (may_meet(F(a), F(b))) {
        EXPECT_GE(met[a][b], 3) << names;
      } else {
        EXPECT_EQ(met[a][b], 0) << names;
      }
    }
  }
}

// Among those of the fast tests, too: 60 scenarios meet the pairs that once were never seen.
TEST(Swarm, RareTwosMeetInTheFastTests) {
  constexpr std::array kRare{
      std::pair{F::kRivals, F::kPlainPath}, std::pair{F::kNoMarks, F::kLossy},
      std::pair{F::kSpray, F::kGoBackN},    std::pair{F::kNoMarks, F::kPlainPath},
      std::pair{F::kCells, F::kRivals},
  };
  for (const auto& [a, b] : kRare) {
    bool has_met = false;
    for (std::uint64_t seed = 1; seed <= kFastScenarios && !has_met; ++seed) {
      const SwarmFeatures features = features_of(seed);
      has_met = features.test(index_of(a)) && features.test(index_of(b));
    }
    EXPECT_TRUE(has_met) << name_of(a) << " and " << name_of(b);
  }
}

scenarios::Experiment experiment_of(std::uint64_t seed) {
  const std::string text = RandomScenario(seed).text();
  const auto loaded = scenarios::load_scenario_text(text, "random.yaml");
  EXPECT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  return build_loaded(loaded.value());
}

TEST(Swarm, PlainScenariosTakeThePlainPath) {
  int plain = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const bool is_plain = features_of(seed).test(index_of(F::kPlainPath));
    const scenarios::Experiment e = experiment_of(seed);
    const protocols::PacketNetwork network(e.fabric, e.routes, scenarios::network_options(e),
                                           e.workload.process_hosts(), e.workload.connections(),
                                           e.workload.groups());
    EXPECT_EQ(network.features() == protocols::Features(), is_plain) << seed;
    plain += is_plain ? 1 : 0;
  }
  EXPECT_GE(plain, 10);
}

TEST(Swarm, BuffersAreHeldToDropNothingInNineOfTenScenarios) {
  expect_few_skipped(
      1, 400, [](std::uint64_t seed) { return forgets_pauses(experiment_of(seed).scenario); });
}

}  // namespace
}  // namespace weft::testing
