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

}  // namespace weft::diagnose
