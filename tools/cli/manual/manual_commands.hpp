#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// What the program says of itself: `weft help`, `completion` and `man`.
class ManualCommands {
 public:
  explicit ManualCommands(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run() const;

 private:
  void add_help();
  void add_completion();
  void add_man();
  [[nodiscard]] int help() const;
  [[nodiscard]] int explain_word() const;
  [[nodiscard]] std::string names_text(const std::string& word) const;
  [[nodiscard]] std::vector<std::string> known_words() const;
  [[nodiscard]] int complete() const;
  [[nodiscard]] int write_pages() const;

  CLI::App& app_;
  CLI::App* help_;
  CLI::App* completion_;
  CLI::App* man_;
  std::string word_;
  bool prints_keys_ = false;
  bool prints_topics_ = false;
  bool prints_reference_ = false;
  std::string shell_;
  std::string command_;
  std::string out_;
};

}  // namespace weft::cli
