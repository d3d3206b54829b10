#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"
#include "topologies/routing/usable_paths.hpp"

namespace weft::scenarios {

/// What can be known about a run before it starts.
struct StaticFindings {
  Errors errors;                      ///< cannot be built that way
  std::vector<std::string> warnings;  ///< can be run, but may go wrong: why, and what to change
};

/// Switches with more ports, or faster ones, than such a switch has: the first one in words, and
/// how many more there are; empty: none.
[[nodiscard]] std::string overfull_switches(const Fabric& fabric);

/// Looks for lossless classes that can drop, marks that come too late, and routes on which lossless
/// classes can deadlock. Errors carry key paths.
[[nodiscard]] StaticFindings check_statically(const Experiment& experiment);

/// Static next hops may send packets round: they die by their TTL. The fluid engine has no packets.
enum class Loops : std::uint8_t { kWarnedOf, kRefused };

/// The part of it that is about routes (route_checks.cpp): jobs whose packets cannot get to where
/// they are sent, and pairs of hosts that no job needs.
void check_routes(const Experiment& experiment, Loops loops, StaticFindings& findings);
/// The part that is about hashes that repeat each other's choices (polarisation_check.cpp).
void check_polarisation(const Experiment& experiment, StaticFindings& findings);
/// How polarisation_text begins.
inline constexpr const char* kPolarised = "hashes polarise";
/// Of a survey that found reduced pairs: the worst of them in words, as `weft check`, runs, `weft
/// topo` and `weft explain` name it.
[[nodiscard]] std::string polarisation_text(const Fabric& fabric,
                                            const topologies::UsablePathSurvey& found);
/// How switches choose among next hops for some class, flows before packets that draw them; absent:
/// all choose in turn or by load.
[[nodiscard]] std::optional<topologies::Hashing> hashing_of_classes(const Scenario& scenario,
                                                                    const PathHash& of_flows);
/// The part that is about buffers of switches (buffer_checks.cpp).
void check_buffers(const Experiment& experiment, StaticFindings& findings);
/// The part that is about transports and the classes that they are in (transport_checks.cpp).
void check_transports(const Experiment& experiment, StaticFindings& findings);
/// Marks that nobody sets, too late or too early (marking_checks.cpp).
void check_marking(const Experiment& experiment, StaticFindings& findings);
/// Packets that are larger than the MTU of a port (mtu_checks.cpp).
void check_mtus(const Experiment& experiment, StaticFindings& findings);
/// Windows and time-outs that are shorter than a round trip (round_trip_checks.cpp).
void check_round_trips(const Experiment& experiment, StaticFindings& findings);
/// More than links can carry, for as long as it is offered (load_checks.cpp).
void check_loads(const Experiment& experiment, StaticFindings& findings);
/// How many times what it carries a job asks for the link that it asks for most. 0: it waits for
/// what it sends, or there are too many pairs to tell.
[[nodiscard]] double offered_load(const Experiment& experiment, std::size_t job);
/// Faults and changed links that nothing meets (fault_checks.cpp).
void check_faults(const Experiment& experiment, StaticFindings& findings);
/// After the run: faults that came when all jobs were over.
void warn_of_late_faults(const Experiment& experiment, Picoseconds end,
                         std::vector<std::string>& warnings);

}  // namespace weft::scenarios
