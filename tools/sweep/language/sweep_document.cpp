#include "tools/sweep/language/sweep_document.hpp"

#include <vector>

#include "simcore/schema/schema_builder.hpp"

namespace weft::sweep {
namespace {

using schema::Problem;

constexpr std::uint64_t kMaxSteps = 100'000;
constexpr std::uint64_t kMaxSamples = 1'000'000;

void check_line(const LineDocument& line, std::vector<Problem>& problems) {
  const bool has_range = !line.from.empty() || !line.to.empty() || line.steps;
  if (!line.values.empty() && has_range) {
    problems.push_back({"values", "given together with from, to or steps; one of them is needed"});
  } else if (line.values.empty() && !has_range) {
    problems.push_back({"values", "is missing; an axis needs values, or from, to and steps"});
  } else if (has_range && line.from.empty()) {
    problems.push_back({"from", "is missing beside to and steps"});
  } else if (has_range && line.to.empty()) {
    problems.push_back({"to", "is missing beside from and steps"});
  }
}

schema::Builder<LineDocument> line_builder(const char* title) {
  return schema::describe<LineDocument>(title, "one path and the values it takes")
      .field("path", &LineDocument::path, "of the scenario, such as fabric.ecn.kmin")
      .field("name", &LineDocument::name, "what plots, tables and constraints call it")
      .source("the last word of the path, or the path where that is not unique")
      .words("values", &LineDocument::values, "one after the other")
      .field("from", &LineDocument::from, "first value of a range")
      .field("to", &LineDocument::to, "last value of a range")
      .field("steps", &LineDocument::steps, "how many values, with both ends")
      .source("needed for a range, unless the strategy is random")
      .range(2, kMaxSteps)
      .choice("scale", &LineDocument::scale,
              {{LineDocument::Scale::kLinear, "linear", "equal differences"},
               {LineDocument::Scale::kLog, "log", "equal ratios"}},
              "how the values of a range are spaced")
      .source("equal differences");
}

schema::Object<LineDocument> line_schema() {
  return line_builder("line").check([](const LineDocument& line, std::vector<Problem>& problems) {
    if (line.path.empty()) problems.push_back({"path", "is missing; expected a path"});
    check_line(line, problems);
  });
}

schema::Object<AxisDocument> axis_schema() {
  return schema::describe<AxisDocument>("axis", "what varies: one path, or several in step")
      .include(&AxisDocument::line, line_builder("axis"))
      .objects("zip", &AxisDocument::zip, line_schema(),
               "paths that advance together; they have equally many values")
      .source("the axis is a single path")
      .check([](const AxisDocument& axis, std::vector<Problem>& problems) {
        const LineDocument& line = axis.line;
        const bool has_line = !line.path.empty() || !line.values.empty() || !line.from.empty();
        if (axis.zip.empty() && line.path.empty()) {
          problems.push_back({"path", "is missing; expected a path such as fabric.ecn.kmin"});
        } else if (!axis.zip.empty() && has_line) {
          problems.push_back({"zip", "given together with a path; one of them is needed"});
        } else if (axis.zip.empty()) {
          check_line(line, problems);
        }
      });
}

schema::Object<ObjectiveDocument> objective_schema() {
  return schema::describe<ObjectiveDocument>("objective", "a result that matters")
      .field("metric", &ObjectiveDocument::metric,
             "a number of summary.json, such as messages.fct_seconds.p99 or jobs.NAME.jct_seconds")
      .required()
      .field("name", &ObjectiveDocument::name, "what plots and tables call it")
      .source("the metric")
      .choice("goal", &ObjectiveDocument::goal,
              {{ObjectiveDocument::Goal::kMin, "min", "the smaller the better"},
               {ObjectiveDocument::Goal::kMax, "max", "the larger the better"}},
              "which direction is good")
      .source("most results are times and losses")
      .shorthand("metric");
}

schema::Object<ChoiceDocument> choice_schema() {
  using Choice = ChoiceDocument;
  return schema::describe<Choice>("choice", "all points are estimated, the best are simulated")
      .field("best", &Choice::best, "how many combinations are simulated, with all their seeds")
      .required()
      .range(0, kMaxSamples)
      .field("by", &Choice::by, "the estimate that ranks, such as estimate.jobs.NAME.step_seconds")
      .required()
      .choice("goal", &Choice::goal,
              {{ObjectiveDocument::Goal::kMin, "min", "the smaller the better"},
               {ObjectiveDocument::Goal::kMax, "max", "the larger the better"}},
              "which direction is good")
      .source("most estimates are times")
      .words(
          "slice", &Choice::slice,
          "path=value, as for --set, of what is simulated only, such as fewer layers; ratios are "
          "to the estimate of that")
      .source("what was estimated is simulated");
}

schema::Object<SamplingDocument> sampling_schema() {
  return schema::describe<SamplingDocument>("random", "combinations drawn at random")
      .field("samples", &SamplingDocument::samples, "how many")
      .required()
      .range(1, kMaxSamples)
      .field("seed", &SamplingDocument::seed, "of the draws; independent of the scenario's")
      .source("any number serves");
}

schema::Object<BisectionDocument> bisection_schema() {
  using Bisect = BisectionDocument;
  return schema::describe<Bisect>("bisect", "the smallest value for which a condition holds")
      .field("path", &Bisect::path, "what is varied")
      .required()
      .field("name", &Bisect::name, "what plots and tables call it")
      .source("the last word of the path")
      .field("low", &Bisect::low, "below the threshold, usually")
      .required()
      .field("high", &Bisect::high, "where the condition holds, usually")
      .required()
      .field("tolerance", &Bisect::tolerance, "the threshold is known within this")
      .required()
      .field("condition", &Bisect::condition,
             "of the results, such as network.buffer_drops == 0; with several seeds it must hold "
             "for all")
      .required()
      .field("cut_off", &Bisect::cut_off,
             "percentiles of runs that were cut off count like all others; where they do not, what "
             "the condition compares with one does not hold")
      .source("the messages that take longest are not in them");
}

schema::Object<SweepDocument> strategy_schema() {
  const auto strategy = [](SweepDocument & d) -> auto& { return d.strategy; };
  return schema::describe<SweepDocument>("strategy", "which combinations are run")
      .optional_tag("type", 0, "which combinations")
      .alternative<GridDocument>("grid", strategy,
                                 schema::describe<GridDocument>("grid", "every combination"))
      .alternative<SamplingDocument>("random", strategy, sampling_schema())
      .alternative<BisectionDocument>("bisect", strategy, bisection_schema())
      .shorthand("type");
}

}  // namespace

schema::Object<SweepDocument> sweep_schema() {
  return schema::describe<SweepDocument>("weft sweep", "one scenario, run many times")
      .constant("sweep", "1", "version of the sweep language")
      .source("the only version")
      .field("name", &SweepDocument::name, "letters, digits and . _ - ; names the results")
      .required()
      .field("scenario", &SweepDocument::scenario,
             "a scenario file beside this one, or the scenario itself")
      .required()
      .objects("axes", &SweepDocument::axes, axis_schema(), "what varies; every combination runs")
      .source("nothing, or what points, seeds and strategy say")
      .words("seeds", &SweepDocument::seeds,
             "each point runs once per seed: how many (from 1), or a list")
      .source("the seed of the scenario")
      .words("constraints", &SweepDocument::constraints,
             "conditions on names of axes or paths, such as kmin < kmax; points that break one are "
             "left out")
      .source("none")
      .objects("objectives", &SweepDocument::objectives, objective_schema(),
               "what the summary is about")
      .source("messages.fct_seconds.p99 and simulated_seconds, or what points are chosen by")
      .object("choose", &SweepDocument::choose, choice_schema(),
              "points are estimated in closed form, and only the best of them simulated")
      .source("all points are simulated")
      .field(
          "isolated", &SweepDocument::isolated,
          "each job of a point runs alone, too: how much slower it is beside the others is among "
          "the results, such as isolated.NAME.slowdown")
      .source("takes up to twice as long")
      .group("strategy", strategy_schema(), "which combinations are run")
      .source("every combination");
}

}  // namespace weft::sweep
