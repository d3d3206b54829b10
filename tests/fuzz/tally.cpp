#include "tests/fuzz/tally.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace weft::testing {
namespace {

constexpr std::array<const char*, 4> kKinds{"scenarios", "messages", "catalogues", "sweeps"};

}  // namespace

void Tally::count(const FuzzInput& input, FuzzOutcome outcome, double seconds) {
  add(rows_[static_cast<std::size_t>(input.kind())], outcome, seconds);
  if (!input.overrides.empty()) add(overridden_, outcome, seconds);
}

void Tally::add(Row& row, FuzzOutcome outcome, double seconds) {
  ++row.inputs;
  ++row.reached[static_cast<std::size_t>(outcome)];
  row.seconds += seconds;
  row.slowest = std::max(row.slowest, seconds);
}

std::string Tally::text() const {
  std::string text =
      fmt::format("{:14} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}\n", "fuzz:", "inputs", "refused",
                  "read", "built", "simulated", "mean ms", "slowest s");
  const auto line = [&text](const char* name, const Row& row) {
    const double mean = row.seconds / static_cast<double>(std::max<std::uint64_t>(row.inputs, 1));
    text += fmt::format("{:14} {:9} {:9} {:9} {:9} {:9} {:8.2f} {:9.2f}\n", name, row.inputs,
                        row.reached[0], row.reached[1], row.reached[2], row.reached[3], 1e3 * mean,
                        row.slowest);
  };
  for (std::size_t kind = 0; kind < rows_.size(); ++kind) line(kKinds[kind], rows_[kind]);
  line("with overrides", overridden_);
  return text +
         fmt::format("{:14} {:9.0f} MB\n", "peak memory", static_cast<double>(peak_memory()) / 1e6);
}

std::int64_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

}  // namespace weft::testing
