#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// What the profiler plugin NCCL Inspector (2.28.3 and later) writes: one JSON object a line, one
/// file a process.
[[nodiscard]] Form inspector_form();

}  // namespace weft::evidence
