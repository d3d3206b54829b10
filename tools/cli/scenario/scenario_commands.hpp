#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// What only looks at a scenario, or at the language: `weft check`, `platform` and `schema`.
class ScenarioCommands {
 public:
  explicit ScenarioCommands(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run() const;

 private:
  void add_schema(CLI::App& app);

  CLI::App* check_;
  CLI::App* platform_;
  CLI::App* schema_ = nullptr;
  std::string scenario_;
  std::vector<std::string> overrides_;
  std::string out_;
  bool is_sweep_schema_ = false;
  bool is_result_reference_ = false;
};

}  // namespace weft::cli
