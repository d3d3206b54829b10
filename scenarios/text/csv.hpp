#pragma once

#include <string>

#include "simcore/base/units.hpp"

/// What all CSV files of the results have in common.
namespace weft::scenarios::csv {

/// A field, quoted where it must be (RFC 4180). Control characters are escaped: a record is a line.
/// A name that a spreadsheet would take for a formula, such as `=1+1`, has a quote before it.
[[nodiscard]] std::string field(const std::string& text);

/// Exact decimal seconds of a whole number of picoseconds.
[[nodiscard]] std::string seconds(Picoseconds t);
/// The same; empty for a time that is missing.
[[nodiscard]] std::string seconds_if_any(OptionalTime t);

}  // namespace weft::scenarios::csv
