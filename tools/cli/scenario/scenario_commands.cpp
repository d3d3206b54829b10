#include "tools/cli/scenario/scenario_commands.hpp"

#include "tools/cli/commands.hpp"
#include "tools/cli/sweep_commands.hpp"
#include "tools/cli/words.hpp"

namespace weft::cli {

ScenarioCommands::ScenarioCommands(CLI::App& app)
    : check_(app.add_subcommand("check",
                                "validate a scenario, and say how it would be simulated; or "
                                "validate a sweep and its points")),
      platform_(app.add_subcommand(
          "platform",
          "write a scenario's fabric as a SimGrid platform, for S4U and SMPI programs")) {
  check_->footer(
      "\nExamples:\n"
      "  weft check scenarios/incast.yaml --set fabric.spines=8\n"
      "  weft check scenarios/sweeps/dcqcn-ecn.yaml\n");
  add_scenario(*check_, scenario_)->description("scenario or sweep; - reads standard input");
  add_overrides(*check_, overrides_);

  platform_->footer("\nExample:\n  weft platform scenarios/incast.yaml -o incast.xml\n");
  add_scenario(*platform_, scenario_);
  add_overrides(*platform_, overrides_);
  platform_->add_option("-o,--out", out_, "file to write (default: standard output)")
      ->type_name(kFile);
  add_schema(app);
}

void ScenarioCommands::add_schema(CLI::App& app) {
  schema_ = app.add_subcommand("schema", "print the JSON Schema of scenario files");
  schema_->footer(
      "\nExample:\n"
      "  weft schema > weft.schema.json\n"
      "\nVS Code and others take it from a first line such as\n"
      "  # yaml-language-server: $schema=weft.schema.json\n");
  schema_->add_flag("--sweep", is_sweep_schema_, "that of sweep files instead");
  schema_
      ->add_flag(
          "--results", is_result_reference_,
          "instead: what the files of a results folder hold, column by column and field by field")
      ->excludes("--sweep");
  schema_->add_option("-o,--out", out_, "file to write (default: standard output)")
      ->type_name(kFile);
}

std::optional<int> ScenarioCommands::run() const {
  if (check_->parsed()) return check_scenario(scenario_, overrides_);
  if (platform_->parsed()) return write_platform(scenario_, overrides_, out_);
  if (!schema_->parsed()) return std::nullopt;
  if (is_result_reference_) return print_result_reference(out_);
  return is_sweep_schema_ ? print_sweep_schema(out_) : print_schema(out_);
}

}  // namespace weft::cli
