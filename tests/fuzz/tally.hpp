#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/fuzz/harness.hpp"

namespace weft::testing {

/// What became of the inputs so far, and what the most demanding ones took.
class Tally {
 public:
  /// `seconds` of the processor.
  void count(const FuzzInput& input, FuzzOutcome outcome, double seconds);
  /// A table: a row per kind of input, then those of any kind that had overrides.
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::uint64_t inputs = 0;
    std::array<std::uint64_t, 4> reached{};  ///< by FuzzOutcome
    double seconds = 0;
    double slowest = 0;
  };
  static void add(Row& row, FuzzOutcome outcome, double seconds);

  std::array<Row, 4> rows_{};  ///< by FuzzInput::Kind
  Row overridden_;
};

/// The most memory that this process ever had, bytes.
[[nodiscard]] std::int64_t peak_memory();

}  // namespace weft::testing
