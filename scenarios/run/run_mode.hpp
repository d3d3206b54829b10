#pragma once

#include <cstdint>
#include <optional>

#include "collectives/runtime/workload.hpp"
#include "protocols/network/packet_network.hpp"

namespace weft::scenarios {

/// How an experiment is run, beside what its scenario says.
struct RunMode {
  /// The only job that runs; absent: all.
  std::optional<collectives::LoneJob> lone_job = {};
  /// Packets take a path that can do this, too, even where nothing needs it. Tests compare paths.
  protocols::Features extra_features{};
  /// This many messages that are over are dealt with at once, and then forgotten.
  std::uint64_t many_messages = protocols::kManyMessages;

  [[nodiscard]] bool runs(std::uint32_t job) const { return !lone_job || lone_job->job == job; }
};

}  // namespace weft::scenarios
