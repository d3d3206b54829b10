#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/catalogue/fit.hpp"
#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/model/simulator.hpp"

namespace weft::diagnose {

/// Finds alternatives that may explain the findings, and what calls take with them: by packets, of
/// a few sizes of each curve and one pair of each kind.
void add_alternatives(Simulator& healthy, const std::vector<Anomaly>& findings,
                      EvidencePoints& evidence);

/// A call as it runs with an alternative.
[[nodiscard]] Call alternative_call(const Simulator& healthy, const Alternative& alternative,
                                    Call call);

/// The path of a key that the class of the scenario's calls has, such as `fabric.ecn`.
[[nodiscard]] std::string class_key(const Simulator& healthy, const std::string& key);

}  // namespace weft::diagnose
