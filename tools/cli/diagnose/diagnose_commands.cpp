#include "tools/cli/diagnose/diagnose_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cli/collective/load_for_collective.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/diagnose/diagnosis.hpp"
#include "tools/diagnose/expectation.hpp"
#include "tools/evidence/forms.hpp"
#include "tools/import/source/input_file.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"
#include "tools/report/page.hpp"

namespace weft::cli {
namespace {

using diagnose::Simulator;
using diagnose::Twin;

/// Side by side on the page: servers with their NICs are told apart up to here.
constexpr std::uint32_t kBoxes = 64;

constexpr const char* kExpectHelp =
    "\nExamples:\n"
    "  weft expect cluster.yaml\n"
    "  weft expect cluster.yaml --op all-reduce,all-to-all --sizes 1MiB,64MiB --pairs\n"
    "  weft expect cluster.yaml --servers server0,server2 --json\n"
    "\nTimes are those of packets in NCCL's execution, of calls back to back, on the cluster as it "
    "is meant:\nwithout the faults and slow links that the scenario has (--as-found keeps them).\n"
    "tools/cli/diagnose/DIAGNOSE.md\n";

constexpr const char* kDiagnoseHelp =
    "\nExamples:\n"
    "  weft diagnose cluster.yaml all_reduce.txt\n"
    "  weft diagnose cluster.yaml all_reduce.txt pairs.csv nccl-info.log --json\n"
    "  weft diagnose cluster.yaml now.txt --baseline last-month.txt -o diagnosis.html\n"
    "\nEvidence is output of nccl-tests or perftest, a matrix of pairs, NCCL's log, or traces; "
    "files are known\nby their content.\n"
    "\nMatrices of pairs are CSV. A comment line says what was measured, on which rail or NIC, and "
    "in\n"
    "which unit; a row is the client, a column the server, and what was not measured is empty:\n"
    "  # ib_write_bw, rail 5, Gb/s\n"
    "  src\\dst,gpu01,gpu02,gpu03\n"
    "  gpu01,,392.0,203.4\n"
    "  gpu02,392.0,,203.4\n"
    "  gpu03,203.4,203.4,\n"
    "Or a line is a pair, with its size in bytes (columns op, bytes, rail and nic may be left "
    "out):\n"
    "  src,dst,op,bytes,busbw_GBs\n"
    "  gpu01,gpu02,all_reduce,1073741824,465.8\n"
    "Values are GB/s (busbw_GBs, GB/s) or Gb/s, hosts are those of the scenario, rails count from "
    "0.\n"
    "tools/cli/diagnose/DIAGNOSE.md\n";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::vector<collectives::Operation>> read_operations(const std::string& text) {
  std::vector<collectives::Operation> all;
  for (const std::string& name : split(text)) {
    const auto operation = read_operation(name);
    if (!operation) return {};
    if (*operation == collectives::Operation::kAllToAllV ||
        *operation == collectives::Operation::kBarrier) {
      complain(fmt::format("--op: {} has no size to go through", name_of(*operation)));
      return {};
    }
    all.push_back(*operation);
  }
  return all;
}

std::optional<std::vector<Bytes>> read_sizes(const std::string& text) {
  std::vector<Bytes> all;
  for (const std::string& part : split(text)) {
    const auto size = read_bytes("--sizes", part);
    if (!size) return {};
    if (*size < 1_B) {
      complain("--sizes: sizes are at least 1B");
      return {};
    }
    all.push_back(*size);
  }
  return all;
}

/// Numbers of the servers that are named; all where none is.
std::optional<std::vector<std::uint32_t>> read_servers(const diagnose::Places& places,
                                                       const std::vector<std::string>& names) {
  std::vector<std::uint32_t> servers;
  for (const std::string& name : names) {
    const auto server = places.server_named(name);
    if (!server) {
      complain(fmt::format("--servers: `{}` is none of the cluster's servers, {} to {}", name,
                           places.servers.front().name, places.servers.back().name));
      return {};
    }
    servers.push_back(*server);
  }
  if (!names.empty()) return servers;
  for (std::uint32_t s = 0; s < places.servers.size(); ++s) servers.push_back(s);
  return servers;
}

/// False: a file is refused, which was said.
bool read_evidence(const std::vector<std::string>& files, evidence::Measurements& measured) {
  for (const std::string& file : files) {
    auto input = import::InputFile::read(file);
    if (!input) {
      print_errors(input.errors());
      return false;
    }
    evidence::read_file(input.value(), nullptr, measured);
  }
  if (!import::has_errors(measured.remarks)) return true;  // what else there is, the diagnosis says
  for (const evidence::Remark& remark : measured.remarks) {
    print_error_text("weft: " + remark.to_string() + "\n");
  }
  return false;
}

}  // namespace

DiagnoseCommands::DiagnoseCommands(CLI::App& app) {
  add_expect(app);
  add_diagnose(app);
}

void DiagnoseCommands::add_expect(CLI::App& app) {
  expect_ = app.add_subcommand("expect", "what collectives should reach on a cluster");
  expect_->footer(kExpectHelp);
  expect_->add_option("scenario", scenario_, "YAML file")->required()->type_name(kFile);
  expect_->add_option("--set", overrides_, "override a value, such as fabric.spines=4")
      ->type_name(kOverride)
      ->allow_extra_args(false);
  expect_->add_option("--op", operations_, "operations, separated by commas")
      ->type_name("OP,..")
      ->capture_default_str();
  expect_->add_option("--sizes", sizes_, "sizes as nccl-tests has them, separated by commas")
      ->type_name("SIZE,..")
      ->capture_default_str();
  CLI::Option* ranks =
      expect_->add_option("--ranks", ranks_, "how many, from the first on (default: all)")
          ->check(CLI::Range(2, 1'000'000))
          ->type_name("N");
  expect_->add_option("--servers", servers_, "on these servers alone (default: all)")
      ->type_name("NAME,..")
      ->delimiter(',')
      ->excludes(ranks);
  expect_->add_flag("--pairs", has_pairs_, "also an all-reduce of every pair of servers alone");
  expect_->add_option("--pair-size", pair_size_, "of that")
      ->type_name("SIZE")
      ->needs("--pairs")
      ->capture_default_str();
  expect_->add_flag("--as-found", is_as_found_, "with the faults and slow links of the scenario");
  expect_->add_flag("--json", is_json_, "print JSON");
}

void DiagnoseCommands::add_diagnose(CLI::App& app) {
  diagnose_ = app.add_subcommand("diagnose", "who is to blame that a cluster is slow, from logs");
  diagnose_->footer(kDiagnoseHelp);
  diagnose_->add_option("scenario", scenario_, "YAML file of the cluster")
      ->required()
      ->type_name(kFile);
  diagnose_->add_option("evidence", evidence_, "what was measured")->required()->type_name(kFile);
  diagnose_
      ->add_option("--set", overrides_, "override a value, such as fabric.load_balancing=spray")
      ->type_name(kOverride)
      ->allow_extra_args(false);
  diagnose_
      ->add_option("--baseline", baseline_,
                   "what was measured when all was well, in place of what weft expects")
      ->type_name(kFile)
      ->allow_extra_args(false);
  CLI::Option* json = diagnose_->add_flag("--json", is_json_, "print JSON");
  diagnose_
      ->add_option("-o,--out,--output", page_,
                   "a page of it as well: curves, pairs, and the culprit on the fabric")
      ->type_name(kFile)
      ->excludes(json);
}

int DiagnoseCommands::expect() const {
  const auto operations = read_operations(operations_);
  const auto sizes = operations ? read_sizes(sizes_) : std::nullopt;
  const auto pair_size = sizes ? read_bytes("--pair-size", pair_size_) : std::nullopt;
  if (!pair_size) return kBadInput;
  if (*pair_size < 1_B) {
    complain("--pair-size: sizes are at least 1B");
    return kBadInput;
  }
  auto simulator =
      Simulator::open(scenario_, overrides_, is_as_found_ ? Twin::kAsFound : Twin::kHealthy);
  if (!simulator) return refuse(simulator.errors());
  const diagnose::Places& places = simulator.value().places();
  const auto servers = read_servers(places, servers_);
  if (!servers) return kBadInput;
  diagnose::ExpectationQuery query{
      .operations = *operations, .sizes = *sizes, .pair_size = *pair_size};
  for (const std::uint32_t s : *servers) {
    query.hosts.insert(query.hosts.end(), places.servers[s].hosts.begin(),
                       places.servers[s].hosts.end());
  }
  if (ranks_ > query.hosts.size()) {
    complain(fmt::format("--ranks: the cluster has {}", query.hosts.size()));
    return kBadInput;
  }
  if (ranks_ > 0) query.hosts.resize(ranks_);
  if (query.hosts.size() < 2) {
    complain("one rank has nobody to talk to");
    return kBadInput;
  }
  if (has_pairs_) query.servers = *servers;
  const auto found = diagnose::expectation(simulator.value(), query);
  if (!found) return refuse(found.errors());
  return put(is_json_ ? to_json(found.value()).dump(2) + "\n" : to_text(found.value()));
}

int DiagnoseCommands::diagnose() const {
  evidence::Measurements measured;
  evidence::Measurements before;
  const bool is_read = read_evidence(evidence_, measured);
  if (!read_evidence(baseline_, before) || !is_read) return kBadInput;
  auto simulator = Simulator::open(scenario_, overrides_, Twin::kHealthy);
  if (!simulator) return refuse(simulator.errors());
  const auto found =
      diagnose::diagnose(simulator.value(), measured, baseline_.empty() ? nullptr : &before);
  if (!found) return refuse(found.errors());
  if (!page_.empty()) return write_page(simulator.value(), found.value());
  return put(is_json_ ? to_json(found.value()).dump(2) + "\n" : to_text(found.value()));
}

int DiagnoseCommands::write_page(const Simulator& cluster,
                                 const diagnose::Diagnosis& diagnosis) const {
  const std::string& name = cluster.scenario().name;
  std::ostringstream page;
  report::write_page(page, "weft diagnose: " + name,
                     report::diagnosis_page_data(to_json(diagnosis), cluster.fabric(),
                                                 {.name = name, .max_boxes = kBoxes}));
  const Errors problems = write_output(page_, page.str());
  if (!problems.empty()) return refuse(problems, kUnfinished);
  if (is_dash(page_)) return kSuccess;
  print(to_text(diagnosis));
  print("  page in " + page_ + "\n");
  return kSuccess;
}

std::optional<int> DiagnoseCommands::run() {
  if (expect_->parsed()) return expect();
  if (diagnose_->parsed()) return diagnose();
  return std::nullopt;
}

}  // namespace weft::cli
