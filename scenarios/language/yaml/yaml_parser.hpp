#pragma once

#include <string>
#include <string_view>

#include "scenarios/language/yaml/node.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios::language {

/// Parses one YAML document. Anchors and aliases are expanded, within bounds; duplicate keys, tags,
/// merge keys and a second document are errors. `override_index` goes into every mark.
[[nodiscard]] Result<Node> parse_yaml(std::string_view text, const std::string& file,
                                      int override_index = -1);

}  // namespace weft::scenarios::language
