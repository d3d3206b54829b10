#pragma once

#include <memory>
#include <string>

#include "scenarios/build/experiment.hpp"

namespace weft::bench {

/// The experiment of a scenario's text. Ends the program if it has errors.
[[nodiscard]] std::shared_ptr<const scenarios::Experiment> experiment_of(const std::string& text);

}  // namespace weft::bench
