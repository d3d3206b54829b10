#pragma once

#include <string>
#include <vector>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/facts/switch_settings.hpp"

namespace weft::import {

/// Traffic classes of the fabric as a scenario has them.
struct ClassText {
  std::string yaml;     ///< below `fabric:`; empty: no file says any
  std::string changes;  ///< entries of `fabric.changes`: switches and ports that differ from that
  std::string roce;     ///< name of the class that is lossless; empty: there is none
  std::vector<std::string> remarks;  ///< what a scenario cannot say, or says for all ports alike
};

/// The classes that most ports of the switches have, and how others differ.
[[nodiscard]] ClassText class_text(const Cluster& cluster);

}  // namespace weft::import
