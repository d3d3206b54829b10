#pragma once

#include <string>
#include <vector>

#include "tools/diagnose/model/places.hpp"
#include "tools/diagnose/search/search.hpp"

namespace weft::diagnose {

/// The measurement, of those that operators can make, by whose result the most of these hypotheses
/// would differ; among equals the one that takes least. Empty: they would not differ by any.
[[nodiscard]] std::string next_measurement(const Places& places, const std::vector<Fit>& undecided,
                                           const EvidencePoints& evidence);

/// Two-server calls of every pair of the servers that were measured. Empty: there are no pairs, or
/// they were measured.
[[nodiscard]] std::string pairs_to_measure(const EvidencePoints& evidence, const Places& places);

/// What to measure where nothing in the catalogue explains what was found: what was not measured
/// yet, of pairs, then of single NICs; then counters.
[[nodiscard]] std::string where_nothing_explains(const Places& places,
                                                 const EvidencePoints& evidence);

}  // namespace weft::diagnose
