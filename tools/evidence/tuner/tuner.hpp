#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// Rules for NCCL's tuner plugin, as CSV. They hold no measurement: they are checked against what
/// the plugin makes of them.
[[nodiscard]] Form tuner_form();

}  // namespace weft::evidence
