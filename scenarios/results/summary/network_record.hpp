#pragma once

#include "protocols/network/packet_network.hpp"
#include "scenarios/results/distribution.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/record.hpp"

/// Sums and percentiles of a run.
namespace weft::scenarios {

[[nodiscard]] const Record<std::optional<Percentiles>>& percentiles_record();
[[nodiscard]] const Record<MessageStatistics>& messages_record();
[[nodiscard]] const Record<protocols::NetworkTotals>& network_record();

}  // namespace weft::scenarios
