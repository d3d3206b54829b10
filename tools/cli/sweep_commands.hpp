#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

namespace weft::cli {

/// `weft sweep`, `export`, `summarize` and `plot`: their options and what runs them.
class SweepCommands {
 public:
  explicit SweepCommands(CLI::App& app);
  ~SweepCommands();
  SweepCommands(const SweepCommands&) = delete;
  SweepCommands& operator=(const SweepCommands&) = delete;

  /// The exit code of the command that was given; nothing if it is none of these.
  [[nodiscard]] std::optional<int> run();

 private:
  struct Options;

  void add_sweep(CLI::App& app);
  void add_export(CLI::App& app);
  void add_summarize(CLI::App& app);
  void add_plot(CLI::App& app);
  [[nodiscard]] int run_sweep();
  [[nodiscard]] int run_export();
  [[nodiscard]] int run_summarize();
  [[nodiscard]] int run_plot();

  std::unique_ptr<Options> options_;
  CLI::App* sweep_ = nullptr;
  CLI::App* export_ = nullptr;
  CLI::App* summarize_ = nullptr;
  CLI::App* plot_ = nullptr;
};

/// `weft schema --sweep`.
[[nodiscard]] int print_sweep_schema(const std::string& out);

/// Validates a sweep, its scenario and all of its points, and says how many there are.
[[nodiscard]] int check_sweep(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace weft::cli
