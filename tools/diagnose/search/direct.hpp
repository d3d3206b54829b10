#pragma once

#include <vector>

#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/model/places.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::diagnose {

/// What logs say by themselves: sockets, GPU-direct off, paths over the host bridge, NICs that are
/// not used, findings of readers.
[[nodiscard]] std::vector<Culprit> direct_findings(const Places& places,
                                                   const evidence::Measurements& measured);

}  // namespace weft::diagnose
