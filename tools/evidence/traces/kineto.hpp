#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// A trace of torch.profiler (Kineto), one file a rank. It is read event by event, since traces may
/// be larger than what fits into memory as a tree.
[[nodiscard]] Form kineto_form();

}  // namespace weft::evidence
