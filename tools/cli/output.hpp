#pragma once

#include <string>

#include "simcore/result.hpp"
#include "tools/cli/commands.hpp"

namespace weft::cli {

/// Prints what is wrong; gives the exit code back.
[[nodiscard]] int refuse(const Errors& errors, ExitCode code = kBadInput);

/// A text, in which control characters are escaped, to standard output if `file` is empty, else to
/// what it names (OutputFile). The exit code: `failure` where that cannot be written.
[[nodiscard]] int put(const std::string& text, const std::string& file = {},
                      ExitCode failure = kUnfinished);

}  // namespace weft::cli
