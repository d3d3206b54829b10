#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "tests/topologies/specs.hpp"

/// Do hashed paths behave like independent, uniform choices? Pearson's chi-square against exact
/// distributions; a test fails at p <= 0.001. Seeds and keys are fixed, so a verdict never changes
/// from run to run; a hash with linear or correlated choices misses by many orders of magnitude.
namespace weft::topologies {
namespace {

constexpr double kSignificance = 0.001;

/// P(chi-square at least as large as observed). Neighbouring cells are merged until each expects at
/// least 5 (Cochran's rule).
double p_value(const std::vector<double>& observed, const std::vector<double>& expected) {
  double statistic = 0;
  int cells = 0;
  double merged_observed = 0;
  double merged_expected = 0;
  double left = 0;
  for (const double e : expected) left += e;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    merged_observed += observed[i];
    merged_expected += expected[i];
    left -= expected[i];
    if (merged_expected < 5 || (left < 5 && i + 1 < expected.size())) continue;
    statistic += std::pow(merged_observed - merged_expected, 2) / merged_expected;
    merged_observed = merged_expected = 0;
    ++cells;
  }
  return cdf(complement(boost::math::chi_squared(cells - 1), statistic));
}

double uniform_p_value(const std::vector<double>& observed) {
  double total = 0;
  for (const double count : observed) total += count;
  return p_value(
      observed, std::vector<double>(observed.size(), total / static_cast<double>(observed.size())));
}

double factorial(std::size_t n) { return std::tgamma(static_cast<double>(n) + 1); }

/// P(maximum load = k), k = 0 .. n, for n balls in m bins. P(max <= k) is n!/m^n times the
/// coefficient of x^n in (sum_{j<=k} x^j/j!)^m.
std::vector<double> distribution_of_maximum(std::size_t n, std::size_t m) {
  std::vector<double> result(n + 1);
  double below = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    std::vector<double> product(n + 1);
    product[0] = 1;
    for (std::size_t bin = 0; bin < m; ++bin) {
      std::vector<double> next(n + 1);
      for (std::size_t i = 0; i <= n; ++i) {
        for (std::size_t j = 0; j <= k && i + j <= n; ++j) {
          next[i + j] += product[i] / factorial(j);
        }
      }
      product = next;
    }
    const double at_most = product[n] * factorial(n) / std::pow(m, n);
    result[k] = at_most - below;
    below = at_most;
  }
  return result;
}

/// P(used bins = u), u = 0 .. m, ball by ball: the next one opens a new bin with (m - u) / m.
std::vector<double> distribution_of_used(std::size_t n, std::size_t m) {
  std::vector<double> chance(m + 1);
  chance[0] = 1;
  for (std::size_t ball = 0; ball < n; ++ball) {
    for (std::size_t u = m; u > 0; --u) {
      chance[u] =
          (chance[u] * static_cast<double>(u) + chance[u - 1] * static_cast<double>(m - u + 1)) /
          static_cast<double>(m);
    }
    chance[0] = 0;
  }
  return chance;
}

double mean(const std::vector<double>& chance) {
  double sum = 0;
  for (std::size_t i = 0; i < chance.size(); ++i) sum += static_cast<double>(i) * chance[i];
  return sum;
}

/// Histograms over trials of how m flows from one leaf fall on its m uplinks.
struct Census {
  std::vector<double> used;
  std::vector<double> maximum;
};

/// Flow i of every trial goes from host i of the first rack to host i of the second.
Census throw_flows(std::uint32_t m, int trials, const std::function<std::uint64_t(int)>& seed_of,
                   const std::function<std::uint32_t(int)>& queue_pair_of) {
  const Network net(leaf_spine(2, m, m));
  Census census{std::vector<double>(m + 1), std::vector<double>(m + 1)};
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<std::uint32_t> load(m);
    for (std::uint32_t i = 0; i < m; ++i) {
      const HostId from(i);
      const HostId to(m + i);
      const std::uint32_t entropy = flow_entropy(from, to, queue_pair_of(trial));
      const auto path = flow_path(net.fabric, net.routes, seed_of(trial), from, to, entropy);
      const Node& leaf = net.fabric.switch_node(SwitchId(0U));
      ++load[path[1].value() - leaf.first_port.value() - m];
    }
    ++census.used[static_cast<std::size_t>(m - std::ranges::count(load, 0U))];
    ++census.maximum[std::ranges::max(load)];
  }
  return census;
}

std::vector<double> scaled(std::vector<double> chance, double factor) {
  for (double& value : chance) value *= factor;
  return chance;
}

void expect_multinomial(const Census& census, std::uint32_t m, int trials) {
  EXPECT_GT(p_value(census.used, scaled(distribution_of_used(m, m), trials)), kSignificance);
  EXPECT_GT(p_value(census.maximum, scaled(distribution_of_maximum(m, m), trials)), kSignificance);
}

constexpr int kTrials = 20'000;

// E[used]/m = 1 - (1 - 1/m)^m: 0.684, 0.656, 0.644. E[max]: 2.125, 2.597, 3.078 for m = 4, 8, 16.
// The distributions that the other tests compare with, against these published means.
TEST(Ecmp, ExactDistributionsHaveTheKnownMeans) {
  const double maximum[] = {2.125, 2.597, 3.078};
  std::size_t i = 0;
  for (const std::size_t m : {4U, 8U, 16U}) {
    const double n = static_cast<double>(m);
    EXPECT_NEAR(mean(distribution_of_used(m, m)) / n, 1 - std::pow(1 - 1 / n, n), 1e-12);
    EXPECT_NEAR(mean(distribution_of_maximum(m, m)), maximum[i++], 0.0006);
  }
}

TEST(Ecmp, LoadsOverSeedsAreMultinomial) {
  for (const std::uint32_t m : {4U, 8U, 16U}) {
    const auto census = throw_flows(
        m, kTrials, [](int trial) { return static_cast<std::uint64_t>(trial); },
        [](int) { return 0U; });
    expect_multinomial(census, m, kTrials);
  }
}

TEST(Ecmp, LoadsOverFlowKeysAreMultinomial) {
  for (const std::uint32_t m : {4U, 8U, 16U}) {
    const auto census = throw_flows(
        m, kTrials, [](int) { return std::uint64_t{1}; },
        [](int trial) { return static_cast<std::uint32_t>(trial); });
    expect_multinomial(census, m, kTrials);
  }
}

/// Choices of many flows at an edge switch and then at an aggregation switch of a k = 8 fat tree:
/// counts[4 * first + second].
std::vector<double> two_tier_choices(const std::function<std::uint64_t(std::uint32_t)>& seed_of,
                                     const std::function<std::uint32_t(std::uint32_t)>& pair_of) {
  const Network net(fat_tree(8));
  std::vector<double> counts(16);
  const HostId from(0U);
  const HostId to(127U);
  const auto uplink = [&](PortId port) {
    return port.value() - net.fabric.node(net.fabric.port(port).node).first_port.value() - 4;
  };
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    const auto path =
        flow_path(net.fabric, net.routes, seed_of(i), from, to, flow_entropy(from, to, pair_of(i)));
    ++counts[4 * uplink(path[1]) + uplink(path[2])];
  }
  return counts;
}

/// Whatever the first choice, the second is uniform.
void expect_no_polarisation(const std::vector<double>& counts) {
  EXPECT_GT(uniform_p_value(counts), kSignificance);
  for (std::ptrdiff_t first = 0; first < 4; ++first) {
    const auto begin = counts.begin() + 4 * first;
    EXPECT_GT(uniform_p_value({begin, begin + 4}), kSignificance) << "after choice " << first;
  }
}

TEST(Ecmp, SecondTierChoosesIndependentlyOfTheFirst) {
  expect_no_polarisation(two_tier_choices([](std::uint32_t) { return std::uint64_t{1}; },
                                          [](std::uint32_t i) { return i; }));
  expect_no_polarisation(two_tier_choices([](std::uint32_t i) { return std::uint64_t{i}; },
                                          [](std::uint32_t) { return 0U; }));
}

// Switches of one tier differ as well: with one seed, flow for flow, two leaves choose alike no
// more often than by chance.
TEST(Ecmp, SwitchesOfATierChooseIndependently) {
  std::vector<double> counts(64);
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    const std::uint32_t entropy = flow_entropy(HostId(3U), HostId(4U), i);
    const auto a = choose_by_flow(switch_hash_seed(1, NodeId(100U)), entropy, 8);
    const auto b = choose_by_flow(switch_hash_seed(1, NodeId(101U)), entropy, 8);
    ++counts[8 * a + b];
  }
  EXPECT_GT(uniform_p_value(counts), kSignificance);
}

// Spraying: uniform over links, also for pairs of consecutive packets (64 cells), and at the next
// switch whatever this one chose. Numbers of links that are and are not powers of two.
TEST(Ecmp, SprayedPacketsChooseUniformly) {
  for (const std::uint32_t n : {3U, 8U}) {
    const std::uint32_t entropy = flow_entropy(HostId(0U), HostId(9U), 0);
    const auto choice = [&](std::uint32_t node, std::uint32_t sequence) {
      return choose_by_packet(switch_hash_seed(1, NodeId(node)), entropy, sequence, 0, n);
    };
    std::vector<double> single(n);
    std::vector<double> consecutive(std::size_t{n} * n);
    std::vector<double> two_switches(std::size_t{n} * n);
    for (std::uint32_t i = 0; i < 80'000; i += 2) {
      ++single[choice(50, i)];
      ++single[choice(50, i + 1)];
      ++consecutive[n * choice(50, i) + choice(50, i + 1)];
      ++two_switches[n * choice(50, i) + choice(51, i)];
    }
    EXPECT_GT(uniform_p_value(single), kSignificance);
    EXPECT_GT(uniform_p_value(consecutive), kSignificance);
    EXPECT_GT(uniform_p_value(two_switches), kSignificance);
  }
}

// The test must be able to fail: a second tier that hashes like the first one (one seed for all
// switches) is seen at once.
TEST(Ecmp, ChiSquareSeesPolarisation) {
  std::vector<double> counts(16);
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    const std::uint32_t choice =
        choose_by_flow(switch_hash_seed(1, NodeId(0U)), flow_entropy(HostId(0U), HostId(1U), i), 4);
    ++counts[4 * choice + choice];
  }
  EXPECT_LT(uniform_p_value(counts), 1e-9);
}

}  // namespace
}  // namespace weft::topologies
