#pragma once

#include "simcore/text/quantity_text.hpp"

namespace weft {

/// Sizes on the command line, where `1M` is 1 MiB, as nccl-tests has it (powers of 1024). Files do
/// not read these letters: there `M` may be either.
[[nodiscard]] const Dimension& command_line_size();

}  // namespace weft
