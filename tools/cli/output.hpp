#pragma once

#include <string>

#include "simcore/result.hpp"
#include "tools/cli/commands.hpp"

namespace weft::cli {

/// Prints what is wrong; gives the exit code back.
[[nodiscard]] int refuse(const Errors& errors, ExitCode code = kBadInput);

/// To standard output if `file` is empty, else to a file that appears whole or not at all. The exit
/// code: `failure` where the file cannot be written.
[[nodiscard]] int put(const std::string& text, const std::string& file = {},
                      ExitCode failure = kUnfinished);

}  // namespace weft::cli
