// Copies of tokens that go to each scale-up domain once, and inside it to each rank once: expected
// values against combinations and against enumerations of all choices.

#include "collectives/training/plan/token_copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "collectives/training/plan/expert_loads.hpp"

namespace weft {
namespace {

using collectives::expert_loads;
using collectives::token_copies;
using collectives::token_routes;
using collectives::TokenCopies;
using collectives::TrainingSpec;

TrainingSpec routed(std::uint32_t experts, std::uint32_t top_k, std::uint32_t ranks) {
  TrainingSpec spec;
  spec.model.layers = 1;
  spec.model.hidden = 7168;
  spec.model.heads = 8;
  spec.model.sequence = 4096;
  spec.model.experts = experts;
  spec.model.top_k = top_k;
  spec.parallelism.expert = spec.parallelism.data = ranks;
  spec.batch.global = ranks;
  spec.experts.exchange = collectives::ExpertSpec::Exchange::kHighThroughput;
  return spec;
}

double combinations(double n, double k) {
  return n < k ? 0 : std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

// N (1 - C(E - E/N, k) / C(E, k)) distinct of N domains, and of R ranks. Of DeepSeek-V3's 8 of 256
// experts: 1.993, 3.614 and 5.295 of 2, 4 and 8 servers, to the digits that are printed.
TEST(TokenCopies, GoToAsManyDomainsAsAreDistinct) {
  const double published[] = {1.993, 3.614, 5.295};
  for (int i = 0; i < 3; ++i) {
    const double domains = 2 << i;
    const TokenCopies copies =
        token_copies(routed(256, 8, static_cast<std::uint32_t>(domains) * 8), 8);
    EXPECT_NEAR(copies.domains(), published[i], 5e-4);
    const auto distinct = [](double n) {
      return n * (1 - combinations(256 - 256 / n, 8) / combinations(256, 8));
    };
    EXPECT_NEAR(copies.domains(), distinct(domains), 1e-9);
    EXPECT_NEAR(copies.ranks(), distinct(8 * domains), 1e-9);
  }
}

/// Mean over all sets of `k` of `experts` that lie in `top_groups` groups, groups chosen first, of
/// how many of `parts` runs of experts have one; each kept with probability `kept`.
double enumerated(std::uint32_t experts, std::uint32_t k, std::uint32_t groups,
                  std::uint32_t top_groups, std::uint32_t parts, double kept = 1) {
  double sum = 0;
  double weight = 0;
  for (std::uint32_t chosen = 0; chosen < 1U << groups; ++chosen) {
    if (static_cast<std::uint32_t>(std::popcount(chosen)) != top_groups) continue;
    for (std::uint32_t set = 0; set < 1U << experts; ++set) {
      if (static_cast<std::uint32_t>(std::popcount(set)) != k) continue;
      bool is_inside = true;
      for (std::uint32_t e = 0; e < experts; ++e) {
        const bool is_chosen = (chosen >> (e / (experts / groups)) & 1) != 0;
        is_inside = is_inside && ((set >> e & 1) == 0 || is_chosen);
      }
      if (!is_inside) continue;
      weight += 1;
      for (std::uint32_t part = 0; part < parts; ++part) {
        const std::uint32_t of_part = experts / parts;
        const std::uint32_t here = set >> (part * of_part) & ((1U << of_part) - 1);
        sum += 1 - std::pow(1 - kept, std::popcount(here));
      }
    }
  }
  return sum / weight;
}

// Limited groups: larger, as large, and smaller than domains and ranks.
TEST(TokenCopies, GoToFewerDomainsWhereGroupsAreLimited) {
  for (const std::uint32_t groups : {1U, 2U, 4U, 6U}) {
    for (const std::uint32_t top_groups : {1U, 2U, 3U}) {
      if (top_groups > groups || (groups == 1 && top_groups > 1)) continue;
      if (12 / groups * top_groups < 3) continue;
      for (const std::uint32_t domain : {1U, 2U, 3U, 6U}) {
        TrainingSpec spec = routed(12, 3, 6);
        spec.routing.groups = groups;
        spec.routing.top_groups = top_groups;
        const TokenCopies copies = token_copies(spec, domain);
        EXPECT_NEAR(copies.domains(), enumerated(12, 3, groups, top_groups, 6 / domain), 1e-9);
        EXPECT_NEAR(copies.ranks(), enumerated(12, 3, groups, top_groups, 6), 1e-9);
      }
    }
  }
}

// DeepSeek-V3 sends a token to four of eight servers at most: 8 (1/2) (1 - C(96, 8) / C(128, 8))
// where a group is a server's.
TEST(TokenCopies, OfDeepSeekGoToFourServersAtMost) {
  TrainingSpec spec = routed(256, 8, 64);
  spec.routing.groups = 8;
  spec.routing.top_groups = 4;
  const double expected = 4 * (1 - combinations(96, 8) / combinations(128, 8));
  EXPECT_NEAR(token_copies(spec, 8).domains(), expected, 1e-9);
  EXPECT_LT(expected, 4);
}

// A choice that is dropped sends nothing: with capacity for half of what an expert is chosen for, a
// domain gets no copy with probability E[2^-n], n its experts among the chosen.
TEST(TokenCopies, AreFewerWhereChoicesAreDropped) {
  TrainingSpec spec = routed(12, 3, 6);
  spec.routing.capacity = 0.5;
  const TokenCopies copies = token_copies(spec, 2);
  EXPECT_NEAR(copies.domains(), enumerated(12, 3, 1, 1, 3, 0.5), 1e-9);
  EXPECT_NEAR(copies.ranks(), enumerated(12, 3, 1, 1, 6, 0.5), 1e-9);
}

// Where a rank has one expert, tokens come to it as often as they choose it, whatever its
// popularity, and a domain gets fewer than its ranks together.
TEST(TokenCopies, FollowPopularity) {
  for (const double skew : {0.3, 1.0, 2.0}) {
    TrainingSpec spec = routed(16, 4, 16);
    spec.routing.skew = skew;
    const collectives::ExpertLoads loads = expert_loads(spec);
    const TokenCopies copies = token_copies(spec, 4);
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      EXPECT_NEAR(copies.to_rank[rank], loads.choices[rank] / 4096, 1e-8) << skew << rank;
    }
    for (std::uint32_t domain = 0; domain < 4; ++domain) {
      const auto first = copies.to_rank.begin() + 4 * domain;
      EXPECT_LE(copies.to_domain[domain], std::accumulate(first, first + 4, 0.0) + 1e-12);
      EXPECT_GE(copies.to_domain[domain] + 1e-12, *std::max_element(first, first + 4));
    }
    EXPECT_NEAR(copies.ranks(), 4, 1e-7);
  }
}

// Inside a domain a rank gets of each other what came for it from every domain.
TEST(TokenCopies, AreForwardedInWholeTokens) {
  const TrainingSpec spec = routed(256, 8, 32);
  const collectives::TokenRoutes routes = token_routes(spec, 8);
  const TokenCopies copies = token_copies(spec, 8);
  ASSERT_TRUE(routes.is_balanced());
  EXPECT_EQ(routes.to_domain[0], std::llround(4096 * copies.to_domain[0]));
  EXPECT_EQ(routes.to_rank[0], std::llround(4 * 4096 * copies.to_rank[0]));
}

}  // namespace
}  // namespace weft
