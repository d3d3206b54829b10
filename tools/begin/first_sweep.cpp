#include "tools/begin/first_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>
#include <variant>

#include "protocols/config/switch_config.hpp"
#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/text/plain_number.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/begin/leaves.hpp"
#include "tools/begin/machine.hpp"
#include "tools/begin/training_plan.hpp"

namespace weft::begin {
namespace {

/// The scenario that is varied.
struct Base {
  const FirstScenario& wanted;
  Machine machine;
  Leaves leaves;
};

/// Axes and constraints, and what they ask.
struct Question {
  std::string about;  ///< for the comment
  std::string axes;
};

Error nothing_to_vary(const std::string& what, const std::string& why) {
  return Error{"--sweep " + what + ": " + why};
}

Result<Question> ecn_question(const Base& /*base*/) {
  return Question{
      "queues in which packets are marked: early marks keep queues and tails short, too early ones "
      "leave links idle",
      "axes:\n"
      "  - {path: fabric.ecn.kmin, values: [50KB, 100KB, 200KB, 400KB, 800KB]}\n"
      "  - {path: fabric.ecn.kmax, values: [1600KB, 3200KB, 6400KB]}\n"
      "constraints: [kmin < kmax]\n"};
}

Result<Question> load_balancing_question(const Base& base) {
  if (base.leaves.spines < 2) {
    return nothing_to_vary(
        "load-balancing",
        "a leaf has one uplink, and so nothing to choose; take more machines (--count), or a lower "
        "--oversubscription");
  }
  return Question{
      "how switches choose among uplinks: ECMP lets flows collide, and what chooses by packet "
      "reorders, so that receivers have to accept any order",
      "axes:\n"
      "  - zip:\n"
      "      - {path: fabric.load_balancing, values: [ecmp, spray, round-robin, adaptive]}\n"
      "      - {path: transport.receiver, values: [in-order, any-order, any-order, any-order]}\n"
      "seeds: 3  # of hashes and draws\n"};
}

Result<Question> congestion_control_question(const Base& /*base*/) {
  const protocols::EcnConfig ecn;
  return Question{
      "what slows senders down, each with the marks that it reads: DCQCN's, DCTCP's step, or none "
      "for those that measure delays or read telemetry",
      fmt::format("axes:\n"
                  "  - zip:\n"
                  "      - path: transport.congestion_control\n"
                  "        values: [none, dcqcn, dctcp, swift, hpcc, powertcp]\n"
                  "      - path: fabric.ecn\n"
                  "        values:\n"
                  "          - none\n"
                  "          - {}\n"
                  "          - {{type: step, kmin: {}}}\n"
                  "          - none\n"
                  "          - none\n"
                  "          - none\n",
                  ecn_text(), quantity_text(ecn.kmin.count(), dimension_of<Bytes>()))};
}

std::string rate_text(BitsPerSecond rate) {
  return quantity_text(rate.count(), dimension_of<BitsPerSecond>());
}

/// What leaves differ in, for a zip.
std::string leaves_axes(const std::vector<Leaves>& all) {
  std::vector<std::uint32_t> spines;
  std::vector<std::string> rates;
  for (const Leaves& leaves : all) {
    spines.push_back(leaves.spines);
    rates.push_back(rate_text(leaves.uplink));
  }
  return fmt::format(
      "      - {{path: fabric.spines, values: [{}]}}\n"
      "      - {{path: links.uplink.rate, values: [{}]}}\n",
      fmt::join(spines, ", "), fmt::join(rates, ", "));
}

Result<Question> oversubscription_question(const Base& base) {
  std::vector<Leaves> all;
  std::vector<std::string> ratios;
  for (const double ratio : {1.0, 2.0, 4.0, 8.0}) {
    const auto leaves = with_oversubscription(base.leaves, ratio, base.machine);
    if (!leaves) continue;
    all.push_back(*leaves);
    ratios.push_back(scenarios::plain_number(ratio, 3));
  }
  if (all.size() < 2) {
    return nothing_to_vary("oversubscription",
                           "leaves of these machines have few uplinks; take more machines "
                           "(--count)");
  }
  return Question{
      "fewer or slower uplinks: the bandwidth of leaves towards hosts over that towards spines, "
      "which is the name of each run",
      fmt::format("axes:\n"
                  "  - zip:\n"
                  "      - {{name: oversubscription, path: name, values: [{}]}}\n"
                  "{}",
                  fmt::join(ratios, ", "), leaves_axes(all))};
}

/// Servers that take the place of this one: as many GPUs, NICs and rails.
std::vector<Machine> similar_machines(const Machine& machine) {
  std::vector<Machine> similar;
  const auto parts = scenarios::list_parts("servers");
  if (!parts.ok()) return similar;
  for (const scenarios::PartReport& part : parts.value()) {
    const auto other = find_machine(part.name);
    if (!other.ok()) continue;
    const Machine& m = other.value();
    if (m.gpus == machine.gpus && m.nics == machine.nics && m.rails == machine.rails &&
        m.ports == machine.ports) {
      similar.push_back(m);
    }
  }
  return similar;
}

/// A server that takes the place of another, and its leaves.
struct Substitute {
  std::string server;  ///< as `racks.server` has it
  Machine machine;
  Leaves leaves;
};

/// As many GPUs as there are, in servers of another size: racks that are one domain beside servers
/// of eight. Where no number of whole ones fits, a part of each is taken.
std::optional<Substitute> of_other_size(const Base& base, const std::string& name) {
  const auto found = find_machine(name);
  if (!found.ok()) return std::nullopt;
  Machine machine = found.value();
  const std::uint32_t gpus = base.machine.gpus * base.wanted.count;
  const bool is_alike = machine.gpus > 0 && machine.nics == machine.gpus &&
                        machine.ports == base.machine.ports && machine.gpus != base.machine.gpus;
  if (!is_alike) return std::nullopt;
  std::uint32_t own = std::min(machine.gpus, gpus);
  const std::uint32_t step = std::max(machine.rails, 1U);
  while (own > base.machine.gpus && (gpus % own != 0 || own % step != 0)) --own;
  if (gpus % own != 0 || (own != machine.gpus && own <= base.machine.gpus)) return std::nullopt;
  FirstScenario wanted = base.wanted;
  wanted.machine = name;
  wanted.count = gpus / own;
  std::string server = name;
  if (own != machine.gpus) {
    machine.gpus = machine.nics = own;
    server = fmt::format("{{part: {}, gpus: {}, nics: {}}}", name, own, own);
  }
  const auto leaves = leaves_of(wanted, machine);
  if (!leaves.ok() || leaves.value().is_rail != base.leaves.is_rail) return std::nullopt;
  return Substitute{std::move(server), std::move(machine), leaves.value()};
}

/// Those that have the same rails first. Storage servers have a NIC on each rail, and leaves of all
/// NICs would need switches that nobody sells: beside these nothing else is tried.
std::vector<Substitute> substitutes(const Base& base) {
  std::vector<Substitute> all;
  for (const Machine& machine : similar_machines(base.machine)) {
    const auto leaves = with_oversubscription(base.leaves, base.wanted.oversubscription, machine);
    if (leaves) all.push_back({machine.name, machine, *leaves});
  }
  const bool has_rails = base.leaves.is_rail && base.machine.nics == base.machine.gpus;
  const auto parts = scenarios::list_parts("servers");
  if (!has_rails || !base.wanted.storage.empty() || !parts.ok()) return all;
  for (const scenarios::PartReport& part : parts.value()) {
    if (auto other = of_other_size(base, part.name)) all.push_back(std::move(*other));
  }
  return all;
}

Result<Question> machine_question(const Base& base) {
  std::vector<std::string> names;
  std::vector<Leaves> all;
  std::vector<std::string> gpus;
  std::vector<std::string> rates;
  std::vector<std::uint32_t> racks;
  std::vector<std::uint32_t> groups;
  const bool has_storage = !base.wanted.storage.empty();
  for (const Substitute& one : substitutes(base)) {
    names.push_back(one.server);
    all.push_back(one.leaves);
    gpus.push_back(gpu_of(one.machine));
    rates.push_back(rate_text(one.machine.rate));
    racks.push_back(one.leaves.racks);
    groups.push_back(one.leaves.group);
  }
  if (names.size() < 2) {
    return nothing_to_vary("machine", "no other server has as many GPUs, NICs and rails as `" +
                                          base.wanted.machine + "`");
  }
  std::string axes = fmt::format(
      "axes:\n"
      "  - zip:\n"
      "      - {{name: machine, path: \"{}\", values: [{}]}}\n"
      "{}",
      has_storage ? "racks[0].server" : "racks.server", fmt::join(names, ", "), leaves_axes(all));
  if (std::ranges::adjacent_find(racks, std::ranges::not_equal_to()) != racks.end()) {
    axes += fmt::format(
        "      - {{path: racks.count, name: machines, values: [{}]}}\n"
        "      - {{path: fabric.group, values: [{}]}}\n",
        fmt::join(racks, ", "), fmt::join(groups, ", "));
  }
  if (has_storage) {
    axes += fmt::format(
        "      - {{name: storage-rate, path: \"racks[1].server.nic.rate\", values: [{}]}}\n",
        fmt::join(rates, ", "));
  }
  for (std::size_t j = 0; j < base.wanted.jobs.size(); ++j) {
    if (base.wanted.jobs[j] != "training") continue;
    axes += fmt::format("      - {{path: \"jobs[{}].compute.gpu\", values: [{}], name: gpu-{}}}\n",
                        j, fmt::join(gpus, ", "), j);
  }
  return Question{"servers, and racks that are one domain, with as many GPUs and NICs in all",
                  axes};
}

Result<Question> size_question(const Base& base) {
  const auto& jobs = base.wanted.jobs;
  const auto job = std::ranges::find_if(jobs, [](const auto& type) { return type != "training"; });
  if (job == jobs.end()) {
    return nothing_to_vary("size", "a training job has no size; take a --job that has one");
  }
  const auto parsed = parse_quantity(size_of_job(base.wanted, *job), dimension_of<Bytes>());
  const auto* size = std::get_if<std::int64_t>(&parsed);
  if (size == nullptr) return nothing_to_vary("size", std::get<std::string>(parsed));
  std::vector<std::string> sizes;
  constexpr std::array kQuarters{1, 4, 16, 64, 256};  // of a sixteenth
  for (const std::int64_t factor : kQuarters) {
    const std::int64_t bytes = std::max<std::int64_t>(*size / 16, 1) * factor;
    sizes.push_back(quantity_text(bytes, dimension_of<Bytes>()));
  }
  return Question{"short messages take latency, long ones bandwidth",
                  fmt::format("axes:\n"
                              "  - {{path: \"jobs[{}].size\", values: [{}]}}\n",
                              job - jobs.begin(), fmt::join(sizes, ", "))};
}

using Asking = std::function<Result<Question>(const Base&)>;

/// In the order of kFirstSweeps.
const std::array<Asking, 6>& questions() {
  static const std::array<Asking, 6> all{ecn_question,
                                         load_balancing_question,
                                         congestion_control_question,
                                         oversubscription_question,
                                         machine_question,
                                         size_question};
  return all;
}

/// What a job is judged by.
std::string objectives_text(const FirstScenario& wanted) {
  std::string text = "objectives:\n";
  const auto add = [&text](const std::string& name, const std::string& metric) {
    text += fmt::format("  - {{name: {}, metric: {}, goal: min}}\n", name, metric);
  };
  for (std::size_t j = 0; j < wanted.jobs.size(); ++j) {
    const std::string name = job_name(wanted, j);
    if (wanted.jobs[j] == "training") {
      add(name + "-step", "training." + name + ".step_seconds.mean");
      continue;
    }
    add(name + "-time", "jobs." + name + ".jct_seconds");
    if (wanted.jobs[j] == "incast" || wanted.jobs[j] == "permutation") {
      add(name + "-p99", "jobs." + name + ".fct_seconds.p99");
    }
  }
  if (!wanted.storage.empty()) add("storage-p99", "jobs.storage.fct_seconds.p99");
  add("pauses", "network.pfc_pauses");
  return text;
}

}  // namespace

Result<std::string> first_sweep(const FirstScenario& wanted, const std::string& what,
                                const std::string& scenario) {
  const auto known = std::ranges::find(kFirstSweeps, what);
  if (known == kFirstSweeps.end()) {
    return Error{"--sweep: `" + what + "` is not one of " + listing(kFirstSweeps) +
                 did_you_mean(what, kFirstSweeps)};
  }
  const auto machine = find_machine(wanted.machine);
  if (!machine.ok()) return machine.errors();
  if (machine.value().nics == 0 && what != "size") {
    return nothing_to_vary(what, "`" + wanted.machine + "` has no NIC, and so no fabric to vary");
  }
  const auto leaves = leaves_of(wanted, machine.value());
  if (!leaves.ok()) return leaves.errors();
  const auto place = static_cast<std::size_t>(known - kFirstSweeps.begin());
  const auto question = questions()[place]({wanted, machine.value(), leaves.value()});
  if (!question.ok()) return question.errors();
  const std::string name = wanted.name + "-" + what;
  return fmt::format(
      "# What to vary: {}.\n"
      "# `weft sweep FILE` runs every point (--dry-run lists them, and says how long they take); "
      "then "
      "`weft summarize results/{}`.\n"
      "# What every key means: `weft help sweep.KEY`.\n"
      "name: {}\n"
      "scenario: {}\n"
      "{}{}",
      question.value().about, name, name, scenario, question.value().axes, objectives_text(wanted));
}

std::string inlined(const std::string& scenario) {
  std::istringstream lines(scenario);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line.empty() ? "\n" : "\n  " + line;
  }
  return text;
}

std::string sweep_file_of(const std::string& scenario_file) {
  const std::filesystem::path path = scenario_file;
  const std::string extension = path.has_extension() ? path.extension().string() : ".yaml";
  return (path.parent_path() / (path.stem().string() + "-sweep" + extension)).string();
}

}  // namespace weft::begin
