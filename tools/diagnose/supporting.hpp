#pragma once

#include <string>
#include <vector>

#include "tools/diagnose/catalogue/hypotheses.hpp"
#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/search/search.hpp"

namespace weft::diagnose {

/// What in the measurements speaks for a change, a line for each curve with a finding: by how much
/// it is slower and would be with it; of pairs how many of the slow ones it is in, and of the
/// others. Single runs of perftest speak for themselves.
[[nodiscard]] std::vector<std::string> supporting(const Hypothesis& hypothesis,
                                                  const EvidencePoints& evidence,
                                                  const std::vector<Anomaly>& anomalies);

}  // namespace weft::diagnose
