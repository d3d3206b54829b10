#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/spec/scenario.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

/// Where a scenario says what a cable is. Scenario and fabric must outlive it.
class CableKeys {
 public:
  CableKeys(const Scenario& scenario, const Fabric& fabric);

  /// `fabric.cables[4]`, `fabric.links[0]` or `links.changes[1]`; `fabric` where no key is of this
  /// cable alone. Of entries that join the same nodes the one that is meant: in their order, or by
  /// its rate.
  [[nodiscard]] std::string of(PortId port) const;
  /// Of a server or switch by name; a cabled fabric has a list of them.
  [[nodiscard]] std::string of_node(const std::string& name) const;

 private:
  struct Entry {
    std::string key;
    BitsPerSecond rate;
    std::uint32_t count = 1;
  };

  template <class Entries>
  void add_entries(const Entries& cables, const char* list);
  /// How many cables between the same nodes come before that of `port`.
  [[nodiscard]] std::uint32_t index_of(PortId port) const;

  const Scenario& scenario_;
  const Fabric& fabric_;
  std::map<std::pair<std::string, std::string>, std::vector<Entry>> entries_;
  std::map<PortId, std::string> changes_;
};

}  // namespace weft::scenarios
