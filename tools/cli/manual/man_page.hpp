#pragma once

#include <string>

#include "tools/cli/manual/command_page.hpp"

namespace weft::cli {

/// The manual page of a command, or of `weft` itself, for man(1).
[[nodiscard]] std::string man_page(const CommandPage& command, const std::string& version);

/// What that page is called: `weft-run`.
[[nodiscard]] std::string man_name(const CommandPage& command);

}  // namespace weft::cli
