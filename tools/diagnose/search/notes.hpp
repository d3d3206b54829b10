#pragma once

#include <string>
#include <vector>

#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/model/evidence_points.hpp"

namespace weft::diagnose {

/// Why sizes and pairs beyond their bands are no finding. `compared` are the points of the
/// evidence.
[[nodiscard]] std::vector<std::string> uncounted(const EvidencePoints& evidence,
                                                 const std::vector<ComparedPoint>& compared);

/// What measures the largest size of a curve again where it alone is beyond its band. Empty: none
/// is.
[[nodiscard]] std::string lone_to_repeat(const EvidencePoints& evidence,
                                         const std::vector<ComparedPoint>& compared);

/// How many sizes would be too slow if load balancing were not ECMP, in words. Empty: none.
[[nodiscard]] std::string hidden_by_hashing(const EvidencePoints& evidence);

/// What all slow pairs have in common, where nothing in the catalogue explains them: a server, or
/// the rail and its leaf. Empty: nothing, or there are no such pairs.
[[nodiscard]] std::string shared_by_slow_pairs(const EvidencePoints& evidence,
                                               const std::vector<Anomaly>& anomalies,
                                               const Places& places);

}  // namespace weft::diagnose
