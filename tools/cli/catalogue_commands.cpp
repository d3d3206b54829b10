#include "tools/cli/catalogue_commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/text/json_text.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using scenarios::PartReport;

template <class Format>
int print_parts(const Result<std::vector<PartReport>>& parts, bool print_json, Format format) {
  if (!parts.ok()) {
    print_errors(parts.errors());
    return kBadInput;
  }
  if (print_json) return put(scenarios::json_text(scenarios::parts_json(parts.value())) + "\n");
  return put(format(parts.value()));
}

std::string texts_of(const std::vector<PartReport>& parts) {
  std::string text;
  for (const PartReport& part : parts) {
    text += (text.empty() ? "" : "\n") + scenarios::part_text(part);
  }
  return text;
}

std::string names_of(const std::vector<PartReport>& parts) {
  std::string text;
  for (const PartReport& part : parts) {
    text += part.name + "\n";
    for (const std::string& alias : part.aliases) text += alias + "\n";
  }
  return text;
}

const std::vector<std::string> kKinds{"servers", "gpus",     "scale-up", "host-links",
                                      "nics",    "switches", "cables"};

}  // namespace

CatalogueCommands::CatalogueCommands(CLI::App& app) {
  app.add_option("--catalogue", folder_,
                 "folder with hardware of your own: servers.yaml, nics.yaml ... in the form of "
                 "topologies/catalogue")
      ->type_name(kFolder)
      ->envname(scenarios::language::kCatalogueVariable);
  list_ = app.add_subcommand("list", "the hardware that scenarios can name");
  list_->footer("\nExample:\n  weft list servers\n");
  list_->add_option("kind", kind_, "default: all")->type_name(joined(kKinds));
  CLI::Option* json = list_->add_flag("--json", print_json_, "print JSON, with every figure");
  list_->add_flag("--names", prints_names_, "print names alone")->excludes(json);
  show_ = app.add_subcommand("show", "every figure of a part, and where it comes from");
  show_->footer("\nExample:\n  weft show gb200-nvl72\n");
  show_->add_option("name", name_, "such as hgx-h100, or nics/ideal where kinds share a name")
      ->type_name(kPart)
      ->required();
  show_->add_flag("--json", print_json_, "print JSON");
}

void CatalogueCommands::use_catalogue() const {
  // The environment reaches the processes of a sweep as well.
  if (!folder_.empty()) ::setenv(scenarios::language::kCatalogueVariable, folder_.c_str(), 1);
}

std::optional<int> CatalogueCommands::run() const {
  if (list_->parsed()) {
    if (prints_names_) return print_parts(scenarios::list_parts(kind_), false, names_of);
    return print_parts(scenarios::list_parts(kind_), print_json_, scenarios::parts_table);
  }
  if (show_->parsed()) return print_parts(scenarios::find_parts(name_), print_json_, texts_of);
  return std::nullopt;
}

}  // namespace weft::cli
