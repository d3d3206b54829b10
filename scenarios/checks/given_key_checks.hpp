#pragma once

#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/given_keys.hpp"

namespace weft::scenarios {

/// Keys that the scenario gives and nothing depends on, because of its other keys, its fabric or
/// its jobs: a sentence each.
void check_given_keys(const Experiment& experiment, const GivenKeys& given,
                      std::vector<std::string>& warnings);

}  // namespace weft::scenarios
