#include "tools/cli/begin/first_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "topologies/analysis/summary.hpp"

namespace weft::cli {
namespace {

/// NICs that a leaf takes: what a switch with 64 ports leaves for uplinks is the other half.
constexpr std::uint32_t kMaxDown = 32;

struct Machine {
  std::uint32_t gpus = 0;   ///< 0: of a server without
  std::uint32_t nics = 1;   ///< 0: nothing joins it to another
  std::uint32_t rails = 0;  ///< 0: one for each NIC

  [[nodiscard]] std::uint32_t hosts() const { return gpus > 0 ? gpus : nics; }
  [[nodiscard]] std::uint32_t nics_per_rail() const {
    return rails > 0 ? std::max(nics / rails, 1U) : 1U;
  }
};

/// What leaves and spines come to.
struct Shape {
  bool is_rail = false;
  std::uint32_t racks = 1;
  std::uint32_t servers = 1;  ///< per rack
  std::uint32_t group = 1;    ///< of rails
  std::uint32_t spines = 1;
};

Error problem(std::string message) { return Error{std::move(message), {}}; }

Result<Machine> machine_of(const std::string& name) {
  const auto parts = scenarios::find_parts("servers/" + name);
  if (!parts.ok()) {
    const auto others = scenarios::find_parts(name);
    if (!others.ok()) return others.errors();
    return problem("`" + name + "` is no server; `weft list servers` has all");
  }
  Machine machine;
  for (const scenarios::PartFigure& figure : parts.value().front().figures) {
    const auto value = static_cast<std::uint32_t>(std::strtoul(figure.value.c_str(), nullptr, 10));
    if (figure.path == "gpus") machine.gpus = value;
    if (figure.path == "nics") machine.nics = value;
    if (figure.path == "rails") machine.rails = value;
  }
  return machine;
}

/// The largest divisor of `count` that is at most `max`.
std::uint32_t divisor(std::uint32_t count, std::uint32_t max) {
  std::uint32_t found = 1;
  for (std::uint32_t d = 1; d <= std::min(count, max); ++d) {
    if (count % d == 0) found = d;
  }
  return found;
}

bool has_rails(const Machine& machine) { return machine.nics > 1; }

/// What a machine that stands for itself, or one that cannot, is not asked for.
Errors check_network(const FirstScenario& wanted, const Machine& machine) {
  if (machine.nics > 0) return {};
  const std::string none = "`" + wanted.machine + "` has no NIC";
  if (wanted.count > 1) {
    return {problem(none + ", and nothing joins several of them: take one, by --count 1")};
  }
  if (!wanted.fabric.empty()) {
    return {problem("--fabric: " + none + ", so that it is on no switch; leave it out")};
  }
  return {};
}

Shape shape_of(const FirstScenario& wanted, const Machine& machine) {
  Shape shape;
  if (machine.nics == 0) return shape;
  shape.is_rail =
      wanted.fabric.empty() ? has_rails(machine) : wanted.fabric == kFirstFabrics.front();
  std::uint32_t down = 0;
  if (shape.is_rail) {
    shape.racks = wanted.count;
    // Two groups at least, or no traffic but that between rails would leave the leaves.
    const std::uint32_t max = std::max(kMaxDown / machine.nics_per_rail(), 1U);
    shape.group = divisor(wanted.count, std::clamp(wanted.count / 2, 1U, max));
    down = shape.group * machine.nics_per_rail();
  } else {
    const std::uint32_t max = std::max(kMaxDown / machine.nics, 1U);
    shape.servers = divisor(wanted.count, std::clamp(wanted.count / 2, 1U, max));
    shape.racks = wanted.count / shape.servers;
    down = shape.servers * machine.nics;
  }
  shape.spines =
      std::max(1U, static_cast<std::uint32_t>(std::ceil(down / wanted.oversubscription)));
  return shape;
}

/// Hosts of a job, from `first` up to `last`.
struct Share {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  [[nodiscard]] std::uint32_t ranks() const { return last - first; }
};

/// Whole machines where there are enough.
Share share_of(std::size_t job, std::size_t jobs, std::uint32_t machines, std::uint32_t hosts) {
  const std::uint32_t unit = machines >= jobs ? hosts : 1;
  const std::size_t units = std::size_t{machines} * hosts / unit;
  return {static_cast<std::uint32_t>(units * job / jobs) * unit,
          static_cast<std::uint32_t>(units * (job + 1) / jobs) * unit};
}

/// Messages of many ranks to many are small ones, or a first run would take minutes.
std::string size_of(const FirstScenario& wanted, const std::string& type) {
  if (!wanted.size.empty()) return wanted.size;
  if (type == "all-to-all" || type == "incast") return "256KiB";
  return type == "permutation" ? "4MiB" : "64MiB";
}

std::string training_text(const std::string& model, const Machine& machine, std::uint32_t ranks) {
  constexpr std::uint32_t kMaxTensor = 8;
  const std::uint32_t tensor = divisor(ranks, std::clamp(machine.gpus, 1U, kMaxTensor));
  const std::uint32_t data = ranks / tensor;
  return fmt::format(
      "    # the model, how it is split, and sequences per step; `weft help jobs.training`\n"
      "    model: {{preset: {}, layers: 2}}  # a slice: leave `layers` out for all of them\n"
      "    parallelism: {{tensor: {}, data: {}}}\n"
      "    batch: {{micro: 1, global: {}}}\n",
      model, tensor, data, data);
}

std::string job_text(const FirstScenario& wanted, std::size_t job, const Machine& machine) {
  const std::string& type = wanted.jobs[job];
  const Share share = share_of(job, wanted.jobs.size(), wanted.count, machine.hosts());
  const auto same = std::ranges::count(wanted.jobs, type);
  std::string text = fmt::format("  - name: {}\n    type: {}\n",
                                 same > 1 ? fmt::format("{}-{}", type, job) : type, type);
  if (wanted.jobs.size() > 1) {
    text += fmt::format("    ranks: {}-{}\n", share.first, share.last - 1);
  }
  if (type == "training") return text + training_text(wanted.model, machine, share.ranks());
  if (type == "incast") {
    text += fmt::format("    senders: {}\n    receiver: 0\n", share.ranks() - 1);
  }
  return text + "    size: " + size_of(wanted, type) + "\n";
}

std::string head_text(const FirstScenario& wanted, const Machine& machine, const Shape& shape,
                      const std::string& oversubscription) {
  const std::uint32_t hosts = machine.hosts() * wanted.count;
  return fmt::format(
      "# {} of {}: {}. What every key means: `weft help KEY`.\n"
      "name: {}\n"
      "seed: 1\n"
      "\n"
      "# The machines, by a name of `weft list servers`; each {} is a rank.\n"
      "racks: {{count: {}, servers: {}, server: {}}}\n"
      "{}"
      "\n"
      "# {}\n",
      scenarios::counted(wanted.count, "machine"), wanted.machine,
      scenarios::counted(hosts, machine.gpus > 0 ? "GPU" : "NIC"), wanted.name,
      machine.gpus > 0 ? "GPU" : "NIC", shape.racks, shape.servers, wanted.machine,
      machine.nics == 0
          ? ""
          : "links:\n"
            "  access: {length: 3m}   # from NICs to leaves; rates are the NIC's unless said\n"
            "  uplink: {length: 30m}  # from leaves to spines\n",
      oversubscription);
}

std::string fabric_text(const FirstScenario& wanted, const Machine& machine, const Shape& shape) {
  std::string text = "fabric:\n";
  if (machine.nics == 0)
    return text + "  topology: single-domain  # what is inside the machine, alone\n";
  if (shape.is_rail) {
    text += fmt::format(
        "  topology: rail-optimised  # NIC i of every server of a group on leaf i of the group\n"
        "  group: {}\n",
        shape.group);
  } else {
    text += "  topology: leaf-spine  # a leaf per rack, every leaf on every spine\n";
  }
  return text +
         fmt::format(
             "  spines: {}\n"
             "  switch: {}  # `weft list switches`\n"
             "  ecn: {{kmin: 400KB, kmax: 1600KB, pmax: 0.2}}  # queues in which packets are "
             "marked\n"
             "  load_balancing: ecmp  # or spray, round-robin, adaptive, flowlet\n"
             "transport:\n"
             "  type: roce\n"
             "  congestion_control: dcqcn  # `weft help transport.congestion_control`\n",
             shape.spines, wanted.switch_part);
}

std::string scenario_text(const FirstScenario& wanted, const Machine& machine, const Shape& shape,
                          const std::string& oversubscription) {
  std::string text =
      head_text(wanted, machine, shape, oversubscription) + fabric_text(wanted, machine, shape) +
      "\n# What the ranks do, all at once unless `start` or `after` says otherwise.\n"
      "jobs:\n";
  for (std::size_t j = 0; j < wanted.jobs.size(); ++j) text += job_text(wanted, j, machine);
  return text;
}

/// Of what was built, as links and rates make it.
std::string oversubscription_text(const Fabric& fabric, const Machine& machine) {
  if (machine.nics == 0) return "No NICs, and so no switches but those inside.";
  for (const auto& tier : topologies::summarize(fabric).tiers) {
    if (tier.oversubscription <= 0) continue;
    return fmt::format(
        "Leaves have {} times the bandwidth towards hosts that they have towards "
        "spines.",
        scenarios::plain_number(tier.oversubscription, 3));
  }
  return "One leaf, no spines are needed.";
}

}  // namespace

Result<std::uint32_t> hosts_of_machine(const std::string& machine) {
  const auto found = machine_of(machine);
  if (!found.ok()) return found.errors();
  return found.value().hosts();
}

Result<std::uint32_t> max_of_machine(const std::string& machine) {
  const auto found = machine_of(machine);
  if (!found.ok()) return found.errors();
  return found.value().nics == 0 ? 1U : static_cast<std::uint32_t>(kMaxMachines);
}

Result<std::string> usual_fabric(const std::string& machine) {
  const auto found = machine_of(machine);
  if (!found.ok()) return found.errors();
  return has_rails(found.value()) ? kFirstFabrics.front() : kFirstFabrics.back();
}

Result<std::string> first_scenario(const FirstScenario& wanted) {
  const auto machine = machine_of(wanted.machine);
  if (!machine.ok()) return machine.errors();
  if (Errors errors = check_network(wanted, machine.value()); !errors.empty()) return errors;
  const std::uint32_t hosts = machine.value().hosts() * wanted.count;
  if (hosts < 2 * wanted.jobs.size()) {
    return problem(fmt::format("{} for {}: a job needs two", scenarios::counted(hosts, "rank"),
                               scenarios::counted(std::ssize(wanted.jobs), "job")));
  }
  const Shape shape = shape_of(wanted, machine.value());
  const auto load = [&](const std::string& note) {
    return scenarios::load_scenario_text(scenario_text(wanted, machine.value(), shape, note),
                                         wanted.name + ".yaml");
  };
  const auto draft = load("");
  if (!draft.ok()) return draft.errors();
  const auto experiment = scenarios::build_experiment(draft.value().scenario);
  if (!experiment.ok()) return draft.value().located(experiment.errors());
  if (const std::string overfull = scenarios::overfull_switches(experiment.value().fabric);
      !overfull.empty()) {
    return problem(overfull +
                   ": choose a larger one by --switch (`weft list switches`), fewer spines by "
                   "--oversubscription, or --fabric rail-optimised, which spreads the NICs of a "
                   "machine over leaves");
  }
  return scenario_text(wanted, machine.value(), shape,
                       oversubscription_text(experiment.value().fabric, machine.value()));
}

}  // namespace weft::cli
