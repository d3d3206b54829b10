#include "tools/cli/run/run_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/output/result_folder.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "tools/io/result_name.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;
namespace summary_keys = scenarios::summary_keys;
using nlohmann::json;

constexpr int kMaxNames = 10'000;

/// Nothing: there is no summary that can be read.
json summary_in(const fs::path& folder) {
  std::ifstream in(folder / "summary.json", std::ios::binary);
  json summary = in ? json::parse(in, nullptr, false) : json();
  return summary.is_object() ? summary : json();
}

template <class T>
T field(const json& summary, const char* key) {
  const auto found = summary.find(key);
  if (found == summary.end()) return {};
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    return {};
  }
}

bool is_there(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(folder, ignored));
}

/// Whether a run of the same may put its results here: of the same scenario file with the same
/// overrides, whatever the file says by now, or of a scenario that means the same.
bool is_free(const fs::path& folder, const scenarios::Invocation& mine,
             const std::string& scenario_sha256) {
  if (!is_there(folder)) return true;
  if (!scenarios::check_output_folder(folder).empty()) return false;
  const json summary = summary_in(folder);
  if (summary.is_null()) return true;
  if (field<std::string>(summary, summary_keys::kScenario) == scenario_sha256) return true;
  return !mine.scenario_file.empty() &&
         field<std::string>(summary, summary_keys::kScenarioFile) == mine.scenario_file &&
         field<std::vector<std::string>>(summary, summary_keys::kOverrides) == mine.overrides &&
         field<std::string>(summary, summary_keys::kWithout) == mine.without;
}

RunPlace beside_each_other(const fs::path& packet) {
  fs::path folder = packet.lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  return {packet, folder.string() + "-fluid"};
}

RunPlace default_place(const RunArguments& arguments, const std::string& name) {
  const RunPlace place = beside_each_other(fs::path("results") / name);
  return arguments.engine == Engine::kFluid ? RunPlace{place.fluid, place.fluid} : place;
}

}  // namespace

Result<RunPlace> place_of_run(const RunArguments& arguments,
                              const scenarios::Invocation& invocation,
                              const std::string& scenario_name,
                              const std::string& scenario_sha256) {
  if (!arguments.out.empty()) return beside_each_other(arguments.out);
  if (!arguments.name.empty()) {
    if (std::string problem = scenarios::language::name_problem(arguments.name); !problem.empty()) {
      return Error{.message = "--name: " + problem};
    }
    return default_place(arguments, arguments.name);
  }
  std::string name = overridden_name(scenario_name, arguments.overrides);
  if (!arguments.without.empty()) {
    std::string without = arguments.without;
    std::ranges::replace(without, ':', '-');  // of `job:NAME`
    std::ranges::replace(without, ',', '+');
    name += "-without-" + without;
  }
  const auto can_have = [&](const RunPlace& place) {
    return is_free(place.packet, invocation, scenario_sha256) &&
           (arguments.engine != Engine::kBoth || is_free(place.fluid, invocation, scenario_sha256));
  };
  for (int n = 1; n <= kMaxNames; ++n) {
    RunPlace place = default_place(arguments, n == 1 ? name : fmt::format("{}-{}", name, n));
    if (can_have(place)) return place;
  }
  return Error{.message =
                   fmt::format("results/{} and {} more are taken; choose another with --name "
                               "or --out",
                               name, kMaxNames - 1)};
}

std::string describe_results_in(const fs::path& folder) {
  if (!scenarios::has_whole_results(folder)) return {};
  const json summary = summary_in(folder);
  if (summary.is_null()) return {};
  const auto command = field<std::string>(summary, summary_keys::kCommandLine);
  return command.empty() ? "an earlier run" : "`" + command + "`";
}

scenarios::Invocation invocation_of(const RunArguments& arguments) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(fs::absolute(arguments.scenario, error), error);
  return {.command_line = shell_text(arguments.command_line),
          .scenario_file = error ? std::string() : file.string(),
          .overrides = arguments.overrides,
          .without = arguments.without};
}

}  // namespace weft::cli
