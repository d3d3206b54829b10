#pragma once

#include <map>
#include <string>
#include <string_view>

#include "scenarios/language/load_scenario.hpp"
#include "simcore/fabric/fabric.hpp"
#include "tools/diagnose/model/places.hpp"

namespace weft::diagnose {

/// Where the cables of NICs go, as the fabric has them. Where the scenario has an entry of its own
/// for a cable, with file and line of it, and what the comment behind that line says: `weft import`
/// writes the interfaces and the operator's file there.
class Cables {
 public:
  Cables() = default;
  Cables(const scenarios::LoadedScenario& loaded, const Fabric& fabric, const Places& places);

  /// `to leaf02[5], cluster.yaml:52; enp168s0np0 to Ethernet20, cables.csv:24`, of all ports of a
  /// NIC. Empty: it is none.
  [[nodiscard]] std::string of(std::string_view nic) const;

 private:
  std::map<std::string, std::string, std::less<>> by_nic_;
};

}  // namespace weft::diagnose
