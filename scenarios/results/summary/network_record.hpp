#pragma once

#include "protocols/network/packet_network.hpp"
#include "scenarios/results/coverage.hpp"
#include "scenarios/results/distribution.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/record.hpp"
#include "scenarios/results/results.hpp"

/// Sums and percentiles of a run.
namespace weft::scenarios {

/// Percentiles, if there are any, and what they are of.
struct CoveredPercentiles {
  std::optional<Percentiles> values;
  Coverage coverage;
};
[[nodiscard]] const Record<CoveredPercentiles>& percentiles_record();
/// `cut_off`, which stands beside percentiles: absent where they are of everything.
[[nodiscard]] nlohmann::ordered_json cut_off_json(const std::optional<std::string>& text);
[[nodiscard]] const Record<Results>& messages_record();
[[nodiscard]] const Record<protocols::NetworkTotals>& network_record();

}  // namespace weft::scenarios
