#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/blame/counterfactual/blame_file.hpp"
#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/explain/run_facts.hpp"

namespace weft::cli {

/// `weft explain`: who is to blame for the time of a run, or for the difference of two.
class ExplainCommand {
 public:
  explicit ExplainCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  /// One run. Returns the exit code.
  [[nodiscard]] int explain(const std::vector<scenarios::BlameEntry>& blame) const;
  /// The same, and what runs without each thing save.
  [[nodiscard]] int verify(const std::vector<scenarios::BlameEntry>& blame,
                           const scenarios::RunFacts& facts) const;

  CLI::App* explain_;
  std::string first_;
  std::string second_;
  std::size_t lines_ = 10;
  bool is_json_ = false;
  bool verifies_ = false;
  std::size_t each_ = scenarios::kMaxJobsEach;
};

}  // namespace weft::cli
