#pragma once

#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/begin/first_scenario.hpp"

namespace weft::begin {

/// What a first sweep can vary.
inline const std::vector<std::string> kFirstSweeps{
    "ecn", "load-balancing", "congestion-control", "oversubscription", "machine", "size"};

/// A commented sweep of a first scenario. `scenario` is the value of that key: the name of a file,
/// or the scenario itself, as `inlined` has it. Errors: the scenario has nothing of that kind.
[[nodiscard]] Result<std::string> first_sweep(const FirstScenario& wanted, const std::string& what,
                                              const std::string& scenario);

/// The text of a scenario as a value inside of a sweep.
[[nodiscard]] std::string inlined(const std::string& scenario);

/// `cluster-sweep.yaml` of `cluster.yaml`.
[[nodiscard]] std::string sweep_file_of(const std::string& scenario_file);

}  // namespace weft::begin
