#include "tools/import/cables/cable_formats.hpp"

namespace weft::import {

std::span<const Format> cable_formats() { return {}; }

}  // namespace weft::import
