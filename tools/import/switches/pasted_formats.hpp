#pragma once

#include "tools/import/facts/format.hpp"

namespace weft::import {

[[nodiscard]] Format eos_format();
[[nodiscard]] Format nxos_format();
[[nodiscard]] Format cumulus_format();
[[nodiscard]] Format cumulus_show_format();

}  // namespace weft::import
