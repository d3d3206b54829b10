#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/blame/cause.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// Adds up what passed along critical paths, by cause, culprit and port.
class BlameSums {
 public:
  void add(std::uint32_t job, std::uint32_t iteration, const Charge& charge) {
    sums_[{job, iteration, charge.cause, charge.culprit, charge.port.value()}] +=
        charge.end - charge.begin;
  }
  /// By job, iteration and falling time. Names ports and storms as the results do.
  [[nodiscard]] std::vector<BlameResult> rows(const Experiment& experiment,
                                              const Results& results) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, Cause, Culprit, std::uint32_t>;
  std::map<Key, Picoseconds> sums_;
};

}  // namespace weft::scenarios
