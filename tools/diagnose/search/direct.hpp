#pragma once

#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/model/places.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::diagnose {

/// What NCCL's logs and traces say by themselves, without a number that it is held against:
/// sockets, no GPU-direct, paths beyond the host bridge, fewer NICs. Where one server alone has it,
/// it is a culprit with that place, before all that times suggest.
void join_direct(const Places& places, const evidence::Measurements& measured,
                 Diagnosis& diagnosis);

}  // namespace weft::diagnose
