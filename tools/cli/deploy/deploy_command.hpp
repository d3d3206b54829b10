#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "simcore/base/result.hpp"
#include "tools/deploy/slurm_topology.hpp"

namespace weft::cli {

/// `weft deploy`: what a scenario gives back to a cluster.
class DeployCommand {
 public:
  explicit DeployCommand(CLI::App& app);

  /// The exit code; nothing if another command was given.
  [[nodiscard]] std::optional<int> run();

 private:
  [[nodiscard]] Result<deploy::Deployed> tuner() const;
  [[nodiscard]] Result<deploy::Deployed> of_fabric() const;
  [[nodiscard]] Result<deploy::Deployed> of_experiment(
      const scenarios::Experiment& experiment) const;

  CLI::App* deploy_;
  std::string what_;
  std::string scenario_;
  std::vector<std::string> overrides_;
  std::uint32_t gpus_per_node_ = 0;
  std::string largest_ = "64MiB";
  double gain_ = 0.05;
  std::string job_;  ///< empty: the only one
  std::string out_;
};

}  // namespace weft::cli
