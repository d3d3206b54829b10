#pragma once

#include "simcore/text/counted.hpp"

namespace weft::scenarios {

using weft::counted;

}  // namespace weft::scenarios
