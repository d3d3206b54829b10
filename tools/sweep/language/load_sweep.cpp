#include "tools/sweep/language/load_sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/language/yaml/json_schema.hpp"
#include "scenarios/language/yaml/overrides.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/sweep/language/axes.hpp"
#include "tools/sweep/language/metrics.hpp"
#include "tools/sweep/language/number.hpp"
#include "tools/sweep/language/sweep_document.hpp"

namespace weft::sweep {
namespace {

using language::child_path;
using language::Diagnostics;
using language::element_path;

constexpr std::string_view kOwnPrefix = "sweep.";
constexpr const char* kInline = "(inline)";

/// Overrides of the sweep file and of the scenario.
struct Overrides {
  std::vector<std::string> own;  ///< without the prefix
  std::vector<std::string> own_texts;
  std::vector<std::string> scenario;
};

Overrides split(const std::vector<std::string>& overrides) {
  Overrides result;
  for (const std::string& text : overrides) {
    if (text.starts_with(kOwnPrefix)) {
      result.own.push_back(text.substr(kOwnPrefix.size()));
      result.own_texts.push_back(text);
    } else {
      result.scenario.push_back(text);
    }
  }
  return result;
}

std::optional<language::Node> take(language::Node& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &language::Node::Entry::key);
  if (found == map.entries.end()) return std::nullopt;
  language::Node node = std::move(found->value);
  map.entries.erase(found);
  return node;
}

/// The items of `values` as texts that an override takes, whatever they are.
void flatten_values(language::Node& line) {
  language::Node* values = line.find("values");
  if (values != nullptr && values->kind == language::Node::Kind::kList) {
    for (language::Node& item : values->items) {
      item.text = flow_text(item);
      item.kind = language::Node::Kind::kScalar;
      item.items.clear();
      item.entries.clear();
    }
  }
  language::Node* zip = line.find("zip");
  if (zip == nullptr) return;
  for (language::Node& inner : zip->items) flatten_values(inner);
}

void collect_leaves(const language::Node& node, const std::string& path,
                    std::map<std::string, std::string>& leaves) {
  if (node.kind == language::Node::Kind::kScalar) leaves[path] = node.text;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    collect_leaves(node.items[i], element_path(path, i), leaves);
  }
  for (const language::Node::Entry& entry : node.entries) {
    collect_leaves(entry.value, child_path(path, entry.key), leaves);
  }
}

class SweepLoader {
 public:
  SweepLoader(const std::filesystem::path& path, const std::vector<std::string>& overrides)
      : path_(path),
        overrides_(split(overrides)),
        diagnostics_(path.string(), overrides_.own_texts) {}

  Result<Sweep> load() {
    if (Errors errors = read_tree(); !errors.empty()) return errors;
    Result<scenarios::ScenarioTemplate> base = base_scenario();
    if (!base.ok()) return base.errors();
    if (!diagnostics_.is_empty()) return diagnostics_.take();
    const Result<scenarios::LoadedScenario> loaded = base.value().load(overrides_.scenario);
    if (!loaded.ok()) return loaded.errors();

    Sweep sweep{document_.name, path_.string(), base.value(), loaded.value().canonical_yaml(),
                overrides_.scenario};
    sweep.own_overrides = overrides_.own_texts;
    sweep.is_isolated = document_.isolated;
    sweep.metrics = metric_names(loaded.value().scenario, sweep.is_isolated);
    if (Errors errors = read_choice(loaded.value(), sweep); !errors.empty()) return errors;
    if (const auto canonical = language::parse_yaml(sweep.base_text, sweep.file); canonical.ok()) {
      collect_leaves(canonical.value(), {}, sweep.base_values);
    }
    build_axes({document_, tree_, points_ ? &*points_ : nullptr, diagnostics_}, sweep);
    if (!diagnostics_.is_empty()) return diagnostics_.take();
    if (Errors errors = check_paths(sweep); !errors.empty()) return errors;
    read_strategy(sweep);
    read_constraints(sweep);
    read_objectives(sweep);
    if (sweep.is_isolated) add_slowdowns(loaded.value().scenario, sweep);
    if (!diagnostics_.is_empty()) return diagnostics_.take();
    return sweep;
  }

 private:
  Errors read_tree() {
    const std::string file = path_.string();
    Result<std::string> text = language::read_text_file(path_, language::kMaxScenarioBytes);
    if (!text.ok()) return text.errors();
    if (Errors errors = language::check_text(text.value(), file); !errors.empty()) return errors;
    Result<language::Node> root = language::parse_yaml(text.value(), file);
    if (!root.ok()) return root.errors();
    tree_ = std::move(root).value();
    if (tree_.kind != language::Node::Kind::kMap) {
      return {{"holds " + tree_.description() +
                   "; expected a map with keys such as name, scenario and axes",
               {file, tree_.mark.line, tree_.mark.column, {}}}};
    }
    if (tree_.find("scenario") == nullptr && tree_.find("fabric") != nullptr) {
      return {
          {"is a scenario, not a sweep; run it with `weft run`, or name it under `scenario` of a "
           "sweep file",
           {file, 0, 0, {}}}};
    }
    if (Errors errors = apply_own(); !errors.empty()) return errors;
    prepare();
    language::Provenance provenance;
    language::Reader(language::Catalogue::embedded(), diagnostics_, provenance)
        .read(sweep_schema(), tree_, document_, {});
    if (diagnostics_.is_empty()) {
      if (std::string problem = language::name_problem(document_.name); !problem.empty()) {
        fail("name", std::move(problem));
      }
    }
    return diagnostics_.take();
  }

  Errors apply_own() {
    for (std::size_t i = 0; i < overrides_.own.size(); ++i) {
      if (overrides_.own[i].starts_with("scenario.") || overrides_.own[i].starts_with("points")) {
        return {{"cannot be set in the sweep file; keys of the scenario are set without `sweep.`",
                 {language::override_name(overrides_.own_texts[i]), 0, 0, {}}}};
      }
    }
    return language::apply_overrides(tree_, overrides_.own);
  }

  /// Takes out what the schema cannot describe.
  void prepare() {
    points_ = take(tree_, "points");
    language::Node* scenario = tree_.find("scenario");
    if (scenario != nullptr && scenario->kind == language::Node::Kind::kMap) {
      inline_ = *scenario;
      scenario->kind = language::Node::Kind::kScalar;
      scenario->text = kInline;
      scenario->entries.clear();
    }
    language::Node* axes = tree_.find("axes");
    if (axes == nullptr) return;
    for (language::Node& axis : axes->items) flatten_values(axis);
  }

  Result<scenarios::ScenarioTemplate> base_scenario() {
    if (inline_) return scenarios::ScenarioTemplate(std::move(*inline_), path_);
    const std::filesystem::path file = path_.parent_path() / document_.scenario;
    Result<std::string> text = language::read_text_file(file, language::kMaxScenarioBytes);
    if (!text.ok()) {
      fail("scenario", "`" + file.string() + "`: " + text.errors().front().message);
      return diagnostics_.take();
    }
    return scenarios::ScenarioTemplate::parse(text.value(), file);
  }

  /// Paths that the language does not have, with what the loader says about them: before anything
  /// refers to their names.
  Errors check_paths(const Sweep& sweep) {
    Errors errors;
    for (const Axis& axis : sweep.axes) {
      for (std::size_t i = 0; i < axis.parameters.size() && !axis.rows.empty(); ++i) {
        const Parameter& parameter = sweep.parameters[axis.parameters[i]];
        if (is_known_path(parameter.path)) continue;
        const Value& value = axis.rows.front()[i];
        std::vector<std::string> overrides = sweep.overrides;
        overrides.push_back(parameter.path + "=" + value.text);
        const auto loaded = sweep.base.load(overrides);
        if (loaded.ok()) continue;
        for (Error error : loaded.errors()) {
          if (error.where.file == language::override_name(overrides.back())) {
            error.where = sweep.location(value.mark, error.where.key);
          }
          errors.push_back(std::move(error));
        }
      }
    }
    return errors;
  }

  /// What points are chosen by is an estimate of the scenario as it is without axes; its slice has
  /// to be one that can be run.
  Errors read_choice(const scenarios::LoadedScenario& loaded, Sweep& sweep) {
    if (!document_.choose) return {};
    const ChoiceDocument& choose = *document_.choose;
    const auto estimate = scenarios::estimate_scenario(loaded.scenario, {});
    if (!estimate.ok()) return loaded.located(estimate.errors());
    std::vector<std::string> estimates;
    for (auto& [name, value] : metrics_of(estimate.value(), kEstimatePrefix)) {
      if (!choose.slice.empty()) {
        sweep.metrics.push_back(std::string(kSlicePrefix) + name.substr(kEstimatePrefix.size()));
      }
      estimates.push_back(std::move(name));
    }
    check_known(choose.by, estimates, "choose.by", "an estimate");
    sweep.metrics.insert(sweep.metrics.end(), estimates.begin(), estimates.end());
    sweep.choice = Choice{choose.by, static_cast<Goal>(choose.goal), choose.best, choose.slice};
    return check_slice(sweep);
  }

  /// Errors of `path=value` of the slice have its place in the file.
  Errors check_slice(const Sweep& sweep) {
    std::vector<std::string> overrides = sweep.overrides;
    overrides.insert(overrides.end(), sweep.choice->slice.begin(), sweep.choice->slice.end());
    const auto loaded = sweep.base.load(overrides);
    if (loaded.ok()) return {};
    Errors errors = loaded.errors();
    for (Error& error : errors) {
      for (std::size_t i = 0; i < sweep.choice->slice.size(); ++i) {
        if (error.where.file != language::override_name(sweep.choice->slice[i])) continue;
        const std::string key = element_path("choose.slice", i);
        error.where = sweep.location(language::locate(tree_, key).mark, key);
        error.message = backquoted(sweep.choice->slice[i]) + " " + error.message;
      }
    }
    return errors;
  }

  void read_strategy(Sweep& sweep) {
    if (const auto* sampling = std::get_if<SamplingDocument>(&document_.strategy)) {
      sweep.strategy = Sampling{sampling->samples, sampling->seed};
      if (sweep.axes.empty()) fail("strategy", "has nothing to draw from; there are no axes");
      return;
    }
    const auto* bisect = std::get_if<BisectionDocument>(&document_.strategy);
    if (bisect != nullptr) {
      if (sweep.choice)
        fail("choose", "has no meaning beside a bisection, which simulates each point");
      read_bisection(*bisect, sweep);
    } else if (sweep.parameters.empty()) {
      fail("axes", "is missing; a sweep varies something by axes, points or seeds");
    }
  }

  void read_bisection(const BisectionDocument& bisect, Sweep& sweep) {
    const AxisContext context{document_, tree_, nullptr, diagnostics_};
    const auto low = read_number(context, bisect.low, "strategy.low");
    const auto high = read_number(context, bisect.high, "strategy.high");
    const auto tolerance = read_number(context, bisect.tolerance, "strategy.tolerance");
    if (!low || !high || !tolerance) return;
    if (low->dimension != high->dimension || low->dimension != tolerance->dimension) {
      fail("strategy", "has low, high and tolerance in different kinds of units");
    } else if (low->value >= high->value) {
      fail("strategy.high", "is not above low (" + bisect.low + ")");
    } else if (tolerance->value <= 0) {
      fail("strategy.tolerance", "is not above zero");
    }
    auto condition = Expression::parse(bisect.condition);
    if (const auto* problem = std::get_if<std::string>(&condition)) {
      fail("strategy.condition", backquoted(bisect.condition) + " " + *problem);
      return;
    }
    Bisection bisection{0,
                        *low,
                        *high,
                        tolerance->value,
                        is_integer_path(bisect.path),
                        std::get<Expression>(std::move(condition)),
                        bisect.cut_off};
    check_units(bisection.condition, "strategy.condition", metric_unit);
    for (const std::string& name : bisection.condition.names()) {
      check_known(name, sweep.metrics, "strategy.condition", "a result");
    }
    const auto parameter = std::ranges::find(sweep.parameters, bisect.path, &Parameter::path);
    bisection.parameter = static_cast<std::size_t>(parameter - sweep.parameters.begin());
    sweep.strategy = std::move(bisection);
  }

  void check_units(const Expression& expression, const std::string& key, const UnitOf& unit_of) {
    const std::string problem = expression.unit_problem(unit_of);
    if (problem.empty()) return;
    fail(key, backquoted(expression.text()) + " " + problem +
                  ", which are quantities of different kinds");
  }

  /// Of an axis, or of a value of the scenario.
  static std::string unit_at(const Sweep& sweep, const std::string& name) {
    for (const Parameter& parameter : sweep.parameters) {
      if (parameter.name == name || parameter.path == name) return parameter.unit;
    }
    const auto base = sweep.base_values.find(name);
    if (base == sweep.base_values.end()) return {};
    const auto number = parse_number(base->second);
    return number ? number->unit() : std::string();
  }

  void read_constraints(Sweep& sweep) {
    std::vector<std::string> known;
    for (const Parameter& parameter : sweep.parameters) {
      known.push_back(parameter.name);
      known.push_back(parameter.path);
    }
    const std::size_t names = known.size();
    for (const auto& [path, text] : sweep.base_values) known.push_back(path);
    for (std::size_t i = 0; i < document_.constraints.size(); ++i) {
      const std::string key = element_path("constraints", i);
      auto parsed = Expression::parse(document_.constraints[i]);
      if (const auto* problem = std::get_if<std::string>(&parsed)) {
        fail(key, backquoted(document_.constraints[i]) + " " + *problem);
        continue;
      }
      Constraint constraint{std::get<Expression>(std::move(parsed)),
                            language::locate(tree_, key).mark};
      for (const std::string& name : constraint.expression.names()) {
        if (std::ranges::find(known, name) != known.end()) continue;
        fail(key, "`" + name + "` is neither an axis (" +
                      listing(std::vector<std::string>(known.begin(), known.begin() + names)) +
                      ") nor a path of the scenario" + did_you_mean(name, known));
      }
      check_units(constraint.expression, key,
                  [&sweep](const std::string& name) { return unit_at(sweep, name); });
      sweep.constraints.push_back(std::move(constraint));
    }
  }

  void read_objectives(Sweep& sweep) {
    for (std::size_t i = 0; i < document_.objectives.size(); ++i) {
      const ObjectiveDocument& o = document_.objectives[i];
      const std::string key = element_path("objectives", i);
      check_known(o.metric, sweep.metrics, key, "a result");
      const std::string name = o.name.empty() ? o.metric : o.name;
      if (std::ranges::find(sweep.objectives, name, &Objective::name) != sweep.objectives.end()) {
        fail(key, "the name `" + name + "` is given to two objectives");
      }
      sweep.objectives.push_back({name, o.metric, static_cast<Goal>(o.goal)});
    }
    if (!sweep.objectives.empty()) return;
    if (sweep.choice) {
      sweep.objectives.push_back({sweep.choice->metric, sweep.choice->metric, sweep.choice->goal});
      return;
    }
    for (const char* metric : {"messages.fct_seconds.p99", "simulated_seconds"}) {
      sweep.objectives.push_back({metric, metric, Goal::kMin});
    }
  }

  /// Whoever has jobs run alone wants to see what came of it: unless the objectives say so already,
  /// the slowdown of each job is one, or of many jobs the largest.
  static void add_slowdowns(const scenarios::Scenario& scenario, Sweep& sweep) {
    constexpr std::size_t kMaxJobs = 8;
    const bool simulates = !sweep.choice || sweep.choice->best > 0;
    const bool has_them = std::ranges::any_of(sweep.objectives, [](const Objective& objective) {
      return objective.metric.starts_with(kIsolatedPrefix);
    });
    if (has_them || !simulates) return;
    if (scenario.jobs.size() > kMaxJobs) {
      sweep.objectives.push_back({std::string(kWorstSlowdown), std::string(kWorstSlowdown)});
      return;
    }
    for (const scenarios::JobSpec& job : scenario.jobs) {
      const std::string metric = std::string(kIsolatedPrefix) + job.name + ".slowdown";
      sweep.objectives.push_back({metric, metric});
    }
  }

  void check_known(const std::string& name, const std::vector<std::string>& known,
                   const std::string& key, const char* what) {
    if (std::ranges::find(known, name) != known.end()) return;
    fail(key, "`" + name + "` is not " + what + "; there are " + listing(known) +
                  did_you_mean(name, known));
  }

  void fail(const std::string& path, std::string message) {
    diagnostics_.add_at(tree_, path, std::move(message));
  }

  std::filesystem::path path_;
  Overrides overrides_;
  Diagnostics diagnostics_;
  language::Node tree_;
  std::optional<language::Node> points_;
  std::optional<language::Node> inline_;
  SweepDocument document_;
};

}  // namespace

Result<Sweep> load_sweep(const std::filesystem::path& path,
                         const std::vector<std::string>& overrides) {
  return SweepLoader(path, overrides).load();
}

bool is_sweep_file(const std::filesystem::path& path) {
  const auto text = language::read_text_file(path, language::kMaxScenarioBytes);
  if (!text.ok() || !language::check_text(text.value(), path.string()).empty()) return false;
  const auto root = language::parse_yaml(text.value(), path.string());
  if (!root.ok() || root.value().kind != language::Node::Kind::kMap) return false;
  const auto has = [&root](const char* key) { return root.value().find(key) != nullptr; };
  return !has("fabric") && !has("jobs") && (has("scenario") || has("axes") || has("sweep"));
}

namespace {

using Json = nlohmann::ordered_json;

/// Definitions of a schema that now stands at `place` of another.
void move_references(Json& schema, const std::string& place) {
  if (schema.is_object() && schema.contains("$ref") && schema["$ref"].is_string()) {
    const auto reference = schema["$ref"].get<std::string>();
    schema["$ref"] = "#" + place + reference.substr(1);
  }
  if (!schema.is_structured()) return;
  for (Json& inner : schema) move_references(inner, place);
}

Json documented(const char* doc, Json schema) {
  schema["description"] = doc;
  return schema;
}

}  // namespace

Result<Json> sweep_json_schema() {
  Result<Json> inner = scenarios::scenario_json_schema();
  if (!inner.ok()) return inner.errors();
  Json schema = language::json_schema(sweep_schema().any(), language::Catalogue::embedded());
  Json scenario = std::move(inner).value();
  scenario.erase("$schema");
  move_references(scenario, "/$defs/scenario");
  Json& definitions = schema["$defs"];
  definitions["scenario"] = std::move(scenario);
  Json& properties = schema["properties"];
  properties["scenario"] = {{"description", "a scenario file beside this one, or a scenario"},
                            {"if", {{"type", "string"}}},
                            {"then", true},
                            {"else", {{"$ref", "#/$defs/scenario"}}}};
  properties["points"] = {
      {"description", "explicit points: maps from path to value, all with the same paths"},
      {"type", "array"},
      {"minItems", 1},
      {"items", {{"type", "object"}, {"minProperties", 1}}}};
  // Values of an axis may be anything that the path takes; ends of ranges are read as texts, and
  // YAML has numbers for those without a unit.
  const Json end{{"type", Json::array({"string", "number"})}};
  for (const char* line : {"axis", "line"}) {
    Json& keys = definitions[line]["properties"];
    keys["values"] =
        documented("one after the other", {{"type", Json::array({"array", "string", "number"})}});
    keys["from"] = documented("first value of a range", end);
    keys["to"] = documented("last value of a range", end);
  }
  return schema;
}

}  // namespace weft::sweep
