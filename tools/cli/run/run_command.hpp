#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands.hpp"

namespace weft::cli {

/// `weft run`: its options.
class RunCommand {
 public:
  explicit RunCommand(CLI::App& app);

  /// The exit code; nothing if another command was given. `command_line`: all of it.
  [[nodiscard]] std::optional<int> run(const std::vector<std::string>& command_line);

 private:
  void add_places();
  void add_what_runs();
  void say_what_has_no_effect() const;

  CLI::App* run_;
  RunArguments arguments_;
  std::string seed_;
  std::string memory_limit_;
  std::string log_level_ = "warn";
};

}  // namespace weft::cli
