#pragma once

#include "collectives/jobs/job.hpp"

namespace weft::scenarios {

/// One job of a scenario, placed on hosts.
using JobSpec = collectives::JobDescription;

}  // namespace weft::scenarios
