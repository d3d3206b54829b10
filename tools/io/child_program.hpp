#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft {

/// What another program said.
struct ProgramOutput {
  int exit_code = 0;  ///< -1: ended by a signal
  std::string out;
  std::string errors;
  [[nodiscard]] bool is_missing() const { return exit_code == 127; }
};

/// Runs a program with `input` on its standard input. There is no shell in between: arguments are
/// what they are.
[[nodiscard]] Result<ProgramOutput> run_program(const std::vector<std::string>& command,
                                                std::string_view input);

}  // namespace weft
