#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands.hpp"

namespace weft::cli {

/// `weft report`: a page of one run, of several beside each other, or of a sweep.
class ReportCommand {
 public:
  explicit ReportCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  CLI::App* report_;
  std::vector<std::string> folders_;
  std::string output_;
  ExpectArguments expect_;
};

}  // namespace weft::cli
