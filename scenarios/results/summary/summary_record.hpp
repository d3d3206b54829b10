#pragma once

#include <string_view>

#include "scenarios/results/record.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// The fields by which runs are compared.
namespace summary_keys {
inline constexpr const char* kEngine = "engine";
inline constexpr const char* kSeed = "seed";
inline constexpr const char* kScenario = "scenario_sha256";
inline constexpr const char* kOutcome = "outcome";
inline constexpr const char* kJobs = "jobs";
inline constexpr const char* kResults = "results_sha256";
inline constexpr const char* kCommandLine = "command_line";
inline constexpr const char* kScenarioFile = "scenario_file";
inline constexpr const char* kOverrides = "overrides";
inline constexpr const char* kWithout = "without";
}  // namespace summary_keys

/// The key whose text names the rows of summary.json's list `list`: lists with a row per job name
/// that.
[[nodiscard]] const char* row_name_key(std::string_view list);

/// All of summary.json, in its order.
[[nodiscard]] const Record<Results>& summary_record();

}  // namespace weft::scenarios
