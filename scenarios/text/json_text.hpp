#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::scenarios {

/// JSON as weft prints and writes it: all but ASCII escaped, so that nothing in a name acts on a
/// terminal, and bytes that are not UTF-8 replaced. `indent` -1: on one line.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json, int indent = 2) {
  constexpr bool kOnlyAscii = true;
  return json.dump(indent, ' ', kOnlyAscii, Json::error_handler_t::replace);
}

/// A JSON Schema as it is printed: a line per entry, and no indentation, of which editors make
/// their own and which would be a fifth of the text.
template <class Json>
[[nodiscard]] std::string schema_text(const Json& schema) {
  return json_text(schema, 0) + "\n";
}

}  // namespace weft::scenarios
