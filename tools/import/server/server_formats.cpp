#include "tools/import/server/server_formats.hpp"

namespace weft::import {

std::span<const Format> server_formats() { return {}; }

}  // namespace weft::import
