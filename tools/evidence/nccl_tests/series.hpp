#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// Output of nccl-tests, as text or as JSON (`-J`): a series for each run, type, reduction and
/// root, in place and out of place. NCCL's own lines between the rows are read as well.
[[nodiscard]] Form nccl_tests_form();

}  // namespace weft::evidence
