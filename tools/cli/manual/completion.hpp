#pragma once

#include <string>

#include "tools/cli/manual/command_page.hpp"

namespace weft::cli {

// Scripts that complete command lines of `weft`. Keys and parts are asked from the program when
// they are needed (`weft help --keys`, `weft list --names`).
[[nodiscard]] std::string bash_completion(const CommandPage& program);
[[nodiscard]] std::string zsh_completion(const CommandPage& program);
[[nodiscard]] std::string fish_completion(const CommandPage& program);

}  // namespace weft::cli
