#pragma once

#include <string>

#include "simcore/base/result.hpp"
#include "tools/topo/picture.hpp"

namespace weft::topo {

/// The picture in Graphviz's language. Everything has its place in it: Graphviz's own layouts take
/// minutes for Clos fabrics of some thousand links, and put leaves in any order. `neato -n2` keeps
/// the places; other layouts draw the same nodes and links their own way.
[[nodiscard]] std::string dot_text(const Picture& picture);

/// Turns that text into a snapshot with Graphviz's program `dot`: `svg`, `png` or `pdf`. Error: it
/// is not installed, or failed.
[[nodiscard]] Result<std::string> render(const std::string& dot, const char* format);

}  // namespace weft::topo
