#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands.hpp"

namespace weft::cli {

/// `weft compare`.
class CompareCommand {
 public:
  explicit CompareCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run() const;

 private:
  CLI::App* compare_;
  std::vector<std::string> folders_;
  bool print_json_ = false;
  ExpectArguments expect_;
};

}  // namespace weft::cli
