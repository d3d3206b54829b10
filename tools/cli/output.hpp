#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "simcore/base/result.hpp"
#include "simcore/text/command_line_size.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/cli/commands.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {

/// Prints what is wrong; gives the exit code back.
[[nodiscard]] int refuse(const Errors& errors, ExitCode code = kBadInput);

/// A text, in which control characters are escaped, to standard output if `file` is empty or `-`,
/// else to what it names (OutputFile). The exit code: `failure` where that cannot be written.
[[nodiscard]] int put(const std::string& text, const std::string& file = {},
                      ExitCode failure = kUnfinished);

/// Results are written to a folder: says so where `path` is `-`.
[[nodiscard]] bool is_folder(const std::string& option, const std::string& path);

/// Says that an option that was given changes nothing: `why`, such as `beside --json`.
void no_effect(const CLI::App& command, const std::string& option, const std::string& why);

/// A limit on the command line, in the smallest unit; says what is wrong with it.
template <class Quantity>
[[nodiscard]] std::optional<std::int64_t> read_limit(const char* option, const std::string& text) {
  const bool is_size = std::is_same_v<Quantity, Bytes>;
  const auto parsed =
      parse_quantity(text, is_size ? command_line_size() : dimension_of<Quantity>());
  if (const auto* count = std::get_if<std::int64_t>(&parsed); count != nullptr && *count > 0) {
    return *count;
  }
  const auto* problem = std::get_if<std::string>(&parsed);
  complain(std::string(option) + ": `" + text + "` " + (problem == nullptr ? "is zero" : *problem));
  return std::nullopt;
}

}  // namespace weft::cli
