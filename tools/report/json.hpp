#pragma once

#include <nlohmann/json.hpp>

namespace weft::report {

using Json = nlohmann::ordered_json;

}  // namespace weft::report
