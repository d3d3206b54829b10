#pragma once

#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/model/evidence_points.hpp"

namespace weft::diagnose {

/// Single runs of perftest below what a healthy NIC reaches. Those of one place are one finding. A
/// cause that is named already, and that they agree with, has them as its evidence.
void join_link_tests(const Places& places, const EvidencePoints& evidence,
                     const evidence::Measurements& measured, Diagnosis& diagnosis);

}  // namespace weft::diagnose
