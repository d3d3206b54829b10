// Tokens of a mixture of experts: where they go, and that a strong skew takes no longer to draw.

#include "collectives/traffic/expert_routing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weft::collectives {
namespace {

using namespace weft::literals;  // NOLINT: units

/// What all ranks send to each expert, in tokens, the most popular one first.
std::vector<double> tokens_by_popularity(const Routing& routing, std::uint32_t ranks) {
  const auto matrix = routed_matrix(routing, ranks, 1, 0);
  std::vector<double> tokens(ranks);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    tokens[i % ranks] +=
        static_cast<double>(matrix[i]) / static_cast<double>(routing.token_size.count());
  }
  std::ranges::sort(tokens, std::greater<>());
  return tokens;
}

// One expert has all but 5 per million of the popularity at a skew of 10 over 4, so drawing again
// until four different ones are found takes some 10^6 draws per token: 39 s of them here before.
TEST(RoutedMatrix, EveryTokenGoesToTopKExpertsHoweverSkewed) {
  const Routing routing{.tokens = 512, .token_size = 4_KiB, .top_k = 4, .skew = 10};
  const auto matrix = routed_matrix(routing, 8, 1, 0);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(8 * rank);
    EXPECT_EQ(std::accumulate(row, row + 8, std::int64_t{0}), 512 * 4 * 4096);
    EXPECT_EQ(*std::max_element(row, row + 8), 512 * 4096) << "everyone wants the first expert";
  }
}

/// Two of three experts without replacement, with weights w = 1, 2^-5 and 3^-5: expert i is missing
/// with probability sum over the orders (a, b) of the others of w_a w_b / (1 - w_a), w normalised.
/// Tolerance: four standard deviations of the count, if `alike` tokens choose alike.
void expect_draws_by_popularity(std::uint32_t tokens_per_rank, double alike) {
  const std::uint32_t ranks = 3;
  const Routing routing{.tokens = tokens_per_rank, .token_size = 1_B, .top_k = 2, .skew = 5};
  std::vector<double> w{1, std::pow(2.0, -5), std::pow(3.0, -5)};
  const double sum = w[0] + w[1] + w[2];
  for (double& x : w) x /= sum;
  const std::vector<double> tokens = tokens_by_popularity(routing, ranks);
  const double drawn = 1.0 * tokens_per_rank * ranks;
  for (std::size_t i = 0; i < 3; ++i) {
    const double a = w[(i + 1) % 3];
    const double b = w[(i + 2) % 3];
    const double missing = a * b / (1 - a) + a * b / (1 - b);
    const double deviation = std::sqrt(alike * drawn * missing * (1 - missing));
    EXPECT_NEAR(drawn - tokens[i], drawn * missing, 4 * deviation) << i;
  }
  EXPECT_EQ(std::accumulate(tokens.begin(), tokens.end(), 0.0), 2 * drawn);
}

// Such a skew takes the way that leaves out what is chosen, where the first was chosen first, and
// the other way, where it was not.
TEST(RoutedMatrix, DrawsWithoutReplacementByPopularity) { expect_draws_by_popularity(100'000, 1); }

// 2^26 choices and a few: two tokens each choose alike, but the last one.
TEST(RoutedMatrix, SoManyTokensThatSomeChooseAlikeSpreadNoOtherWay) {
  const std::uint32_t max = kMaxChoices / 6;  // 3 ranks, 2 each
  ASSERT_EQ(tokens_alike({.tokens = max, .token_size = 1_B, .top_k = 2}, 3), 1U);
  ASSERT_EQ(tokens_alike({.tokens = max + 1, .token_size = 1_B, .top_k = 2}, 3), 2U);
  expect_draws_by_popularity(max + 1, 2);
}

}  // namespace
}  // namespace weft::collectives
