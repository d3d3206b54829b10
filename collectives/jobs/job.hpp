#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/jobs/list.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// One job, placed on hosts.
struct JobDescription {
  std::string name;
  Picoseconds start;          ///< counted from the end of the jobs that it is after
  std::vector<HostId> ranks;  ///< by rank of the job; all different
  JobKind kind;
  ClassId traffic_class{};  ///< of all its messages
  /// Collectives: where the ranks are. Left as it is, every rank is alone in its scale-up domain.
  RankLayout layout = {};
  std::uint16_t queue_pairs = 0;     ///< per connection, outside of domains; 0: the transport's
  std::uint8_t transport = 0;        ///< of messages between servers (Connection::transport)
  bool has_acknowledgements = true;  ///< what that transport offers
  std::vector<std::uint32_t> after = {};  ///< places of jobs whose end it waits for
  /// By which its random numbers and the paths of its messages go; absent: its place among the
  /// jobs.
  std::optional<std::uint32_t> number = {};
};

/// Of the job at this place.
[[nodiscard]] inline std::uint32_t number_of(const JobDescription& job, std::size_t place) {
  return job.number.value_or(static_cast<std::uint32_t>(place));
}

/// The layout of a job, as far as its own keys change it.
[[nodiscard]] RankLayout layout_of(const JobDescription& job);

}  // namespace weft::collectives
