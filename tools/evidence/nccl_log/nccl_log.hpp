#pragma once

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// What NCCL logs with NCCL_DEBUG=INFO, of versions 2.7 to 2.30.
[[nodiscard]] Form nccl_log_form();

/// The same of a file in another form, between whose lines NCCL's own may stand: says nothing of
/// what is missing.
void read_nccl_lines(const InputFile& file, Measurements& measurements);

}  // namespace weft::evidence
