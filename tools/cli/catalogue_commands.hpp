#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace weft::cli {

/// `weft list`, `weft show`, and the option that names a catalogue of the user's.
class CatalogueCommands {
 public:
  explicit CatalogueCommands(CLI::App& app);

  /// To be called before anything reads a scenario.
  void use_catalogue() const;

  /// The exit code, if one of the commands was given.
  [[nodiscard]] std::optional<int> run() const;

 private:
  CLI::App* list_ = nullptr;
  CLI::App* show_ = nullptr;
  std::string folder_;
  std::string kind_;
  std::string name_;
  bool print_json_ = false;
  bool prints_names_ = false;
};

}  // namespace weft::cli
