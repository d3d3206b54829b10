#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/diagnose/catalogue/hypotheses.hpp"

namespace weft::diagnose {

/// A hypothesis with the number that fits best, and how well it fits.
struct Fit {
  Hypothesis hypothesis{};
  double score = 0;                 ///< sum of deviations over tolerances, and penalties
  double explained = 0;             ///< which part of what is wrong without it
  double worst = 0;                 ///< the deviation that one in ten points exceeds, in tolerances
  std::uint32_t contradicting = 0;  ///< values of perftest that it leaves wholly unexplained
};

/// What measurements differ in from what is to be expected of a healthy cluster.
struct Anomaly {
  std::string text;
  std::uint32_t curve = 0;
  std::vector<std::size_t> points{};  ///< of the evidence
};

}  // namespace weft::diagnose
