#pragma once

#include <cstdint>
#include <string>

#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "tools/topo/outline.hpp"

namespace weft::topo {

/// `FROM:TO`, hosts by name or number: all links on paths by the routes. `FROM:TO:N`: those that
/// ECMP by flow chooses for queue pair N of the connection.
[[nodiscard]] Result<Highlight> find_highlight(const Fabric& fabric, const Routes& routes,
                                               std::uint64_t seed, const std::string& text);

/// The links, by name.
[[nodiscard]] std::string highlight_text(const Fabric& fabric, const Highlight& highlight);

}  // namespace weft::topo
