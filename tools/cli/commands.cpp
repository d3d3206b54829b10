#include "tools/cli/commands.hpp"

#include <optional>

#include "scenarios/api/weft.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/reference.hpp"
#include "scenarios/text/json_text.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/run/load.hpp"
#include "tools/cli/sweep_commands.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "topologies/export/simgrid_platform.hpp"

namespace weft::cli {
namespace {

/// Prints what is wrong; gives the exit code back.
int refuse_from_api(const api::Errors& errors) {
  Errors all;
  for (const api::Error& error : errors) {
    all.push_back({error.message, {error.file, error.line, error.column, error.key}});
  }
  return refuse(all);
}

}  // namespace

int write_platform(const std::string& path, const std::vector<std::string>& overrides,
                   const std::string& out) {
  const std::optional<Loaded> loaded = load(path, overrides);
  if (!loaded) return kBadInput;
  const scenarios::Experiment& e = loaded->experiment;
  const Framing framing = scenarios::framing_of(e.scenario);
  const topologies::PlatformOptions options{
      .name = e.scenario.name,
      .seed = e.scenario.seed,
      .payload = framing.payload,
      .header = framing.header,
      .stored = framing.cut_through > 0_B ? framing.cut_through : framing.payload + framing.header};
  Result<OutputFile> file = OutputFile::open(out);
  if (!file.ok()) return refuse(file.errors(), kUnfinished);
  Errors errors =
      topologies::write_simgrid_platform(file.value().stream(), e.fabric, e.routes, options);
  if (!errors.empty()) return refuse(loaded->source.located(errors));
  errors = file.value().commit();
  return errors.empty() ? kSuccess : refuse(errors, kUnfinished);
}

int check_scenario(const std::string& path, const std::vector<std::string>& overrides) {
  if (sweep::is_sweep_file(path)) return check_sweep(path, overrides);
  auto scenario = api::Scenario::from_file(path);
  if (!scenario) return refuse_from_api(scenario.errors());
  for (const std::string& change : overrides) scenario.value().change(change);
  const auto check = scenario.value().check();
  if (!check) return refuse_from_api(check.errors());
  print(check.value().text);
  return kSuccess;
}

int print_schema(const std::string& out) {
  const auto schema = scenarios::scenario_json_schema();
  if (!schema.ok()) return refuse(schema.errors());
  return put(scenarios::schema_text(schema.value()), out);
}

int print_result_reference(const std::string& out) {
  return put(scenarios::result_reference_text(), out);
}

}  // namespace weft::cli
