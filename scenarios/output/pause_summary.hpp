#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/results/results.hpp"

/// What the summaries say about pauses, credits and deadlocks.
namespace weft::scenarios {

/// Storms with their trees, victims, ports that wait for credits, the deadlock: only what there is,
/// each as a paragraph that ends with an empty line.
[[nodiscard]] std::string pause_summary_text(const Results& results);

/// Adds `pause_storms`, `victims`, `credit_starved` and `deadlock`. Long lists are cut to their
/// heaviest entries; counts and sums are of all.
void add_pause_summary(const Results& results, nlohmann::ordered_json& summary);

}  // namespace weft::scenarios
