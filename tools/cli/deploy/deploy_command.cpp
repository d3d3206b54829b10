#include "tools/cli/deploy/deploy_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "simcore/base/escape.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/deploy/rank_list.hpp"
#include "tools/deploy/slurm_topology.hpp"
#include "tools/deploy/switch_values.hpp"
#include "tools/deploy/tuner_rules.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kDeployHelp =
    "\nExamples:\n"
    "  weft deploy slurm cluster.yaml -o topology.conf\n"
    "  weft deploy slurm scenarios/nvl72.yaml --gpus-per-node 4\n"
    "  weft deploy switches cluster.yaml -o values.csv     headroom that cables need, ECN and "
    "PFC\n"
    "  weft deploy hostfile job.yaml -o ranks.txt          SLURM_HOSTFILE=ranks.txt srun "
    "--distribution=arbitrary\n";

const std::vector<std::string> kOutputs{"slurm", "switches", "tuner", "ranks", "hostfile"};

/// On a terminal: what is simulated now.
void show(const std::string& what) {
  if (::isatty(STDERR_FILENO) == 1) print_error_text("\r\x1b[K" + escaped(what));
}

}  // namespace

DeployCommand::DeployCommand(CLI::App& app)
    : deploy_(app.add_subcommand("deploy",
                                 "files for schedulers, switches and NCCL, from a scenario")) {
  deploy_->footer(kDeployHelp);
  deploy_
      ->add_option(
          "what", what_,
          "slurm: topology.conf; switches: values of ports, as CSV; tuner: rules for NCCL; "
          "ranks: node and GPU of every rank, as CSV; hostfile: the node of each rank of "
          "a job, for srun")
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
  deploy_->add_option("--job", job_, "hostfile: which job (default: the only one)")
      ->type_name("NAME");
  deploy_->add_option("--largest", largest_, "tuner: size up to which collectives are simulated")
      ->type_name("SIZE")
      ->capture_default_str();
  deploy_->add_option("--gain", gain_, "tuner: share of the time that a rule has to save")
      ->check(CLI::Range(0.0, 0.9))
      ->type_name("SHARE")
      ->capture_default_str();
  deploy_->add_option("-o,--out", out_, "file to write (default: standard output)")
      ->type_name(kFile);
}

Result<deploy::Deployed> DeployCommand::tuner() const {
  const auto largest = read_limit<Bytes>("--largest", largest_);
  if (!largest) return Errors{};
  if (Bytes(*largest) < 4_KiB) return Error{"--largest: at least 4KiB"};
  auto simulator = diagnose::Simulator::open(scenario_, overrides_, diagnose::Twin::kHealthy);
  if (!simulator.ok()) return simulator.errors();
  auto rules = deploy::tuner_rules(simulator.value(),
                                   {.largest = Bytes(*largest), .gain = gain_, .progress = show});
  show("");
  return rules;
}

Result<deploy::Deployed> DeployCommand::of_fabric() const {
  const auto loaded = scenarios::load_scenario(scenario_, overrides_);
  if (!loaded.ok()) return loaded.errors();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return loaded.value().located(experiment.errors());
  auto deployed = of_experiment(experiment.value());
  if (!deployed.ok()) return loaded.value().located(deployed.errors());
  return deployed;
}

Result<deploy::Deployed> DeployCommand::of_experiment(
    const scenarios::Experiment& experiment) const {
  if (what_ == "slurm") return deploy::slurm_topology(experiment.fabric, gpus_per_node_);
  if (what_ == "switches") return deploy::switch_values(experiment);
  if (what_ == "ranks") return deploy::rank_list(experiment);
  return deploy::host_file(experiment, job_);
}

std::optional<int> DeployCommand::run() {
  if (!deploy_->parsed()) return std::nullopt;
  for (const auto& [option, use] :
       {std::pair("--gpus-per-node", "slurm"), std::pair("--largest", "tuner"),
        std::pair("--gain", "tuner"), std::pair("--job", "hostfile")}) {
    if (deploy_->count(option) > 0 && what_ != use) {
      no_effect(*deploy_, option, std::string("it is for `") + use + "`");
    }
  }
  const auto deployed = what_ == "tuner" ? tuner() : of_fabric();
  if (!deployed.ok()) return refuse(deployed.errors());
  for (const std::string& remark : deployed.value().remarks) {
    print_error_text("weft: " + escaped(remark) + "\n");
  }
  return put(deployed.value().text, out_);
}

}  // namespace weft::cli
