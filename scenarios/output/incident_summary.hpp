#pragma once

#include <string>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// What the summary for people says about failures: the heaviest by packets lost, as a paragraph
/// that ends with an empty line; nothing where nothing failed.
[[nodiscard]] std::string incident_summary_text(const Results& results);

}  // namespace weft::scenarios
