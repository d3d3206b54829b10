#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/spec/scenario.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"

/// What `weft check` finds, `weft topo` lists and its picture marks.
namespace weft::scenarios {

/// A part of a fabric that is not as its likes are, or has a setting that cannot be meant.
struct OddOne {
  std::string text{};
  SourceLocation where{};       ///< with the key; file and line once located
  std::string from{};           ///< what the comment behind that line says: where it is from
  std::vector<NodeId> nodes{};  ///< what stands out
  std::vector<PortId> ports{};  ///< one end of each cable
};

/// Odd ones out of an otherwise regular fabric: cables that are missing, slow or miswired; switches
/// and ports with other settings than their peers; headroom below what the cable needs; ECN above
/// XOFF; MTUs that differ. Takes time in proportion to the fabric.
[[nodiscard]] std::vector<OddOne> find_odd_ones(const Scenario& scenario, const Fabric& fabric);

/// The same with files and lines.
[[nodiscard]] std::vector<OddOne> find_odd_ones(const LoadedScenario& loaded, const Fabric& fabric);

/// Hashes that repeat each other's choices, as those of `fabric.hash` do; nothing: they do not. The
/// switch of the worst pair stands out.
[[nodiscard]] std::optional<OddOne> find_polarised(const LoadedScenario& loaded,
                                                   const Fabric& fabric, const Routes& routes);

/// `regular.yaml:7: fabric.hash`: where the file says how flows are hashed, or the fabric at all.
[[nodiscard]] std::string place_of_hash(const LoadedScenario& loaded);

/// `TEXT (cluster.yaml:52: fabric.changes[0]; config_db-leaf01.json:87)`.
[[nodiscard]] std::string odd_one_text(const OddOne& odd);

// Its parts.
[[nodiscard]] std::vector<OddOne> odd_cables_of(const Scenario& scenario, const Fabric& fabric);
[[nodiscard]] std::vector<OddOne> odd_settings_of(const Scenario& scenario, const Fabric& fabric);

}  // namespace weft::scenarios
