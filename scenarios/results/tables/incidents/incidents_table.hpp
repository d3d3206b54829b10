#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/table.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What failed: a fault of the scenario, or what followed from others.
enum class IncidentKind : std::uint8_t {
  kNicPause,
  kLinkRate,
  kLinkDown,
  kSwitchDown,
  kLinkLatency,
  kBitErrors,
  kFlapping,
  kPauseStorm,   ///< a PFC watchdog found a stuck queue
  kNoRoute,      ///< a switch had no next hop
  kRetryGaveUp,  ///< link-level retry dropped what it kept
};

/// As files have it: `link-down`, which is also how the language calls such a fault.
[[nodiscard]] const char* incident_kind_name(IncidentKind kind);

/// Something that failed, who noticed it when, and what was lost to it.
struct IncidentResult {
  IncidentKind kind = IncidentKind::kLinkDown;
  std::string place;                   ///< a cable, a node, a port, or what the fault names
  std::optional<std::uint32_t> fault;  ///< index in the scenario; absent: it followed from others
  std::string traffic_class;           ///< of a pause storm
  Picoseconds begin;
  std::optional<Picoseconds> end;       ///< absent: it lasted
  std::optional<Picoseconds> until;     ///< when the scenario ends it, maybe after the run
  std::optional<Picoseconds> port;      ///< the ports at both ends of a cable noticed
  std::optional<Picoseconds> watchdog;  ///< the PFC watchdog noticed
  std::optional<Picoseconds> routes;    ///< routes avoided it
  std::optional<Picoseconds> told;      ///< the first sender heard by a port status
  std::optional<Picoseconds> repeat;    ///< the first queue pair that lost data sent again
  std::optional<Picoseconds> first_loss;
  std::optional<Picoseconds> last_loss;
  std::int64_t packets = 0;  ///< lost since the measurement began
  Bytes bytes;               ///< of these, on the wire
  std::uint64_t queue_pairs = 0;
  /// Iterations that lost packets: the longest, less the median of those without any incident.
  std::optional<Picoseconds> slower;
  std::vector<ConnectionId> connections;  ///< whose data was lost, ascending
  std::vector<PortId> ports;              ///< at both ends of what was down, ascending

  /// `switch-down of spine3`.
  [[nodiscard]] std::string name() const {
    return std::string(incident_kind_name(kind)) + " of " + place;
  }
  /// Who noticed, in the order of time: `port then sender then routes`.
  [[nodiscard]] std::string noticed_by() const;
};

/// incidents.csv
struct IncidentsTable {
  std::vector<IncidentResult> incidents;  ///< by begin, fault and place

  [[nodiscard]] static const Table<IncidentResult>& declaration();
};

}  // namespace weft::scenarios
