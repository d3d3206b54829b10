#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// Matrices of nvbandwidth between the GPUs of a server.
[[nodiscard]] Form nvbandwidth_form();

}  // namespace weft::evidence
