#pragma once

#include <string>
#include <vector>

#include "tools/import/facts/description.hpp"

namespace weft::import {

/// Removes what these patterns name: devices (`oob-sw01`) with their cables and settings, ports and
/// NICs (`eno1`, `mlx5_8`), and ports of one device (`gpu01/eno1`). `*` stands for any text; case
/// does not count. A warning says what each removes; one that names nothing is an error. Returns
/// the devices that no fact names any more.
std::vector<std::string> leave_out(Description& description,
                                   const std::vector<std::string>& patterns);

}  // namespace weft::import
