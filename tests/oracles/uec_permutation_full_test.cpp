// uet-htsim's permutation on a fat tree of 128 hosts (`fat_tree_128_1os.topo`,
// `perm_128n_128c_2MB.cm`) at 40ccb05: 100 Gbps, 1 us per link, 2 MB each, NSCC with trimming, 128
// entropy values. A message has 490 packets and takes 176.2 us at least, until its last ACK. The
// last flow of the peer's seeds 1 and 2 ended after
//
//   oblivious 214.17, 212.64; REPS 206.37, 205.22; bitmap 199.19, 199.61; mixed 198.86, 198.56 us.
//
// A single draw says little, so that means of 20 seeds are compared with the means of these: within
// 3 %, oblivious, whose extremes scatter more, within 5 %. The order mixed <= bitmap < REPS <
// oblivious holds of the means; mixed and bitmap differ by less than their scatter, so that by seed
// mixed <= 1.01 bitmap, in 18 of 20.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/htsim_permutation.hpp"
#include "tests/support/uec_runs.hpp"

namespace weft::testing {
namespace {

using protocols::path_selection::BitmapConfig;
using protocols::path_selection::ChoiceConfig;
using protocols::path_selection::MixedConfig;
using protocols::path_selection::ObliviousConfig;
using protocols::path_selection::RepsConfig;

constexpr int kPermutationSeeds = 20;

/// When the last flow ends, in microseconds, by seed.
std::vector<double> uec_permutation(const ChoiceConfig& choice) {
  topologies::FatTreeSpec fat_tree;
  fat_tree.k = 8;
  fat_tree.access = fat_tree.uplink = {100_Gbps, 1_us};
  std::vector<double> last;
  for (int seed = 1; seed <= kPermutationSeeds; ++seed) {
    protocols::PacketNetwork::Options options = htsim_fat_tree();
    uec_of(options).path_selection = choice;
    options.seed = static_cast<std::uint64_t>(seed);
    FlowRun run(fat_tree, options, htsim_permutation());
    const std::vector<Picoseconds> times = run.completions();
    last.push_back(to_seconds(*std::ranges::max_element(times)) * 1e6);
  }
  return last;
}
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(UecOracle, E4_PermutationsEndAsInThePeer) {
  const std::vector<double> oblivious = uec_permutation(ObliviousConfig{.values = 128});
  const std::vector<double> reps = uec_permutation(RepsConfig{.values = 128});
  const std::vector<double> bitmap = uec_permutation(BitmapConfig{.values = 128});
  const std::vector<double> mixed = uec_permutation(MixedConfig{.values = 128});
  const auto expect_mean = [](const char* name, const std::vector<double>& times, double peer,
                              double tolerance) {
    const double mean = mean_of(times);
    ::testing::Test::RecordProperty(name, std::to_string(mean));
    EXPECT_NEAR(mean, peer, tolerance * peer) << name;
  };
  expect_mean("oblivious", oblivious, (214.17 + 212.64) / 2, 0.05);
  expect_mean("reps", reps, (206.37 + 205.22) / 2, 0.03);
  expect_mean("bitmap", bitmap, (199.19 + 199.61) / 2, 0.03);
  expect_mean("mixed", mixed, (198.86 + 198.56) / 2, 0.03);
  EXPECT_LE(mean_of(mixed), mean_of(bitmap));
  EXPECT_LT(mean_of(bitmap), mean_of(reps));
  EXPECT_LT(mean_of(reps), mean_of(oblivious));
  int in_order = 0;
  for (std::size_t i = 0; i < mixed.size(); ++i) in_order += mixed[i] <= 1.01 * bitmap[i] ? 1 : 0;
  EXPECT_GE(in_order, 18);
}

}  // namespace
}  // namespace weft::testing
