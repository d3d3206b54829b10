#pragma once

#include <span>
#include <string_view>

#include "tools/evidence/form.hpp"
#include "tools/evidence/measurements.hpp"

namespace weft::evidence {

/// All forms of log, in the order in which they are tried.
[[nodiscard]] std::span<const Form> forms();

/// The form of that name; null: there is none.
[[nodiscard]] const Form* find_form(std::string_view name);

/// The form that a file is in, by its content; null: none of them.
[[nodiscard]] const Form* recognise(const InputFile& file);

/// Reads a file as `form`, or as what it is recognised as where that is null. A file in no known
/// form is an error.
void read_file(const InputFile& file, const Form* form, Measurements& measurements);

}  // namespace weft::evidence
