#include "tools/import/switches/switch_formats.hpp"

namespace weft::import {

std::span<const Format> switch_formats() { return {}; }

}  // namespace weft::import
