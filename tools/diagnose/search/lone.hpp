#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/search/search.hpp"

namespace weft::diagnose {

/// The largest size of a curve, where it alone is beyond its band, is a finding if it is beyond
/// twice its band and another curve of the same servers agrees: a repeated run, or another
/// operation, whose largest size is beyond its band, too.
void add_lone_findings(const EvidencePoints& evidence, std::vector<Anomaly>& all);

/// `all_reduce_perf -b 4G -e 4G -n 100`, which measures one size again. Empty: nccl-tests has no
/// such program.
[[nodiscard]] std::string repeating_command(const Curve& curve, std::int64_t bytes);

}  // namespace weft::diagnose
