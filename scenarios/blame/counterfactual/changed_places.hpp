#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {

/// A switch, some ports or a NIC with settings of its own (`fabric.changes`), beside others of its
/// tier that do not have them.
struct ChangedPlace {
  std::string name;  ///< `leaf1`, or `leaf1 to spine0`
  std::string path;  ///< `fabric.changes[0]`
  std::string what;  ///< `marks, pauses`
  std::vector<std::string> nodes{};
  std::vector<std::string> hosts{};  ///< themselves, or those that are attached; none: of a spine
  bool has_marks = false;            ///< what decides who is marked is changed, and so on
  bool has_pauses = false;
  bool has_drops = false;
  bool has_control = false;

  /// Whether what a cause takes may come from there: from marks, drops or the control of a
  /// connection that ends at one of its hosts, or from pauses whose root it is.
  [[nodiscard]] bool is_behind(std::string_view cause, std::string_view culprit) const;
};

[[nodiscard]] std::vector<ChangedPlace> changed_places(const LoadedScenario& scenario);

}  // namespace weft::scenarios
