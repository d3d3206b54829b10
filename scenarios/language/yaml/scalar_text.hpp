#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simcore/schema/schema.hpp"

/// Scalars of a schema as text, in both directions.
namespace weft::scenarios::language {

/// The value (or the absent one), or a sentence that says what is wrong with `text`.
using Parsed = std::variant<std::optional<schema::Scalar>, std::string>;
[[nodiscard]] Parsed parse_scalar(const schema::Field& field, const std::string& text);

/// What `parse_scalar` reads back as the same value, quoted where YAML would misread it.
[[nodiscard]] std::string scalar_text(const schema::Field& field,
                                      const std::optional<schema::Scalar>& value);

/// One number as it is, several as a list.
[[nodiscard]] std::string integers_text(const std::vector<std::uint32_t>& integers);

/// `text` as a YAML scalar.
[[nodiscard]] std::string yaml_text(const std::string& text);

/// What a field accepts, for messages.
[[nodiscard]] std::string expectation(const schema::Field& field);

}  // namespace weft::scenarios::language
