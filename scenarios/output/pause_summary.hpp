#pragma once

#include <string>

#include "scenarios/results/results.hpp"

/// What the summary for people says about pauses, credits and deadlocks.
namespace weft::scenarios {

/// Storms with their trees, victims, ports that wait for credits, the deadlock: only what there is,
/// each as a paragraph that ends with an empty line.
[[nodiscard]] std::string pause_summary_text(const Results& results);

}  // namespace weft::scenarios
