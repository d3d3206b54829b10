#pragma once

#include "tools/import/facts/description.hpp"

namespace weft::import {

/// Gives devices whose names differ in case alone one spelling: that in small letters where a file
/// has it, else the first in order. One warning says so. Ports keep their names.
void spell_alike(Description& description);

}  // namespace weft::import
