#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/catalogue/hypotheses.hpp"
#include "tools/diagnose/model/evidence_points.hpp"

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

/// Sizes side by side beyond their bands, largest sizes that several runs agree on, and pairs below
/// others that are alike.
[[nodiscard]] std::vector<Anomaly> anomalies_of(const EvidencePoints& evidence,
                                                const Places& places);

/// How badly a hypothesis fits. `pair_freedom`: collisions of each pair are their own.
[[nodiscard]] double score_of(const Hypothesis& hypothesis, const EvidencePoints& evidence);

/// All of the catalogue with their best numbers, the best fit first.
[[nodiscard]] std::vector<Fit> fits_of(const EvidencePoints& evidence, const Places& places);

/// Those that the measurements cannot tell from the first.
[[nodiscard]] std::vector<Fit> undecided_among(const std::vector<Fit>& fits);

/// Whether a fit is an explanation at all.
[[nodiscard]] bool explains(const Fit& fit);

}  // namespace weft::diagnose
