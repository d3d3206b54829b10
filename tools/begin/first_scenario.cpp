#include "tools/begin/first_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocols/config/switch_config.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/plain_number.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/begin/leaves.hpp"
#include "tools/begin/machine.hpp"
#include "tools/begin/storage.hpp"
#include "tools/begin/training_plan.hpp"

namespace weft::begin {
namespace {

Error problem(std::string message) { return Error{std::move(message), {}}; }

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
  if (!wanted.storage.empty()) {
    return {problem("--storage: " + none + ", so that it reaches no storage server; leave it out")};
  }
  return {};
}

LeavesWanted leaves_wanted(const FirstScenario& wanted, const Machine& machine) {
  const bool is_rail =
      wanted.fabric.empty() ? machine.has_rails() : wanted.fabric == kFirstFabrics.front();
  return {
      .machines = wanted.count, .is_rail = is_rail, .oversubscription = wanted.oversubscription};
}

/// Hosts of a job: whole ranges of them.
class Share {
 public:
  /// From `first` up to `last`.
  void add(std::uint32_t first, std::uint32_t last) {
    if (first == last) return;
    ranks_ += last - first;
    if (!ranges_.empty() && ranges_.back().last == first) {
      ranges_.back().last = last;
    } else {
      ranges_.push_back({first, last});
    }
  }

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  /// `0-7`, or `[0-7, 16-23]`
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Range& range : ranges_) {
      text += fmt::format("{}{}-{}", text.empty() ? "" : ", ", range.first, range.last - 1);
    }
    return ranges_.size() == 1 ? text : "[" + text + "]  # some below every leaf";
  }

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  std::vector<Range> ranges_;
  std::uint32_t ranks_ = 0;
};

/// Adds the part of a job among several to neighbouring hosts: whole machines where there are
/// enough.
void add_part(std::size_t job, std::size_t jobs, std::uint32_t first, std::uint32_t machines,
              std::uint32_t hosts, Share& share) {
  const std::uint32_t unit = machines >= jobs ? hosts : 1;
  const std::size_t units = std::size_t{machines} * hosts / unit;
  share.add(first + static_cast<std::uint32_t>(units * job / jobs) * unit,
            first + static_cast<std::uint32_t>(units * (job + 1) / jobs) * unit);
}

/// Jobs that would each lie below one leaf meet nowhere, and no fabric is needed: then each has a
/// part of every leaf.
Share share_of(const FirstScenario& wanted, std::size_t job, const Machine& machine,
               const Leaves& leaves) {
  const std::size_t jobs = wanted.jobs.size();
  const std::uint32_t hosts = machine.hosts();
  const std::uint32_t below = leaves.is_rail ? leaves.group : leaves.servers;
  Share together;
  add_part(job, jobs, 0, wanted.count, hosts, together);
  const bool is_below_one =
      machine.nics > 0 && wanted.count > below && wanted.count <= std::size_t{below} * jobs;
  // Of a machine that is divided, a training job would have tensors on both sides of its network.
  const bool may_divide = below >= jobs || std::ranges::count(wanted.jobs, "training") == 0;
  if (!is_below_one || !may_divide || std::size_t{below} * hosts < jobs) return together;
  Share spread;
  for (std::uint32_t leaf = 0; leaf < wanted.count / below; ++leaf) {
    add_part(job, jobs, leaf * below * hosts, below, hosts, spread);
  }
  return spread.ranks() < 2 ? together : spread;
}

Result<std::string> job_text(const FirstScenario& wanted, std::size_t job, const Machine& machine,
                             const Leaves& leaves) {
  const std::string& type = wanted.jobs[job];
  const Share share = share_of(wanted, job, machine, leaves);
  std::string text = fmt::format("  - name: {}\n    type: {}\n", job_name(wanted, job), type);
  if (wanted.storage == "tcp") text += "    class: rdma\n";
  if (wanted.jobs.size() > 1 || !wanted.storage.empty()) {
    text += "    ranks: " + share.text() + "\n";
  }
  if (type == "training") {
    const auto plan = plan_training(wanted.model, machine, share.ranks());
    if (!plan.ok()) return plan.errors();
    return text + training_text(plan.value());
  }
  if (type == "incast") {
    text += fmt::format("    senders: {}\n    receiver: 0\n", share.ranks() - 1);
  }
  return text + "    size: " + size_of_job(wanted, type) + "\n";
}

/// A rate stands there only if it is not the NIC's.
std::string links_text(const Machine& machine, const Leaves& leaves) {
  if (machine.nics == 0) return {};
  const std::string rate =
      leaves.uplink == machine.rate
          ? ""
          : fmt::format("rate: {}, ",
                        quantity_text(leaves.uplink.count(), dimension_of<BitsPerSecond>()));
  return fmt::format(
      "links:\n"
      "  access: {{length: 3m}}   # from NICs to leaves; rates are the NIC's unless said\n"
      "  uplink: {{{}length: 30m}}  # from leaves to spines\n",
      rate);
}

std::string oversubscription_text(const Machine& machine, const Leaves& leaves) {
  if (machine.nics == 0) return "No NICs, and so no switches but those inside.";
  if (leaves.oversubscription == 1) {
    return "Leaves have the same bandwidth towards hosts and towards spines.";
  }
  return fmt::format(
      "Leaves have {} times the bandwidth towards hosts that they have towards spines.",
      scenarios::plain_number(leaves.oversubscription, 3));
}

std::string racks_text(const FirstScenario& wanted, const Leaves& leaves,
                       const std::optional<Storage>& storage) {
  const std::string rack = fmt::format("{{count: {}, servers: {}, server: {}}}\n", leaves.racks,
                                       leaves.servers, wanted.machine);
  if (!storage) return "racks: " + rack;
  return "racks:\n  - " + rack + storage_rack_text(*storage);
}

std::string head_text(const FirstScenario& wanted, const Machine& machine, const Leaves& leaves,
                      const std::optional<Storage>& storage) {
  const std::uint32_t hosts = machine.hosts() * wanted.count;
  return fmt::format(
      "# {} of {}: {}{}. What every key means: `weft help KEY`.\n"
      "name: {}\n"
      "seed: 1\n"
      "\n"
      "# The machines, by a name of `weft list servers`; each {} is a rank.\n"
      "{}"
      "{}"
      "\n"
      "# {}\n",
      scenarios::counted(wanted.count, "machine"), wanted.machine,
      scenarios::counted(hosts, machine.gpus > 0 ? "GPU" : "NIC"),
      storage ? ", and " + scenarios::counted(storage->servers, "storage server") : "", wanted.name,
      machine.gpus > 0 ? "GPU" : "NIC", racks_text(wanted, leaves, storage),
      links_text(machine, leaves), oversubscription_text(machine, leaves));
}

std::string fabric_text(const FirstScenario& wanted, const Machine& machine, const Leaves& leaves,
                        const std::optional<Storage>& storage) {
  std::string text = "fabric:\n";
  if (machine.nics == 0)
    return text + "  topology: single-domain  # what is inside the machine, alone\n";
  if (leaves.is_rail) {
    text += fmt::format(
        "  topology: rail-optimised  # NIC i of every server of a group on leaf i of the group\n"
        "  group: {}\n",
        leaves.group);
  } else {
    text += "  topology: leaf-spine  # a leaf per rack, every leaf on every spine\n";
  }
  return text + fmt::format(
                    "  spines: {}\n"
                    "  switch: {}  # `weft list switches`\n"
                    "  ecn: {}  # queues in which packets are marked\n"
                    "{}{}"
                    "transport:\n"
                    "  type: roce\n"
                    "  congestion_control: dcqcn  # `weft help transport.congestion_control`\n",
                    leaves.spines, wanted.switch_part, ecn_text(),
                    leaves.spines > 1
                        ? "  load_balancing: ecmp  # or spray, round-robin, adaptive, flowlet\n"
                        : "",  // there is nothing to choose among
                    storage ? storage_classes_text(*storage) : "");
}

Result<std::string> scenario_text(const FirstScenario& wanted, const Machine& machine,
                                  const Leaves& leaves, const std::optional<Storage>& storage) {
  std::string text =
      head_text(wanted, machine, leaves, storage) + fabric_text(wanted, machine, leaves, storage) +
      "\n# What the ranks do, all at once unless `start` or `after` says otherwise.\n"
      "jobs:\n";
  for (std::size_t j = 0; j < wanted.jobs.size(); ++j) {
    const auto job = job_text(wanted, j, machine, leaves);
    if (!job.ok()) return job.errors();
    text += job.value();
  }
  if (storage) text += storage_job_text(*storage);
  return text;
}

/// The longest job alone, in closed form where there is one; 0: none has an end.
double seconds_of(const std::string& text, const std::string& file) {
  const auto loaded = scenarios::load_scenario_text(text, file);
  if (!loaded.ok()) return 0;
  const auto estimate = scenarios::estimate_scenario(loaded.value().scenario, {});
  if (!estimate.ok()) return 0;
  double seconds = 0;
  bool is_known = true;
  for (const scenarios::JobEstimate& job : estimate.value().jobs) {
    const double one =
        job.training ? job.training->step.seconds : job.collective_seconds.value_or(0);
    is_known = is_known && one > 0;
    seconds = std::max(seconds, one * static_cast<double>(job.iterations));
  }
  if (is_known) return seconds;
  // Incasts and permutations have no closed form, but a time on an empty network.
  const auto all = scenarios::estimate_scenario(loaded.value().scenario, {.ideal = true});
  if (!all.ok()) return seconds;
  for (const scenarios::JobEstimate& job : all.value().jobs) {
    if (job.ideal) seconds = std::max(seconds, job.ideal->seconds);
  }
  return seconds;
}

/// Storage lasts as long as the jobs, which are estimated without it.
Result<std::optional<Storage>> storage_of(const FirstScenario& wanted, const Machine& machine,
                                          const Leaves& leaves) {
  if (wanted.storage.empty()) return std::optional<Storage>();
  FirstScenario alone = wanted;
  alone.storage.clear();
  const auto text = scenario_text(alone, machine, leaves, std::nullopt);
  if (!text.ok()) return text.errors();
  return std::optional(plan_storage(wanted.storage_servers, wanted.storage == "tcp", machine,
                                    wanted.count, leaves,
                                    seconds_of(text.value(), wanted.name + ".yaml")));
}

/// Switches that nobody sells, and what else could be taken.
std::string overfull_text(const FirstScenario& wanted, const Machine& machine,
                          const Fabric& fabric) {
  std::string text = scenarios::overfull_switches(fabric);
  if (text.empty()) return text;
  const bool is_leaf = text.starts_with("leaf");
  text += ": choose a larger one by --switch (`weft list switches`), a higher --oversubscription";
  if (is_leaf && machine.has_rails()) {
    text += ", or --fabric rail-optimised, which spreads the NICs of a machine over leaves";
  }
  const std::uint32_t count = count_with_larger_leaves(leaves_wanted(wanted, machine), machine);
  if (!is_leaf && count > 0) {
    text += fmt::format(", or --count {}, which makes fewer and larger leaves", count);
  }
  return text;
}

/// Loads and builds it, as a run would.
Errors check_scenario(const FirstScenario& wanted, const Machine& machine,
                      const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, wanted.name + ".yaml");
  if (!loaded.ok()) return loaded.errors();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return loaded.value().located(experiment.errors());
  std::string overfull = overfull_text(wanted, machine, experiment.value().fabric);
  if (!overfull.empty()) return {problem(std::move(overfull))};
  return {};
}

}  // namespace

std::string ecn_text() {
  const protocols::EcnConfig ecn;
  const auto size = [](Bytes bytes) { return quantity_text(bytes.count(), dimension_of<Bytes>()); };
  return fmt::format("{{kmin: {}, kmax: {}, pmax: {}}}", size(ecn.kmin), size(ecn.kmax), ecn.pmax);
}

std::string job_name(const FirstScenario& wanted, std::size_t job) {
  const std::string& type = wanted.jobs[job];
  const auto same = std::ranges::count(wanted.jobs, type);
  return same > 1 ? fmt::format("{}-{}", type, job) : type;
}

/// Messages of many ranks to many are small ones, or a first run would take minutes.
std::string size_of_job(const FirstScenario& wanted, const std::string& type) {
  if (!wanted.size.empty()) return wanted.size;
  if (type == "all-to-all" || type == "incast") return "256KiB";
  return type == "permutation" ? "4MiB" : "64MiB";
}

Result<Leaves> leaves_of(const FirstScenario& wanted, const Machine& machine) {
  if (machine.nics == 0) return Leaves();
  return find_leaves(leaves_wanted(wanted, machine), machine);
}

Result<std::uint32_t> hosts_of_machine(const std::string& machine) {
  const auto found = find_machine(machine);
  if (!found.ok()) return found.errors();
  return found.value().hosts();
}

Result<std::uint32_t> max_of_machine(const std::string& machine) {
  const auto found = find_machine(machine);
  if (!found.ok()) return found.errors();
  return found.value().nics == 0 ? 1U : static_cast<std::uint32_t>(kMaxMachines);
}

Result<std::string> usual_fabric(const std::string& machine) {
  const auto found = find_machine(machine);
  if (!found.ok()) return found.errors();
  return found.value().has_rails() ? kFirstFabrics.front() : kFirstFabrics.back();
}

std::string oversubscription_problem(const FirstScenario& wanted) {
  const auto machine = find_machine(wanted.machine);
  if (!machine.ok()) return machine.errors().front().message;
  const auto leaves = leaves_of(wanted, machine.value());
  return leaves.ok() ? std::string() : leaves.errors().front().message;
}

Result<std::string> first_scenario(const FirstScenario& wanted) {
  const auto machine = find_machine(wanted.machine);
  if (!machine.ok()) return machine.errors();
  if (Errors errors = check_network(wanted, machine.value()); !errors.empty()) return errors;
  const std::uint32_t hosts = machine.value().hosts() * wanted.count;
  if (hosts < 2 * wanted.jobs.size()) {
    return problem(fmt::format("{} for {}: a job needs two", scenarios::counted(hosts, "rank"),
                               scenarios::counted(std::ssize(wanted.jobs), "job")));
  }
  const auto leaves = leaves_of(wanted, machine.value());
  if (!leaves.ok()) return leaves.errors();
  const auto storage = storage_of(wanted, machine.value(), leaves.value());
  if (!storage.ok()) return storage.errors();
  auto text = scenario_text(wanted, machine.value(), leaves.value(), storage.value());
  if (!text.ok()) return text.errors();
  if (Errors errors = check_scenario(wanted, machine.value(), text.value()); !errors.empty()) {
    return errors;
  }
  return text;
}

}  // namespace weft::begin
