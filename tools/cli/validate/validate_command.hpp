#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// `weft validate`: the shipped validation suite.
class ValidateCommand {
 public:
  explicit ValidateCommand(CLI::App& app);
  [[nodiscard]] std::optional<int> run() const;

 private:
  CLI::App* validate_;
  bool is_full_ = false;
  bool print_json_ = false;
  std::vector<std::string> overrides_;
};

}  // namespace weft::cli
