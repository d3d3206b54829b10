#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/session/session.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What is known of a scenario before it runs.
struct CheckReport {
  struct Tier {
    std::uint32_t tier = 0;
    std::uint64_t switches = 0;
    double oversubscription = 0;  ///< 0: its switches have no uplinks
  };
  std::string name;
  std::uint64_t hosts = 0;
  std::uint64_t servers = 0;            ///< of a fabric whose hosts are named SERVER/NIC; else 0
  std::uint64_t nics = 0;               ///< of these servers
  std::vector<Tier> tiers;              ///< of the scale-out network
  std::uint64_t scale_up_switches = 0;  ///< such as NVSwitches
  std::uint64_t jobs = 0;
  std::uint64_t ranks = 0;
  std::uint64_t connections = 0;
  std::uint64_t logical_processes = 0;
  Picoseconds lookahead{};
  std::string limiting_port;  ///< that sets the lookahead; empty: run.control_latency does
  std::vector<std::string> shared_host_links;
  std::vector<std::string> changed_links;
  Forecast forecast;
  double fluid_seconds = 0;           ///< of a run by the fluid engine
  std::vector<std::string> findings;  ///< odd ones out of the fabric, with places
  std::vector<std::string> warnings;
};

[[nodiscard]] CheckReport check_report(const Session& session);

/// What `weft check` prints.
[[nodiscard]] std::string check_text(const CheckReport& report);

}  // namespace weft::scenarios
