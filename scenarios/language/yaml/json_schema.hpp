#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/language/yaml/catalogue.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::scenarios::language {

/// A JSON Schema (draft 2020-12) for documents that `object` describes. It states what a schema can
/// state: keys, types, units, limits, names of parts; relations between keys are left to the
/// loader.
[[nodiscard]] nlohmann::ordered_json json_schema(const schema::AnyObject& object,
                                                 const Catalogue& catalogue);

}  // namespace weft::scenarios::language
