#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// After a command line that could not be parsed: a sentence for each word that is no command and
/// each option that its command does not have, with the nearest one that there is. Ends in a line
/// break; empty if all are known.
[[nodiscard]] std::string describe_unknown_words(const CLI::App& app);

}  // namespace weft::cli
