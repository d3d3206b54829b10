#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace weft::cli {

/// All that can be said to `weft`, and what is done then.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The exit code.
  [[nodiscard]] int run(int argc, char** argv);

  [[nodiscard]] const CLI::App& app() const { return app_; }

 private:
  struct Commands;

  [[nodiscard]] int dispatch(const std::vector<std::string>& command_line);

  CLI::App app_;
  std::unique_ptr<Commands> commands_;
};

}  // namespace weft::cli
