#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// The text of a random `graph` job on up to `hosts` hosts, in one of the classes `c0`, `c1`, ...,
/// if there are any. Its draws are its own, so that the rest of a scenario does
/// not depend on it.
class RandomGraphJob {
 public:
  explicit RandomGraphJob(std::uint64_t seed) : random_(seed, Purpose::kTestScenario, 8) {}

  std::string text(std::uint64_t hosts, std::uint64_t classes) {
    ranks_ = 2 * (1 + below(std::min<std::uint64_t>(hosts / 2, 4)));
    std::string yaml = fmt::format("  - {{name: graph, type: graph, start: {}us, iterations: {}, ",
                                   below(20), 1 + below(2));
    if (classes > 0) yaml += fmt::format("class: c{}, ", below(classes));
    yaml += fmt::format("ranks: {{random: {}}},\n", ranks_);
    yaml += fmt::format(
        "     groups: [{{name: g0, kind: tensor, size: 2}}, {{name: g1, kind: data, size: {}}}, "
        "{{name: g2, ranks: [{}, 0]}}],\n     nodes: [\n",
        ranks_, ranks_ - 1);
    const std::uint64_t nodes = 1 + below(6);
    for (std::uint64_t n = 0; n < nodes; ++n) yaml += node(n);
    yaml += "     ]";
    // Everything repeated, or the first ones.
    if (below(2) == 0) {
      yaml += fmt::format(", repeats: [{{first: n0, last: n{}, times: {}}}]", below(nodes),
                          1 + below(3));
    }
    return yaml + "}\n";
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }

  /// All nodes have rank 0, so that each may be after any earlier one.
  std::string node(std::uint64_t number) {
    std::string yaml = fmt::format("       {{name: n{}, ", number);
    if (number > 0 && below(3) > 0) yaml += fmt::format("after: n{}, ", below(number));
    switch (below(4)) {
      case 0:
        return yaml + fmt::format("type: compute, time: {}ns, ranks: 0-{}}},\n", below(20'000),
                                  below(ranks_));
      case 1: {
        const std::uint64_t last = 1 + below(ranks_ - 1);
        return yaml + fmt::format("type: send, size: {}B, from: 0-{}, to: 1-{}}},\n",
                                  1 + below(100'000), last - 1, last);
      }
      case 2:
        return yaml + fmt::format(
                          "type: all-reduce, algorithm: ring, size: {}B, group: g{}, execution: "
                          "{{channels: {}, "
                          "launch: {}ns}}}},\n",
                          1 + below(100'000), below(3), 1 + below(2), below(3'000));
      default:
        return yaml + fmt::format("type: all-to-all, algorithm: pairwise, size: {}B}},\n",
                                  1 + below(10'000));
    }
  }

  RandomStream random_;
  std::uint64_t counter_ = 0;
  std::uint64_t ranks_ = 0;
};

}  // namespace weft::testing
