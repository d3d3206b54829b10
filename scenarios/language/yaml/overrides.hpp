#pragma once

#include <string>
#include <vector>

#include "scenarios/language/yaml/node.hpp"
#include "simcore/base/result.hpp"

namespace weft::scenarios::language {

/// Applies `path=value` arguments to the tree, in order. The value is YAML; missing maps on the way
/// are made; an index may be one past the end of a list. Returns what is wrong with them.
[[nodiscard]] Errors apply_overrides(Node& root, const std::vector<std::string>& overrides);

/// How messages name an override in the place of a file.
[[nodiscard]] std::string override_name(const std::string& override_text);

}  // namespace weft::scenarios::language
