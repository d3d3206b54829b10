#pragma once

#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/model/simulator.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::diagnose {

/// What counters, NCCL's choices and the packets of perftest say of causes that were found: they
/// support one, or rule it out. Where they speak for one alone of those that times do not tell
/// apart, it is the culprit. What supports none is a remark.
void join_statements(const Simulator& healthy, const EvidencePoints& evidence,
                     const evidence::Measurements& measured, Diagnosis& diagnosis);

}  // namespace weft::diagnose
