#pragma once

#include <vector>

#include "tools/diagnose/catalogue/fit.hpp"
#include "tools/diagnose/catalogue/hypotheses.hpp"
#include "tools/diagnose/model/evidence_points.hpp"

namespace weft::diagnose {

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
