#include "tools/cli/import/import_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/evidence/forms.hpp"
#include "tools/import/cluster/anonymise.hpp"
#include "tools/import/cluster/scenario_text.hpp"
#include "tools/import/formats.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kImportHelp =
    "\nExamples:\n"
    "  weft import --collect                                  commands that gather the files\n"
    "  weft import nccl-topo.xml cables.csv config_db-*.json -o cluster.yaml\n"
    "  weft import ibnetdiscover.txt --server hgx-h100 --load-balancing spray -o cluster.yaml\n"
    "  weft import topo.txt cables.csv --without 'stor-*' --without eno1 -o cluster.yaml\n"
    "  weft import --anonymise --copies shared *.json -o cluster.yaml\n"
    "\nFiles are recognised by what is in them; several complete one another, and what they "
    "contradict\neach other in is said. No file says how packets are balanced.\n";

void print_remarks(const import::Remarks& remarks) {
  for (const import::Remark& remark : remarks) {
    if (remark.severity == import::Severity::kFinding) print("  " + remark.to_string() + "\n");
  }
  for (const import::Remark& remark : remarks) {
    if (remark.severity == import::Severity::kWarning) print("  " + remark.to_string() + "\n");
  }
}

Errors errors_of(const import::Remarks& remarks) {
  Errors errors;
  for (const import::Remark& remark : remarks) {
    if (remark.severity == import::Severity::kError) errors.push_back({remark.text, remark.where});
  }
  return errors;
}

/// A log, a matrix or counters, which `weft diagnose` reads.
bool is_evidence(const import::InputFile& file) {
  return import::recognise(file) == nullptr && evidence::recognise(file) != nullptr;
}

template <class Forms>
void print_commands(const Forms& forms) {
  for (const auto& form : forms) {
    if (form.command.empty()) continue;
    print(fmt::format("# {} ({})\n{}\n", form.about, form.name, form.command));
  }
}

int print_collection() {
  print(
      "# What describes the cluster: any of these; a server's file and a list of cables are the "
      "least.\n");
  print_commands(import::formats());
  print("\n# What was measured on it, for `weft diagnose`.\n");
  print_commands(evidence::forms());
  return kSuccess;
}

int print_formats() {
  for (const import::Format& format : import::formats()) {
    print(fmt::format("  {:20} {}\n", format.name, format.about));
    if (format.columns.needed.empty()) continue;
    print(fmt::format("  {:20} columns {}; may have {}\n", "",
                      fmt::join(format.columns.needed, ", "),
                      fmt::join(format.columns.known, ", ")));
    if (!format.columns.also.empty()) print(fmt::format("  {:20} {}\n", "", format.columns.also));
  }
  return kSuccess;
}

/// `FILE:NAME`, where NAME is a form of file and no file is called so as a whole.
std::pair<std::string, const import::Format*> split_format(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  std::error_code ignored;
  if (colon == std::string::npos || std::filesystem::exists(path, ignored)) return {path, nullptr};
  const import::Format* const format = import::find_format(path.substr(colon + 1));
  return {format == nullptr ? path : path.substr(0, colon), format};
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const import::Format& format : import::formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

ImportCommand::ImportCommand(CLI::App& app)
    : import_(app.add_subcommand("import", "a scenario from files that describe a cluster")) {
  import_->footer(kImportHelp);
  import_->add_option("files", paths_, "topology, cabling and settings of servers and switches")
      ->type_name(kFile);
  import_
      ->add_option("--format", format_,
                   "what a file is that cannot be told by its content (--formats); of one among "
                   "several: FILE:NAME")
      ->type_name("NAME");
  import_->add_flag("--formats", lists_,
                    "list the forms of file that are read, with the columns of tables");
  import_->add_flag("--collect", collects_, "print the commands that gather such files, and end");
  import_->add_option("--server", options_.server, "what the servers are, of `weft list servers`")
      ->type_name(kPart);
  import_
      ->add_option("--servers", options_.servers,
                   "which devices are servers, where no file says it, such as 'node*'")
      ->type_name("NAME")
      ->allow_extra_args(false);
  import_
      ->add_option("--without", options_.without,
                   "leave out devices, ports and NICs of other networks, such as 'oob-sw*', eno1 "
                   "or mlx5_8")
      ->type_name("NAME")
      ->allow_extra_args(false);
  import_
      ->add_option("--switch", options_.switch_part,
                   "what the switches are, of `weft list switches`")
      ->type_name(kPart);
  import_->add_option("--rate", rate_, "of cables that no file says a rate of")->type_name("RATE");
  import_
      ->add_option("--load-balancing", options_.load_balancing,
                   "how switches choose among paths (default: ecmp)")
      ->check(CLI::IsMember(
          std::set<std::string>{"ecmp", "spray", "round-robin", "flowlet", "adaptive"}))
      ->type_name("ecmp|spray|round-robin|flowlet|adaptive");
  import_->add_flag("--anonymise,--anonymize", anonymises_,
                    "replace names of devices, addresses, GUIDs and serial numbers");
  import_->add_option("--copies", copies_, "folder for copies of the files, anonymised")
      ->type_name(kFolder)
      ->needs("--anonymise");
  import_->add_option("-o,--out", out_, "file to write (default: standard output)")
      ->type_name(kFile);
}

bool ImportCommand::is_stream() const { return out_.empty() || is_dash(out_); }

bool ImportCommand::read_options() {
  if (!format_.empty() && import::find_format(format_) == nullptr) {
    complain(fmt::format("--format: `{}` is no form of file{}", format_,
                         did_you_mean(format_, format_names())));
    return false;
  }
  if (rate_.empty()) return true;
  const auto rate = read_limit<BitsPerSecond>("--rate", rate_);
  if (!rate) return false;
  options_.rate = BitsPerSecond(*rate);
  return true;
}

bool ImportCommand::name_format(std::vector<const import::Format*>& named) {
  const import::Format* const format = import::find_format(format_);
  if (format == nullptr) return true;
  if (files_.size() == 1) {
    if (named.front() == nullptr) named.front() = format;
    return true;
  }
  bool is_taken = false;
  std::vector<std::string> others;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (named[i] != nullptr) continue;
    const import::Format* const known = import::recognise(files_[i]);
    if (known == nullptr) named[i] = format;
    is_taken = is_taken || known == nullptr || known == format;
    if (known != nullptr) {
      others.push_back(fmt::format("{} is {}", escaped(files_[i].name()), known->name));
    }
  }
  if (is_taken) return true;
  complain(fmt::format("--format {}: no file needs it ({}); `FILE:{}` reads one of several so",
                       format_, listing(others), format_));
  return false;
}

bool ImportCommand::read_files(import::Description& description) {
  Errors errors;
  std::set<std::string> seen;
  std::vector<const import::Format*> named;  // by file
  for (const std::string& named_path : paths_) {
    std::error_code ignored;
    const auto [path, own_format] = split_format(named_path);
    if (!seen.insert(std::filesystem::weakly_canonical(path, ignored).string()).second) {
      import::add_warning(description.remarks, {.file = path}, "is named twice; it is read once");
      continue;
    }
    auto file = import::InputFile::read(path);
    if (file.ok()) {
      files_.push_back(std::move(file).value());
      named.push_back(own_format);
    } else {
      errors.insert(errors.end(), file.errors().begin(), file.errors().end());
    }
  }
  if (errors.empty() && !name_format(named)) return false;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const import::InputFile& file = files_[i];
    if (named[i] != nullptr || !is_evidence(file)) {
      import::read_file(file, named[i], description);
    } else if (!copies_.empty()) {
      import::add_warning(description.remarks, {.file = file.name()},
                          "is what was measured: it is copied, and no part of the scenario");
    } else {
      errors.push_back(
          {"is what was measured, and does not describe the cluster: give it to `weft "
           "diagnose CLUSTER.yaml " +
               escaped(file.name()) + "`",
           {.file = file.name()}});
    }
  }
  const Errors found = errors_of(description.remarks);
  errors.insert(errors.end(), found.begin(), found.end());
  if (errors.empty()) return true;
  print_remarks(description.remarks);
  print_errors(errors);
  return false;
}

int ImportCommand::write_copies(const import::Cluster& cluster) {
  import::Anonymiser anonymiser(cluster);
  std::error_code problem;
  std::filesystem::create_directories(copies_, problem);
  for (const import::InputFile& file : files_) {
    const std::string name = std::filesystem::path(file.name()).filename().string();
    const std::filesystem::path copy = std::filesystem::path(copies_) / anonymiser.apply(name);
    if (std::filesystem::exists(copy, problem)) {
      complain(copy.string() +
               ": is there; `weft import` replaces no file: remove it, or name another folder "
               "with `--copies`");
      return kBadInput;
    }
    if (const Errors errors = write_output(copy, anonymiser.apply(file.text())); !errors.empty()) {
      return refuse(errors, kUnfinished);
    }
  }
  return kSuccess;
}

int ImportCommand::write(import::Cluster& cluster, const import::Description& description) {
  std::string name = is_stream() ? "cluster" : std::filesystem::path(out_).stem().string();
  // Names of scenarios have letters, digits and `. _ -`.
  std::ranges::replace_if(
      name,
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; },
      '-');
  std::string text = import::scenario_text(cluster, description, options_, name);
  if (anonymises_) text = import::Anonymiser(cluster).apply(text);
  const auto loaded = scenarios::load_scenario_text(text, is_stream() ? "cluster.yaml" : out_);
  if (!loaded.ok()) {
    complain("these files make no scenario that can be run:");
    return refuse(loaded.errors());
  }
  if (!copies_.empty()) {
    if (const int code = write_copies(cluster); code != kSuccess) return code;
  }
  if (const int code = put(text, out_); code != kSuccess || is_stream()) return code;
  for (const std::string& line : description.recognised) print("  " + escaped(line) + "\n");
  print_remarks(description.remarks);
  for (const std::string& line : cluster.assumptions) print("  assumed: " + escaped(line) + "\n");
  print(fmt::format(
      "  {}: {} servers, {} switches, {} cables; next: `weft check {}`, `weft expect {}`\n", out_,
      cluster.servers.size(), cluster.switches.size(), cluster.cables.size(), out_, out_));
  return kSuccess;
}

std::optional<int> ImportCommand::run() {
  if (!import_->parsed()) return std::nullopt;
  if (collects_) return print_collection();
  if (lists_) return print_formats();
  if (paths_.empty()) {
    complain(
        "import: name the files that describe the cluster; `weft import --collect` says how to "
        "get them");
    return kBadInput;
  }
  std::error_code ignored;
  if (!is_stream() && std::filesystem::is_regular_file(out_, ignored)) {
    complain(
        out_ +
        ": is there; `weft import` replaces no file: remove it, or name another one with `-o`");
    return kBadInput;
  }
  if (!read_options()) return kBadInput;
  import::Description description;
  if (!read_files(description)) return kBadInput;
  import::Cluster cluster = import::join(description, options_);
  if (const Errors errors = errors_of(description.remarks); !errors.empty()) {
    print_remarks(description.remarks);
    return refuse(errors);
  }
  return write(cluster, description);
}

}  // namespace weft::cli
