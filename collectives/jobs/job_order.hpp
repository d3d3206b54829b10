#pragma once

#include <span>

#include "collectives/jobs/job.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// What is wrong with who waits for whose end: jobs that there are not, and jobs that wait for one
/// another in a circle, of which one is told. Keys are those of the scenario: `jobs[2].after`.
[[nodiscard]] Errors check_order(std::span<const JobDescription> jobs);

}  // namespace weft::collectives
