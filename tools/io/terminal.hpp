#pragma once

#include <string_view>

#include "simcore/base/result.hpp"

/// What the programs say. Control characters of names are escaped here, whatever was printed; ends
/// of lines stay where a text has several lines by itself.
namespace weft {

/// To standard output.
void print(std::string_view text);

/// As it is, to standard error.
void print_error_text(std::string_view text);

/// `weft: ` and the text as a line on standard error. Names in it may hold ends of lines: it stays
/// one line.
void complain(std::string_view text);

/// Who read this pipe has read enough and gone, as `head` does. That is no mistake of anybody's.
[[nodiscard]] bool has_no_reader(int descriptor);

/// One line each on standard error, whatever names they quote, and how many if there are several.
/// What begins with a blank belongs to the one before.
void print_errors(const Errors& errors);

}  // namespace weft
