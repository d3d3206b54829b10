#include "tools/cli/expect/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "scenarios/output/summary.hpp"
#include "scenarios/results/coverage.hpp"
#include "scenarios/results/summary/former_names.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/text/plain_number.hpp"
#include "scenarios/text/text_file.hpp"
#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/cli/expect/every_job.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

using sweep::Expression;
using Json = nlohmann::ordered_json;

constexpr const char* kAccepted =
    "accepted are comparisons of numbers of summary.json, such as jobs.NAME.jct_seconds, with "
    "numbers, such as 1ms, 50Gbps, 5% or 3";

/// The run of `b.network.timeouts`, and its name there.
struct NameInRun {
  std::optional<std::size_t> run;
  std::string name;
};

NameInRun split(const std::string& name, std::size_t runs) {
  const bool has_letter = name.size() > 2 && name[1] == '.' && name[0] >= 'a';
  const auto run = static_cast<std::size_t>(name.empty() ? 0 : name[0] - 'a');
  if (runs < 2 || !has_letter || run >= runs) return {std::nullopt, name};
  return {run, name.substr(2)};
}

/// What names may leave away.
constexpr std::array<std::string_view, 2> kUnits{"_seconds", "_bytes_per_second"};

/// A number of that name with another word at its end, such as `jct_seconds` of `jct`, or with
/// words before it, such as `jobs.x.jct`; else that which is spelt most alike, with its unit or
/// without.
std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 6;
  std::vector<std::string> longer;
  std::vector<std::string> behind;
  std::vector<std::string> all;
  for (const std::string& known : names) {
    if (known.starts_with(name + "_") || known.starts_with(name + ".")) longer.push_back(known);
    std::string shorter = known;
    for (const std::string_view unit : kUnits) {
      if (known.ends_with(unit)) shorter.resize(known.size() - unit.size());
    }
    if (known.ends_with("." + name) || shorter.ends_with("." + name)) behind.push_back(known);
    if (shorter != known) all.push_back(std::move(shorter));
    all.push_back(known);
  }
  std::vector<std::string>& meant = longer.empty() ? behind : longer;
  if (meant.size() > kMax) meant.resize(kMax);
  if (meant.size() > 1) return "; there are " + listing(meant);
  return did_you_mean(name, meant.empty() ? all : meant);
}

Error error_in(const std::string& text, std::size_t place, const std::string& sentence) {
  return {.message =
              fmt::format("--expect: {}, character {}: {}", backquoted(text), place + 1, sentence),
          .where = {}};
}

/// Where a name stands in a text, and not as a part of another one; npos: nowhere.
std::size_t place_of(const std::string& text, const std::string& name) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("._-[]").find(c) != std::string_view::npos;
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return at;
  }
  return std::string::npos;
}

/// The same with names as summary.json has them: `jct` is short for `jct_seconds`.
std::string with_units(const Expression& expression, const std::vector<std::string>& names,
                       std::size_t runs) {
  const auto is_known = [&names](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::string text = expression.text();
  for (const std::string& name : expression.names()) {
    const std::string own = split(name, runs).name;
    if (is_known(own)) continue;
    for (const std::string_view unit : kUnits) {
      if (!is_known(own + std::string(unit))) continue;
      for (std::size_t at = place_of(text, name); at != std::string::npos;
           at = place_of(text, name)) {
        text.insert(at + name.size(), unit);
      }
      break;
    }
  }
  return text;
}

/// Where somebody wrote a name, with its unit or without.
std::size_t place_in(const std::string& said, const std::string& name) {
  std::size_t found = place_of(said, name);
  for (const std::string_view unit : kUnits) {
    if (found != std::string::npos) break;
    if (name.ends_with(unit)) found = place_of(said, name.substr(0, name.size() - unit.size()));
  }
  return found == std::string::npos ? 0 : found;
}

/// Names that are unknown, and those that say no run beside others that do. `said`: as it was
/// written.
Errors name_errors(const Expression& expression, const std::string& said,
                   const std::vector<std::string>& names, std::size_t runs) {
  Errors errors;
  const auto has_run = [runs](const std::string& name) {
    return split(name, runs).run.has_value();
  };
  const auto with_run = std::ranges::count_if(expression.names(), has_run);
  for (const std::string& name : expression.names()) {
    const std::size_t place = place_in(said, name);
    const std::string own = split(name, runs).name;
    if (std::ranges::find(names, own) == names.end()) {
      errors.push_back(error_in(
          said, place,
          "no number of summary.json is called " + backquoted(own) + suggestion(own, names)));
    } else if (with_run > 0 && !has_run(name)) {
      errors.push_back(error_in(
          said, place,
          backquoted(name) + " says no run beside names that do; put a., b. ... before it"));
    }
  }
  if (expression.names().empty()) {
    errors.push_back(error_in(said, 0, std::string("it names no number; ") + kAccepted));
  }
  return errors;
}

std::optional<double> number_at(const MeasuredRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.numbers, name, [](const auto& n) { return n.first; });
  return found == run.numbers.end() ? std::nullopt : found->second;
}

/// The job that a number is of, such as `x` of `jobs.x.jct_seconds`, `sizes.x.1.messages` or
/// `training.x.mfu`; empty: it is one of the run. Jobs may have dots in their names.
std::string job_of(const MeasuredRun& run, const std::string& name) {
  constexpr std::string_view kTime = ".jct_seconds";
  constexpr std::string_view kJobs = "jobs.";
  std::string found;
  for (const auto& [path, value] : run.numbers) {
    if (!path.starts_with(kJobs) || !path.ends_with(kTime)) continue;
    const std::string job = path.substr(kJobs.size(), path.size() - kJobs.size() - kTime.size());
    const std::size_t dot = name.find('.');
    const bool is_its = dot != std::string::npos && name.substr(dot + 1).starts_with(job + ".");
    const std::string list = name.substr(0, dot);
    const bool is_list =
        list == "jobs" || list == "sizes" || list == "training" || list == "isolated";
    if (is_list && is_its && job.size() > found.size()) found = job;
  }
  return found;
}

/// Why a number of a run says nothing of the whole run; empty: it does.
std::string cut_off_reason(const MeasuredRun& run, const std::string& name) {
  if (run.outcome == "finished") return {};
  const std::string job = job_of(run, name);
  if (!job.empty() && number_at(run, "jobs." + job + ".jct_seconds")) return {};
  const auto coverage =
      scenarios::coverage_at("messages.fct_seconds.p50", run.outcome,
                             [&run](const std::string& path) { return number_at(run, path); });
  const auto of = scenarios::cut_off_text(coverage);
  return fmt::format("the run was cut off ({}{}); --cut-off asks it nevertheless", run.outcome,
                     of ? ", " + *of : "");
}

std::string value_text(const std::string& name, const std::optional<double>& value) {
  if (!value) return "none";
  struct UnitStep {
    double factor;
    const char* unit;
  };
  constexpr int kDigits = 7;
  const std::string unit = sweep::metric_unit(name);
  std::vector<UnitStep> steps{{1, unit.c_str()}};
  if (unit == "s") steps = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
  if (unit == "B/s") steps = {{0.125, "bit/s"}, {0.125e6, "Mbps"}, {0.125e9, "Gbps"}};
  const UnitStep* step = &steps.front();
  for (const UnitStep& s : steps) {
    if (std::abs(*value) >= s.factor) step = &s;
  }
  std::string text = scenarios::plain_number(*value / step->factor, kDigits);
  if (*step->unit != '\0') text += std::string(" ") + step->unit;
  return text;
}

/// `run`: what names without a run are about.
Verdict judge_one(const Expression& expression, const std::vector<MeasuredRun>& runs,
                  std::size_t run, bool counts_cut_off) {
  Verdict verdict{.expectation = expression.text(), .run = {}, .values = {}, .because = {}};
  for (const std::string& name : expression.names()) {
    const NameInRun found = split(name, runs.size());
    if (!found.run) verdict.run = runs[run].name;
    const MeasuredRun& of = runs[found.run.value_or(run)];
    const std::optional<double> value = number_at(of, found.name);
    verdict.values.emplace_back(name, value);
    if (!verdict.because.empty()) continue;
    const std::string cut_off = cut_off_reason(of, found.name);
    if (!cut_off.empty() && (!counts_cut_off || !value)) {
      verdict.because = name + (value ? " is of a part: " : " has no value: ") +
                        (value ? cut_off : cut_off.substr(0, cut_off.find(';')));
    } else if (!value) {
      verdict.because = name + " has no value in this run";
    }
  }
  if (!verdict.because.empty()) return verdict;
  verdict.holds = expression.holds([&verdict](const std::string& name) -> sweep::Operand {
    const auto found =
        std::ranges::find(verdict.values, name, [](const auto& v) { return v.first; });
    return *found->second;
  });
  return verdict;
}

MeasuredRun measured_in(Json summary, std::string name) {
  std::string outcome = summary.value(scenarios::summary_keys::kOutcome, std::string());
  return {.name = std::move(name),
          .outcome = std::move(outcome),
          .numbers = sweep::numbers_of(std::move(summary))};
}

}  // namespace

MeasuredRun measured_run(const scenarios::Results& results, std::string name) {
  return measured_in(scenarios::summary_json(results), std::move(name));
}

Result<MeasuredRun> measured_run(const std::filesystem::path& folder) {
  auto summary = scenarios::read_json(folder / "summary.json");
  if (!summary.ok()) return summary.errors();
  scenarios::rename_former_results(summary.value());
  return measured_in(std::move(summary).value(), folder.string());
}

Result<Expectations> read_expectations(const std::vector<std::string>& expressions,
                                       const std::vector<std::string>& names, std::size_t runs) {
  Expectations expectations;
  Errors errors;
  std::vector<std::string> asked;
  for (const std::string& text : expressions) {
    auto each = of_every_name(text, names, runs);
    if (const auto* problem = std::get_if<sweep::ExpressionProblem>(&each)) {
      errors.push_back(error_in(text, problem->place, problem->sentence));
      continue;
    }
    for (std::string& one : std::get<0>(each)) asked.push_back(std::move(one));
  }
  for (const std::string& text : asked) {
    auto read = Expression::read(text, sweep::Dialect::kExpectation);
    if (const auto* problem = std::get_if<sweep::ExpressionProblem>(&read)) {
      errors.push_back(
          error_in(text, problem->place, "it " + problem->sentence + "; " + kAccepted));
      continue;
    }
    read = Expression::read(with_units(std::get<Expression>(read), names, runs),
                            sweep::Dialect::kExpectation);
    auto& expression = std::get<Expression>(read);
    const Errors wrong = name_errors(expression, text, names, runs);
    errors.insert(errors.end(), wrong.begin(), wrong.end());
    const std::string kinds = expression.unit_problem(
        [runs](const std::string& name) { return sweep::metric_unit(split(name, runs).name); });
    if (!kinds.empty()) {
      errors.push_back(error_in(text, 0, "it " + kinds + ", which are of different kinds"));
    }
    expectations.push_back(std::move(expression));
  }
  if (!errors.empty()) return errors;
  return expectations;
}

std::vector<Verdict> judge(const Expectations& expectations, const std::vector<MeasuredRun>& runs,
                           bool counts_cut_off) {
  std::vector<Verdict> verdicts;
  for (const Expression& expression : expectations) {
    const bool names_runs = std::ranges::any_of(
        expression.names(),
        [&runs](const std::string& name) { return split(name, runs.size()).run.has_value(); });
    const std::size_t times = names_runs ? 1 : runs.size();
    for (std::size_t run = 0; run < times; ++run) {
      verdicts.push_back(judge_one(expression, runs, run, counts_cut_off));
    }
  }
  return verdicts;
}

std::string Verdict::sentence() const {
  std::string text = run.empty() ? "" : run + ": ";
  text += "`" + expectation + "` " + (holds ? "holds" : "does not hold") + ": ";
  if (!because.empty()) return text + because;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [name, value] = values[i];
    text += fmt::format("{}{} is {}", i == 0 ? "" : ", ", name, value_text(name, value));
  }
  return text;
}

bool all_hold(const std::vector<Verdict>& verdicts) {
  return std::ranges::all_of(verdicts, &Verdict::holds);
}

Result<std::vector<Verdict>> judge_folders(const std::vector<std::string>& folders,
                                           const std::vector<std::string>& expressions,
                                           bool counts_cut_off) {
  if (expressions.empty()) return std::vector<Verdict>();
  std::vector<MeasuredRun> runs;
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    auto run = measured_run(std::filesystem::path(folder));
    if (!run) return run.errors();
    for (const auto& [name, value] : run.value().numbers) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    runs.push_back(std::move(run).value());
  }
  const auto expectations = read_expectations(expressions, names, runs.size());
  if (!expectations) return expectations.errors();
  return judge(expectations.value(), runs, counts_cut_off);
}

Json verdicts_json(const std::vector<Verdict>& verdicts) {
  Json all = Json::array();
  for (const Verdict& verdict : verdicts) {
    Json values = Json::object();
    for (const auto& [name, value] : verdict.values) {
      values[name] = value ? Json(*value) : Json(nullptr);
    }
    Json one{{"expectation", verdict.expectation}, {"holds", verdict.holds}};
    if (!verdict.run.empty()) one["run"] = verdict.run;
    one["values"] = std::move(values);
    if (!verdict.because.empty()) one["because"] = verdict.because;
    all.push_back(std::move(one));
  }
  return all;
}

void print_verdicts(const std::vector<Verdict>& verdicts, bool is_quiet) {
  for (const Verdict& verdict : verdicts) {
    if (!verdict.holds) {
      complain("expectation failed: " + verdict.sentence());
    } else if (!is_quiet) {
      print("  expectation: " + escaped(verdict.sentence()) + "\n");
    }
  }
}

}  // namespace weft::cli
