#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/spec/scenario.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::scenarios {

namespace language {
struct Node;
}

/// A scenario with what is known about the text it came from.
class LoadedScenario {
 public:
  Scenario scenario;

  /// The scenario as YAML with every default written out and the source of each in a comment,
  /// behind a header that names the program's version. Reading it gives the same scenario, whatever
  /// the catalogue and the current directory are.
  [[nodiscard]] std::string resolved_yaml(std::string_view version) const;

  /// The same without comments: equal for scenarios that mean the same.
  [[nodiscard]] const std::string& canonical_yaml() const { return canonical_; }

  /// Adds file, line and column to errors that carry a key path only, such as those of builders.
  [[nodiscard]] Errors located(Errors errors) const;

  /// What the comment at the end of a line of the file says; empty: there is none. `weft import`
  /// writes where values are from there.
  [[nodiscard]] std::string comment_at(int line) const;

 private:
  friend class ScenarioLoader;
  class Origin;

  std::string resolved_;
  std::string canonical_;
  std::shared_ptr<const Origin> origin_;
};

/// Reads and checks a scenario file. `overrides` are `path=value` texts (`fabric.ecn.kmin=400KB`,
/// `jobs[0].size=1MiB`, `seed=7`), applied before anything is checked. All errors are returned,
/// each with its place, what was found and what is accepted.
[[nodiscard]] Result<LoadedScenario> load_scenario(const std::filesystem::path& path,
                                                   const std::vector<std::string>& overrides = {});

/// The same for a text; `filename` is what messages call it, and where relative paths start.
[[nodiscard]] Result<LoadedScenario> load_scenario_text(
    std::string_view text, const std::filesystem::path& filename,
    const std::vector<std::string>& overrides = {});

/// A scenario that is read once and loaded many times with different overrides: the text, or the
/// map inside of another file whose places its errors then name.
class ScenarioTemplate {
 public:
  /// `text`: of the whole file, for what its comments say; null: it is not known.
  ScenarioTemplate(language::Node root, std::filesystem::path filename,
                   std::shared_ptr<const std::string> text = nullptr);

  /// `filename` is what messages call the text, and where relative paths start.
  [[nodiscard]] static Result<ScenarioTemplate> parse(std::string_view text,
                                                      const std::filesystem::path& filename);

  [[nodiscard]] Result<LoadedScenario> load(const std::vector<std::string>& overrides) const;
  [[nodiscard]] const language::Node& root() const;
  [[nodiscard]] const std::filesystem::path& filename() const { return filename_; }

 private:
  struct Shared;
  std::shared_ptr<const Shared> shared_;
  std::filesystem::path filename_;
};

/// The JSON Schema (draft 2020-12) of scenario files, with the names of the catalogue's parts.
[[nodiscard]] Result<nlohmann::ordered_json> scenario_json_schema();

/// The fabric of a scenario, with its changed links. Errors carry key paths; see
/// LoadedScenario::located.
[[nodiscard]] Result<Fabric> build_scenario_fabric(const Scenario& scenario);

}  // namespace weft::scenarios
