#pragma once

#include <fmt/format.h>

#include <string>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// The text of a random collective of several iterations with computing between them, so that
/// iterations may overlap. Its draws are its own, so that the rest of a scenario does not depend on
/// it.
class RandomCollectiveJob {
 public:
  explicit RandomCollectiveJob(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 13) {}

  std::string text(std::uint64_t hosts, std::uint64_t classes) {
    std::string yaml = fmt::format("  - {{name: collective, start: {}us, ", below(20));
    if (classes > 0) yaml += fmt::format("class: c{}, ", below(classes));
    const std::uint64_t ranks = 2 + below(hosts - 1);
    const char* operation = one_of({"gather", "scatter", "broadcast", "reduce", "all-gather",
                                    "reduce-scatter", "all-reduce", "all-to-all", "send-recv"});
    const std::uint64_t size = 1 + below(100'000);
    const std::uint64_t iterations = 1 + below(5);
    const std::uint64_t compute = below(30);
    yaml += fmt::format("type: {}, size: {}B, iterations: {}, compute: {}us, ranks: {{random: {}}}",
                        operation, size, iterations, compute, ranks);
    if (below(3) == 0) yaml += fmt::format(", execution: {{channels: {}}}", 2 + below(3));
    if (below(3) == 0 && compute > 0) yaml += ", stragglers: [{ranks: [0], compute: 3}]";
    if (below(4) == 0)
      yaml += fmt::format(", jitter: {{type: exponential, mean: {}us}}", 1 + below(10));
    return yaml + "}\n";
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }

  RandomStream random_;
  std::uint64_t counter_ = 0;
};

}  // namespace weft::testing
