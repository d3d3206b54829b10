#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/results/memo/periods_report.hpp"
#include "scenarios/results/memo/reuse_report.hpp"

namespace weft::scenarios {

/// How much of `packet_hops` was simulated once and taken again, and what approximate periods
/// skipped; empty: nobody asked for that.
[[nodiscard]] std::string reuse_text(const ReuseReport& reuse, std::uint64_t packet_hops,
                                     const std::optional<PeriodsReport>& periods);

}  // namespace weft::scenarios
