#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// A dump of the flight recorder of PyTorch as JSON, one file a rank.
[[nodiscard]] Form flight_recorder_form();

}  // namespace weft::evidence
