#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// Output of ib_write_bw and the other bandwidth tests of perftest, as a table or from --out_json.
[[nodiscard]] Form perftest_form();

}  // namespace weft::evidence
