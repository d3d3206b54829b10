// The fuzzer as libFuzzer runs it (tools/fuzz): `fuzz FOLDER` continues from the inputs of the
// folder, after it has put the seeds there; `fuzz FILE` looks at one input again. What libFuzzer
// brings is coverage: inputs that reach new code are kept and changed again. With
// WEFT_FUZZ_SIMULATE in the environment, small scenarios are also run.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/harness.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/fuzz/tally.hpp"
#include "tests/properties/random_scenario.hpp"

namespace {

using weft::testing::FuzzDepth;
using weft::testing::FuzzOutcome;

/// What an input may take: of the processor, whatever else the machine does. Here, under sanitizers
/// and with assertions, `weft check` of the shipped scenarios takes five times what a release
/// takes. Runs take what they take.
constexpr double kMaxSeconds = 2;
constexpr double kSanitizerFactor = 5;
/// Of the process, with what the sanitizers add.
constexpr std::int64_t kMaxBytes = 1'000'000'000;

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> texts = weft::testing::fuzz_seeds();
  return texts;
}

weft::testing::Tally& tally() {
  static weft::testing::Tally tally;
  return tally;
}

FuzzDepth depth() {
  static const bool simulates = std::getenv("WEFT_FUZZ_SIMULATE") != nullptr;
  return simulates ? FuzzDepth::kSimulate : FuzzDepth::kCheck;
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// libFuzzer keeps the input by which the process ends.
void enforce_limits(double seconds) {
  if (depth() == FuzzDepth::kCheck && seconds > kMaxSeconds * kSanitizerFactor) {
    std::fprintf(stderr, "fuzz: this input took %.1f s of the processor\n", seconds);
    std::abort();
  }
  if (const std::int64_t peak = weft::testing::peak_memory(); peak > kMaxBytes) {
    std::fprintf(stderr, "fuzz: this input took %.0f MB\n", static_cast<double>(peak) / 1e6);
    std::abort();
  }
}

/// Most inputs that reach new code are refused, and so is what comes of them. These were accepted,
/// and soon: the last ones, in places that their order gives.
class Accepted {
 public:
  void add(std::string_view text) {
    constexpr std::size_t kMax = 2'000;
    if (texts_.size() < kMax) {
      texts_.emplace_back(text);
    } else {
      texts_[added_ * 7919 % kMax] = text;
    }
    ++added_;
  }
  [[nodiscard]] bool is_empty() const { return texts_.empty(); }
  [[nodiscard]] std::string_view pick(std::size_t number) const {
    return texts_[number % texts_.size()];
  }

 private:
  std::vector<std::string> texts_;
  std::size_t added_ = 0;
};

constexpr double kSoonSeconds = 0.02;

Accepted& accepted() {
  static Accepted accepted;
  return accepted;
}

/// Every fourth begins with an accepted one, of runs every fourth is new.
std::string changed(std::string_view text, unsigned seed) {
  const unsigned kind = seed % 4;
  const unsigned number = seed / 16;
  if (depth() == FuzzDepth::kSimulate && kind == 0) {
    return weft::testing::RandomScenario(seed).text();
  }
  const std::string& other = seeds()[number % seeds().size()];
  const bool begins_anew = kind == 2 && !accepted().is_empty();
  return weft::testing::mutated(begins_anew ? accepted().pick(number / 64) : text, other, seed);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names that libFuzzer calls
extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::filesystem::path folder = (*argv)[i];
    if (!std::filesystem::is_directory(folder)) continue;
    for (std::size_t s = 0; s < seeds().size(); ++s) {
      std::ofstream(folder / ("seed-" + std::to_string(s)), std::ios::binary) << seeds()[s];
    }
  }
  std::atexit([] { std::fputs(tally().text().c_str(), stderr); });
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::clock_t begin = std::clock();
  const auto input = weft::testing::FuzzInput::parse(text_of(data, size));
  const FuzzOutcome outcome = weft::testing::fuzz(input, depth());
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  tally().count(input, outcome, seconds);
  if (outcome >= FuzzOutcome::kBuilt && seconds < kSoonSeconds) accepted().add(text_of(data, size));
  enforce_limits(seconds);
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max,
                                    unsigned seed) {
  if (seed % 16 == 1) return LLVMFuzzerMutate(data, size, max);
  const std::string text = changed(text_of(data, size), seed);
  return static_cast<std::size_t>(std::copy_n(text.begin(), std::min(text.size(), max), data) -
                                  data);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
