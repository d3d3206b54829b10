#pragma once

#include <filesystem>
#include <vector>

#include "tools/report/data/message_data.hpp"
#include "tools/report/data/port_data.hpp"
#include "tools/topo/picture.hpp"

namespace weft::report {

/// The fabric as `weft topo` draws it: boxes, lines, and for each port the line that it is part of
/// and the boxes at its ends; for each message of the tail the ports of its way. A reason instead
/// where resolved.yaml is not there, or cannot be built any more.
[[nodiscard]] Json fabric_json(const std::filesystem::path& folder, const PortData& ports,
                               const std::vector<TailMessage>& tail);

/// A fabric's picture alone: boxes with the names of their nodes, and lines with the boxes at their
/// ends.
[[nodiscard]] Json drawing_json(const Fabric& fabric, const topo::PictureOptions& options);

}  // namespace weft::report
