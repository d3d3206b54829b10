#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// `weft estimate`: what the training jobs of a scenario take, in closed form.
class EstimateCommand {
 public:
  explicit EstimateCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run() const;

 private:
  CLI::App* estimate_;
  std::string scenario_;
  std::vector<std::string> overrides_;
  bool print_json_ = false;
  bool is_quick_ = false;
  bool is_ideal_ = false;
};

}  // namespace weft::cli
