#include "tools/cli/deploy/deploy_command.hpp"

#include <fmt/format.h>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/deploy/slurm_topology.hpp"
#include "tools/deploy/switch_values.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kDeployHelp =
    "\nExamples:\n"
    "  weft deploy slurm cluster.yaml -o topology.conf\n"
    "  weft deploy slurm scenarios/nvl72.yaml --gpus-per-node 4\n"
    "  weft deploy switches cluster.yaml -o values.csv     headroom that cables need, ECN and "
    "PFC\n";

const std::vector<std::string> kOutputs{"slurm", "switches"};

}  // namespace

DeployCommand::DeployCommand(CLI::App& app)
    : deploy_(app.add_subcommand("deploy", "files for schedulers and switches, from a scenario")) {
  deploy_->footer(kDeployHelp);
  deploy_->add_option("what", what_, "slurm: topology.conf; switches: values of ports, as CSV")
      ->check(one_of(kOutputs))
      ->type_name(joined(kOutputs))
      ->required();
  add_scenario(*deploy_, scenario_);
  add_overrides(*deploy_, overrides_);
  deploy_
      ->add_option("--gpus-per-node", gpus_per_node_,
                   "slurm: GPUs of a node where a scale-up domain has more")
      ->check(CLI::Range(1, 1'024))
      ->type_name("N");
  deploy_->add_option("-o,--out", out_, "file to write (default: standard output)")
      ->type_name(kFile);
}

std::optional<int> DeployCommand::run() {
  if (!deploy_->parsed()) return std::nullopt;
  const auto loaded = scenarios::load_scenario(scenario_, overrides_);
  if (!loaded.ok()) return refuse(loaded.errors());
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return refuse(loaded.value().located(experiment.errors()));
  if (what_ != "slurm" && deploy_->count("--gpus-per-node") > 0) {
    no_effect(*deploy_, "--gpus-per-node", "it is for `slurm`");
  }
  const auto deployed = what_ == "slurm"
                            ? deploy::slurm_topology(experiment.value().fabric, gpus_per_node_)
                            : deploy::switch_values(experiment.value());
  if (!deployed.ok()) return refuse(loaded.value().located(deployed.errors()));
  for (const std::string& remark : deployed.value().remarks) {
    print_error_text("weft: " + escaped(remark) + "\n");
  }
  return put(deployed.value().text, out_);
}

}  // namespace weft::cli
