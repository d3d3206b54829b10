#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "collectives/traffic/load.hpp"
#include "collectives/traffic/members.hpp"
#include "collectives/traffic/sizes_spec.hpp"

namespace weft::testing {
namespace {

using collectives::parse_size_distribution;
using collectives::published_sizes;
using collectives::SizeDistribution;
using ::testing::HasSubstr;

std::vector<std::string> published() { return {"websearch", "fb-hadoop", "alistorage"}; }

std::string problem_in(const std::string& text) {
  const auto read = parse_size_distribution(text, "sizes.txt");
  return read.ok() ? "" : read.errors().front().to_string();
}

// Between two points sizes are uniform over a + 1 .. b: the sum of w (a + 1 + b) / 2. By hand, of
// WebSearch: 750 + 750 + 2,500 + 4,000 + 8,450 + 9,800 + 60,000 + 150,000 + 350,000 + 525,000 +
// 600,000 from the middles of the lines, and half a byte for counting whole ones.
TEST(SizeDistribution, MeansAreThoseOfTheLinesBetweenPoints) {
  EXPECT_EQ(published_sizes("websearch").table.mean_in_thousandths(), 1'711'250'500);
  const SizeDistribution two(
      {{10_B, 0}, {11_B, SizeDistribution::kWhole / 2}, {21_B, SizeDistribution::kWhole}});
  EXPECT_EQ(two.mean_in_thousandths(), 13'750) << "11, and 12 to 21, as likely";
  const SizeDistribution atoms({{5_B, SizeDistribution::kWhole / 4},
                                {9_B, SizeDistribution::kWhole / 4},
                                {9_B, SizeDistribution::kWhole}});
  EXPECT_EQ(atoms.mean_in_thousandths(), 8'000) << "5 once, 9 three times";
}

// Kolmogorov and Smirnov: of n draws from the distribution, sqrt(n) times the greatest distance of
// what was drawn from it exceeds 1.949 with probability 0.001.
TEST(SizeDistribution, DrawsFollowTheDistribution) {
  constexpr std::uint64_t kDraws = 100'000;
  for (const std::string& name : published()) {
    const SizeDistribution table = published_sizes(name).table;
    const RandomStream random(7, Purpose::kMessageSize, 3);
    std::vector<Bytes> drawn;
    for (std::uint64_t i = 0; i < kDraws; ++i) drawn.push_back(table.draw(random.bits(i)));
    std::ranges::sort(drawn);
    EXPECT_GE(drawn.front(), 1_B);
    EXPECT_LE(drawn.back(), table.largest());
    double distance = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (i + 1 < drawn.size() && drawn[i + 1] == drawn[i]) continue;
      const double below = static_cast<double>(i + 1) / kDraws;
      distance = std::max(distance, std::abs(below - table.at_most(drawn[i])));
    }
    EXPECT_LT(std::sqrt(double{kDraws}) * distance, 1.949) << name;
  }
}

TEST(SizeDistribution, EveryDrawIsPossibleAndTheEndsAreReached) {
  for (const std::string& name : published()) {
    const SizeDistribution table = published_sizes(name).table;
    EXPECT_EQ(table.draw(0), 1_B) << name;
    EXPECT_EQ(table.draw(UINT64_MAX), table.largest()) << name;
  }
}

// The ticks of HPCC's figure 10 and 11, which are tenths of all flows, but for 324 B of Hadoop,
// which there is cut and 325 here, and 46 kB, 10 B of a line of 20 kB.
TEST(SizeDistribution, TenthsAreTheTicksOfThePapers) {
  using Sizes = std::vector<Bytes>;
  EXPECT_EQ(tenths_of(published_sizes("websearch").table),
            (Sizes{6667_B, 20'000_B, 30'000_B, 50'000_B, 73'077_B, 200'000_B, 1'000'000_B,
                   2'000'000_B, 5'000'000_B, 30'000'000_B}));
  EXPECT_EQ(tenths_of(published_sizes("fb-hadoop").table),
            (Sizes{325_B, 400_B, 500_B, 600_B, 700_B, 1000_B, 7000_B, 46'000_B, 120'000_B,
                   10'000'000_B}));
}

TEST(SizeDistribution, QuantilesAreTheLeastSizesThatReachThem) {
  for (const std::string& name : published()) {
    const SizeDistribution table = published_sizes(name).table;
    for (std::int64_t parts = 1; parts <= SizeDistribution::kWhole; parts += 1'234'567) {
      const Bytes size = table.quantile(parts);
      const double share = static_cast<double>(parts) / SizeDistribution::kWhole;
      EXPECT_GE(table.at_most(size), share * (1 - 1e-9)) << name;
      EXPECT_LT(table.at_most(size - 1_B), share) << name;
    }
  }
}

TEST(SizeDistribution, FilesSayTheSameAsPoints) {
  const auto read = parse_size_distribution(
      "# bytes percent\n0 0\n\n4000  22.93\r\n8000,69.21 # half\n2000000 100.000000000\n", "f");
  ASSERT_TRUE(read.ok());
  const std::vector<SizeDistribution::Point> points{
      {0_B, 0}, {4000_B, 229'300'000}, {8000_B, 692'100'000}, {2'000'000_B, 1'000'000'000}};
  EXPECT_TRUE(std::ranges::equal(read.value().points(), points));
}

TEST(SizeDistribution, WrongFilesAreRefusedByLine) {
  EXPECT_THAT(problem_in("0 0\n10 x\n"), HasSubstr("sizes.txt:2:1: `x` is no percentage"));
  EXPECT_THAT(problem_in("0 0\n-10 5\n"), HasSubstr("`-10` is no size in bytes"));
  EXPECT_THAT(problem_in("0 0\n10 50 7\n"), HasSubstr("more than bytes and a percentage"));
  EXPECT_THAT(problem_in("0 0\n10 50.12345678\n"), HasSubstr("up to seven decimals"));
  EXPECT_THAT(problem_in("0 0\n10 60\n20 50\n30 100\n"), HasSubstr("wrong at 20 bytes"));
  EXPECT_THAT(problem_in("0 0\n10 60\n5 100\n"), HasSubstr("falls to 5 bytes"));
  EXPECT_THAT(problem_in("0 0\n10 60\n"), HasSubstr("does not end with 100 percent"));
  EXPECT_THAT(problem_in("0 10\n10 100\n"), HasSubstr("messages of 0 bytes"));
  EXPECT_THAT(problem_in("# nothing\n"), HasSubstr("has no points"));
  EXPECT_THAT(problem_in("0 0\n2000000000000 100\n"), HasSubstr("at most 1000000000000"));
}

// 1 kB at half of 8 Gbps is one in 2 us.
TEST(TimeBetween, IsTheBitsOverTheLoad) {
  EXPECT_EQ(collectives::time_between(1'000'000, 0.5, 8_Gbps), 2_us);
  EXPECT_EQ(collectives::time_between(1'500, 1, 8_Gbps), Picoseconds(1'500)) << "1.5 bytes";
  EXPECT_GT(collectives::time_between(1'000, 1e-300, 1_bps), 1_s) << "saturates";
}

// 9,000 draws of 3 of 5: each pair of numbers as often as any other, 10 sets; chi-square with 9
// degrees of freedom exceeds 27.88 with probability 0.001.
TEST(Members, AreAnySetAsLikely) {
  for (const std::uint32_t count : {2U, 3U}) {
    std::map<std::vector<std::uint32_t>, int> sets;
    for (std::uint64_t i = 0; i < 9000; ++i) {
      const auto members =
          collectives::draw_members(count, 5, RandomStream(1, Purpose::kMembers, i), 0);
      EXPECT_TRUE(std::ranges::is_sorted(members));
      ++sets[members];
    }
    ASSERT_EQ(sets.size(), 10U);
    double chi_square = 0;
    for (const auto& [set, n] : sets) chi_square += (n - 900.0) * (n - 900.0) / 900;
    EXPECT_LT(chi_square, 27.88);
  }
}

TEST(Members, AllIsAll) {
  const RandomStream random(1, Purpose::kMembers, 0);
  EXPECT_EQ(collectives::draw_members(4, 4, random, 0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_TRUE(collectives::draw_members(0, 4, random, 0).empty());
}

}  // namespace
}  // namespace weft::testing
