#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/evidence/measurements.hpp"

namespace weft::evidence {

/// `21` of `flight-recorder-rank21.json`, `nccl_trace_rank_21`; nothing: the name has none.
[[nodiscard]] std::optional<std::uint32_t> rank_of_file(const std::string& name);

/// Takes the rank that the file's name has, or says that it has none.
void take_rank_of_file(const std::string& name, RankCalls& calls, Remarks& remarks);

/// `a` times `b`; 0 where that is no size.
[[nodiscard]] std::int64_t size_product(std::int64_t a, std::int64_t b);

}  // namespace weft::evidence
