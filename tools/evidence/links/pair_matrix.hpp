#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// What was measured between all pairs, as CSV: a list (src, dst, value) or a square.
[[nodiscard]] Form pair_matrix_form();

}  // namespace weft::evidence
