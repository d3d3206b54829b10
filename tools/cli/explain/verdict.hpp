#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "simcore/base/units.hpp"

namespace weft::cli {

/// What happened in a run that costs time, by name.
using Troubles = std::vector<std::pair<const char*, std::int64_t>>;

[[nodiscard]] Troubles troubles_of(const protocols::NetworkTotals& totals);
/// Those of the run whose summary.json it is; nothing where that has none.
[[nodiscard]] Troubles troubles_of(const nlohmann::json& summary);

/// What there is more of in a run that takes longer: `422,107 retransmissions instead of 0`.
[[nodiscard]] std::string why_longer(const Troubles& before, const Troubles& after);

/// What became of a job in a run without something.
struct JobVerdict {
  std::string job;
  std::optional<Picoseconds> before;   ///< absent: it did not end
  std::optional<Picoseconds> without;  ///< absent: it does not end
  Picoseconds blamed;
  std::string why_unfinished;  ///< where it does not end without
  /// Of an open loop: times are the 99th percentile of the completion times of its messages, which
  /// blame, of the whole job, is not part of.
  bool is_of_messages = false;

  /// How much sooner it ends; nothing where one of both does not end.
  [[nodiscard]] std::optional<Picoseconds> saved() const;
  /// It ends a hundredth sooner or more, or ends at all: less is nothing to change.
  [[nodiscard]] bool helps() const;
  /// It takes as long as with it, and was not blamed on it.
  [[nodiscard]] bool is_unchanged() const;
  /// More than `other` does, for the same job.
  [[nodiscard]] bool is_better_than(const JobVerdict& other) const;
  /// Nine tenths of what another try saves, or more; of a job that did not end, that it ends.
  [[nodiscard]] bool saves_as_much_as(const JobVerdict& other) const;
  /// A line. `why_longer`: what to say where it takes longer.
  [[nodiscard]] std::string text(const std::string& why_longer) const;
  [[nodiscard]] nlohmann::ordered_json json() const;
};

/// `a`, `a and b`, `a, b and 3 more`.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace weft::cli
