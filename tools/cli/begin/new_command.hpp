#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/begin/first_scenario.hpp"
#include "tools/cli/begin/questions.hpp"

namespace weft::cli {

/// `weft new`: a first scenario from options, or from questions on a terminal.
class NewCommand {
 public:
  explicit NewCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  [[nodiscard]] bool was_told_anything() const;
  [[nodiscard]] bool ask();
  [[nodiscard]] bool is_alone() const;
  void ask_size(Questions& questions);
  [[nodiscard]] bool use_gpus();
  [[nodiscard]] bool use_options_of_jobs();
  [[nodiscard]] bool is_stream() const;
  [[nodiscard]] std::string file_in_the_way() const;
  [[nodiscard]] int write(const std::string& scenario) const;

  CLI::App* new_;
  begin::FirstScenario wanted_;
  std::uint32_t gpus_ = 0;  ///< 0: as many as the machines have
  std::string sweep_;       ///< what it varies; empty: no sweep
  std::string out_;
};

}  // namespace weft::cli
