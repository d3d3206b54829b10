#include "tools/import/infiniband/infiniband_formats.hpp"

namespace weft::import {

std::span<const Format> infiniband_formats() { return {}; }

}  // namespace weft::import
