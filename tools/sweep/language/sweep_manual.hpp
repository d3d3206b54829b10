#pragma once

#include "scenarios/language/manual/key_manual.hpp"

namespace weft::sweep {

/// Of the keys of sweep files; their paths begin with `sweep.`, as for `--set`.
[[nodiscard]] const scenarios::language::KeyManual& sweep_manual();

}  // namespace weft::sweep
