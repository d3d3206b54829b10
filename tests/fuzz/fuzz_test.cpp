#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/seeds.hpp"

namespace weft::testing {
namespace {

TEST(FuzzInput, HasASectionPerFile) {
  const FuzzInput input = FuzzInput::parse(
      "name: a\n%set\nseed=1\n\n%sweep\nname: b\n%messages\nx\n%cables\ny\n%set\nseed=2");
  EXPECT_EQ(input.scenario, "name: a\n");
  EXPECT_EQ(input.sweep, "name: b\n");
  EXPECT_EQ(input.messages, "x\n");
  EXPECT_EQ(input.overrides, (std::vector<std::string>{"seed=1", "seed=2"}));
  ASSERT_EQ(input.catalogue.size(), 1u);
  EXPECT_EQ(input.catalogue[0], (std::pair<std::string, std::string>("cables", "y\n")));
  EXPECT_EQ(input.kind(), FuzzInput::Kind::kSweep);
}

TEST(FuzzInput, IsChangedAlikeForTheSameSeed) {
  EXPECT_EQ(mutated("name: a\nseed: 1\n", "jobs: []\n", 3),
            mutated("name: a\nseed: 1\n", "jobs: []\n", 3));
}

// What does not hold ends the process.
TEST(Fuzz, SeedsOfEveryKindAreReadAndBuilt) {
  std::array<int, 4> built{};  // by kind
  for (const std::string& seed : fuzz_seeds()) {
    const FuzzInput input = FuzzInput::parse(seed);
    if (fuzz(input) == FuzzOutcome::kBuilt) ++built[static_cast<std::size_t>(input.kind())];
  }
  EXPECT_GE(built[static_cast<std::size_t>(FuzzInput::Kind::kScenario)], 80);
  EXPECT_GE(built[static_cast<std::size_t>(FuzzInput::Kind::kMessages)], 4);
  EXPECT_EQ(built[static_cast<std::size_t>(FuzzInput::Kind::kCatalogue)], 7);
  EXPECT_GE(built[static_cast<std::size_t>(FuzzInput::Kind::kSweep)], 3);
}

/// A number that the environment may say otherwise.
std::uint64_t number_of(const char* name, std::uint64_t usual) {
  const char* said = std::getenv(name);
  return said == nullptr ? usual : std::strtoull(said, nullptr, 10);
}

TEST(Fuzz, AThousandChangedSeedsDoNoHarm) {
  const std::vector<std::string> seeds = fuzz_seeds();
  const std::uint64_t first = number_of("WEFT_FUZZ_FIRST", 0);
  const std::uint64_t end = first + number_of("WEFT_FUZZ_INPUTS", 1'000);
  for (std::uint64_t i = first; i < end; ++i) {
    fuzz(FuzzInput::parse(mutated(seeds[i % seeds.size()], seeds[i * 7 % seeds.size()], i)));
  }
}

}  // namespace
}  // namespace weft::testing
