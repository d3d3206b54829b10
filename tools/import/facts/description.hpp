#pragma once

#include <string>
#include <vector>

#include "tools/import/facts/cable.hpp"
#include "tools/import/facts/device.hpp"
#include "tools/import/facts/server.hpp"
#include "tools/import/facts/switch_settings.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

/// What the files of a cluster say, each fact with its place; nothing is joined or decided yet.
struct Description {
  std::vector<Server> servers;
  std::vector<Cable> cables;
  std::vector<Device> devices;
  std::vector<SwitchSettings> switches;
  std::vector<Placement> placements;
  std::vector<SwitchParent> parents;
  /// What each file was recognised as, by what, and how much it holds:
  /// `leaf01.json: SONiC config_db: 20 ports, 16 neighbours`.
  std::vector<std::string> recognised;
  Remarks remarks;
};

}  // namespace weft::import
