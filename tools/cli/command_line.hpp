#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace weft::cli {

/// The commands of a program: each has its options, and one of them is what was asked for.
class Commands {
 public:
  Commands() = default;
  virtual ~Commands() = default;
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// Does what the parsed command line says. The exit code.
  [[nodiscard]] virtual int dispatch(const std::vector<std::string>& command_line) = 0;
};

/// Adds the commands of this program to its command line. Defined once per program: `weft` has all
/// of them (all_commands.cpp), `weft-run` what running a scenario needs (first/run_alone.cpp).
[[nodiscard]] std::unique_ptr<Commands> make_commands(CLI::App& app);

/// All that can be said to `weft`, and what is done then.
class CommandLine {
 public:
  CommandLine();
  ~CommandLine() = default;
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// The exit code.
  [[nodiscard]] int run(int argc, char** argv);

  [[nodiscard]] const CLI::App& app() const { return app_; }

 private:
  CLI::App app_;
  std::unique_ptr<Commands> commands_;
};

}  // namespace weft::cli
