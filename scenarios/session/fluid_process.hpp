#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/session/perform.hpp"

/// Runs of the fluid engine for a process that may make many, on several threads: SimGrid has one
/// clock in the life of a process, so each run is a process of its own. That is a program
/// (kFluidProgram), spawned and not forked: a copy of a process with threads can hardly do
/// anything.
namespace weft::scenarios {

/// Beside the library or the program (`found_beside`).
inline constexpr const char* kFluidProgram = "weft-fluid";

/// As `perform` with `is_fluid`, of the scenario that was read with these overrides. The observer
/// is asked here, and ends the run there.
[[nodiscard]] std::variant<RunRecord, Failure> perform_elsewhere(
    const ScenarioTemplate& scenario, const std::vector<std::string>& overrides,
    const RunRequest& request, const ProgressObserver& observer);

/// The other end: runs what it is asked by the process that spawned this one. The exit code.
[[nodiscard]] int serve_fluid_run();

}  // namespace weft::scenarios
