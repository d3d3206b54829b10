#include "simcore/text/quantity_text.hpp"
#include "simcore/text/command_line_size.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "simcore/text/nearest.hpp"

namespace weft {
namespace {

template <class Quantity>
std::int64_t count_of(const std::string& text) {
  const auto parsed = parse_quantity(text, dimension_of<Quantity>());
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << text << " " << *problem;
    return -1;
  }
  return std::get<std::int64_t>(parsed);
}

template <class Quantity>
std::string problem_of(const std::string& text) {
  const auto parsed = parse_quantity(text, dimension_of<Quantity>());
  const auto* problem = std::get_if<std::string>(&parsed);
  return problem == nullptr ? "" : *problem;
}

TEST(QuantityText, EveryUnitIsExact) {
  EXPECT_EQ(count_of<Picoseconds>("7ps"), 7);
  EXPECT_EQ(count_of<Picoseconds>("7 ns"), 7'000);
  EXPECT_EQ(count_of<Picoseconds>("1.5us"), 1'500'000);
  EXPECT_EQ(count_of<Picoseconds>("1.5\xC2\xB5s"), 1'500'000) << "micro sign";
  EXPECT_EQ(count_of<Picoseconds>("1.5\xCE\xBCs"), 1'500'000) << "Greek mu";
  EXPECT_EQ(count_of<Picoseconds>("0.000000000001s"), 1);
  EXPECT_EQ(count_of<Picoseconds>("2ms"), 2'000'000'000);
  EXPECT_EQ(count_of<Bytes>("1KB"), 1'000);
  EXPECT_EQ(count_of<Bytes>("0.5KiB"), 512);
  EXPECT_EQ(count_of<Bytes>("3MiB"), 3'145'728);
  EXPECT_EQ(count_of<Bytes>("1GiB"), 1'073'741'824);
  EXPECT_EQ(count_of<BitsPerSecond>("0.4Tbps"), 400'000'000'000);
  EXPECT_EQ(count_of<BitsPerSecond>("5Kbps"), 5'000);
  EXPECT_EQ(count_of<Millimetres>("2.5m"), 2'500);
  EXPECT_EQ(count_of<Millimetres>("1km"), 1'000'000);
}

// 0.1 has no finite binary fraction: a double would make 0.1 + 0.2 style errors visible here.
TEST(QuantityText, NoValuePassesThroughFloatingPoint) {
  EXPECT_EQ(count_of<Picoseconds>("9223372.036854775807s"), 9'223'372'036'854'775'807);
  EXPECT_EQ(count_of<Bytes>("9007199254740993B"), 9'007'199'254'740'993);
}

TEST(QuantityText, OnlyZeroTimesAndSizesGoWithoutUnit) {
  EXPECT_EQ(count_of<Picoseconds>("0"), 0);
  EXPECT_EQ(count_of<Bytes>("0.0"), 0);
  EXPECT_NE(problem_of<BitsPerSecond>("0").find("has no unit"), std::string::npos);
  EXPECT_NE(problem_of<Bytes>("1").find("has no unit"), std::string::npos);
}

TEST(QuantityText, RefusalsSayWhy) {
  const auto expect = [](const std::string& problem, const std::string& fragment) {
    EXPECT_NE(problem.find(fragment), std::string::npos) << problem;
  };
  expect(problem_of<Picoseconds>("-1us"), "is negative");
  expect(problem_of<Picoseconds>("soon"), "is not a time; expected a time such as 1.5us");
  expect(problem_of<Picoseconds>("1.us"), "is not a time");
  expect(problem_of<Picoseconds>("1e3us"), "unknown unit `e3us`");
  expect(problem_of<Picoseconds>("0.5ps"), "is not a whole number of picoseconds");
  expect(problem_of<Bytes>("0.3KiB"), "is not a whole number of bytes");
  expect(problem_of<Bytes>("4kb"), "did you mean `KB`?");
  expect(problem_of<BitsPerSecond>("400gbps"), "did you mean `Gbps`?");
  expect(problem_of<BitsPerSecond>("400GB"), "units: bps, Kbps, Mbps, Gbps, Tbps");
  expect(problem_of<Picoseconds>("9223372.036854775808s"), "is too large");
  expect(problem_of<Picoseconds>(std::string(200, '9') + "s"), "too many digits");
  expect(problem_of<Picoseconds>("0." + std::string(200, '0') + "1s"), "too many digits");
  expect(problem_of<Bytes>(""), "is not a size");
}

// Property: text -> count is the inverse of count -> text, for values with and without round units.
TEST(QuantityText, WrittenValuesReadBackTheSame) {
  for (std::int64_t value = 0; value >= 0 && value < (std::int64_t{1} << 61U);
       value = value * 3 + 1) {
    for (const std::int64_t count : {value, value / 1'000 * 1'000, value / 1'024 * 1'024}) {
      EXPECT_EQ(count_of<Picoseconds>(quantity_text(count, dimension_of<Picoseconds>())), count);
      EXPECT_EQ(count_of<Bytes>(quantity_text(count, dimension_of<Bytes>())), count);
      EXPECT_EQ(count_of<BitsPerSecond>(quantity_text(count, dimension_of<BitsPerSecond>())),
                count);
    }
  }
}

TEST(QuantityText, TheShortestTextIsWritten) {
  EXPECT_EQ(quantity_text(1'048'576, dimension_of<Bytes>()), "1MiB");
  EXPECT_EQ(quantity_text(3'200'000, dimension_of<Bytes>()), "3200KB");
  EXPECT_EQ(quantity_text(1'500'000, dimension_of<Picoseconds>()), "1500ns");
  EXPECT_EQ(quantity_text(1'000'000'000'000, dimension_of<Picoseconds>()), "1s");
}

// On the command line a letter alone is what nccl-tests takes it for; in files it is asked about.
TEST(QuantityText, TakesLettersForWhatNcclTestsDoesOnTheCommandLineAlone) {
  const auto read = [](const char* text) {
    return std::get<std::int64_t>(parse_quantity(text, command_line_size()));
  };
  EXPECT_EQ(read("1M"), 1'048'576);
  EXPECT_EQ(read("8k"), 8'192);
  EXPECT_EQ(read("4G"), 4'294'967'296);
  EXPECT_EQ(read("1MB"), 1'000'000);
  EXPECT_EQ(read("1MiB"), 1'048'576);
  const auto said = std::get<std::string>(parse_quantity("1M", dimension_of<Bytes>()));
  EXPECT_NE(said.find("did you mean `MiB`, as nccl-tests does, or `MB`?"), said.npos) << said;
}

TEST(Nearest, SuggestsOnlyWhatCouldBeMeant) {
  const std::vector<std::string> keys{"kmin", "kmax", "pmax", "load_balancing"};
  EXPECT_EQ(*nearest("kmim", keys), "kmin");
  EXPECT_EQ(*nearest("KMAX", keys), "kmax") << "case counts half";
  EXPECT_EQ(*nearest("load-balancing", keys), "load_balancing");
  EXPECT_EQ(nearest("jobs", keys), nullptr);
  // Two letters in the wrong order are one slip, also of short words.
  const std::vector<std::string> commands{"list", "nets", "new", "run"};
  EXPECT_EQ(*nearest("nwe", commands), "new");
  EXPECT_EQ(*nearest("rnu", commands), "run");
  EXPECT_EQ(*nearest("enw", commands), "new");
  EXPECT_EQ(nearest("wne", commands), nullptr) << "two slips of three letters";
  EXPECT_EQ(*nearest("ab", std::vector<std::string>{"ba"}), "ba");
  const std::vector<std::string> errors{"type", "at", "bit_error_rate", "frame_loss_rate", "rated"};
  EXPECT_EQ(*nearest("rate", errors), "rated") << "one letter is a slip";
  const std::span<const std::string> few(errors.data(), 4);
  EXPECT_EQ(*nearest("rate", few), "bit_error_rate") << "a word of it, not `at`";
  EXPECT_EQ(*nearest("frame", few), "frame_loss_rate");
  EXPECT_EQ(*nearest("at", few), "at");
  EXPECT_EQ(nearest("", keys), nullptr);
}

}  // namespace
}  // namespace weft
