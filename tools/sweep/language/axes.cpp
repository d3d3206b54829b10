#include "tools/sweep/language/axes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "scenarios/language/schemas/document.hpp"
#include "scenarios/language/yaml/scalar_text.hpp"
#include "simcore/schema/schema.hpp"
#include "simcore/text/quantity_text.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::sweep {
namespace {

using language::child_path;
using language::element_path;
using language::PathStep;

constexpr std::uint64_t kMaxSeeds = 1'000'000;

/// The field at a path, in whatever alternative has it.
const schema::Field* find_field(const schema::AnyObject& object, std::span<const PathStep> steps) {
  if (steps.empty() || steps.front().is_index) return nullptr;
  const schema::Field* field = object.find(steps.front().key);
  std::span<const PathStep> rest = steps.subspan(1);
  while (!rest.empty() && rest.front().is_index) rest = rest.subspan(1);
  if (field != nullptr) {
    if (rest.empty()) return field;
    return field->object ? find_field(*field->object, rest) : nullptr;
  }
  for (const schema::Alternative& alternative : object.alternatives) {
    if (const schema::Field* found = find_field(*alternative.object, steps)) return found;
  }
  return nullptr;
}

/// `jobs[0].size` -> `size`.
std::string last_word(const std::string& path) {
  const std::vector<PathStep> steps = language::parse_path(path);
  const auto word = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const PathStep& step) { return !step.is_index; });
  return word == steps.rend() ? path : word->key;
}

class Builder {
 public:
  Builder(const AxisContext& context, Sweep& sweep) : context_(context), sweep_(sweep) {}

  void build() {
    for (std::size_t i = 0; i < context_.document.axes.size(); ++i) {
      const AxisDocument& axis = context_.document.axes[i];
      const std::string path = element_path("axes", i);
      if (axis.zip.empty()) {
        add_line(axis.line, path);
      } else {
        add_zip(axis.zip, child_path(path, "zip"));
      }
    }
    if (context_.points != nullptr) add_points();
    if (const auto* bisect = std::get_if<BisectionDocument>(&context_.document.strategy)) {
      add_parameter(bisect->path, bisect->name, "strategy.path");
    }
    add_seeds();
    name_parameters();
    find_units();
  }

 private:
  std::size_t add_parameter(const std::string& path, const std::string& name,
                            const std::string& key) {
    if (language::parse_path(path).empty()) {
      context_.fail(key,
                    backquoted(path) + " is not a path of the scenario such as fabric.ecn.kmin");
    }
    for (const Parameter& other : sweep_.parameters) {
      if (other.path == path) context_.fail(key, "`" + path + "` is varied twice");
    }
    for (const std::string& set : sweep_.overrides) {
      if (set.starts_with(path + "=")) {
        context_.fail(key, "`" + path + "` is varied by the sweep and given by --set as well");
      }
    }
    sweep_.parameters.push_back({path, name, {}, false});
    return sweep_.parameters.size() - 1;
  }

  [[nodiscard]] language::Mark mark_of(const std::string& path) const {
    return language::locate(context_.root, path).mark;
  }

  std::vector<Value> values_of(const LineDocument& line, const std::string& path,
                               std::optional<Range>& range) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      const std::string item = element_path(child_path(path, "values"), i);
      values.push_back(Value::of(line.values[i], mark_of(item)));
    }
    if (!line.values.empty()) return values;
    range = range_of(line, path);
    if (!range) return values;
    const bool is_random = std::holds_alternative<SamplingDocument>(context_.document.strategy);
    if (!line.steps) {
      if (!is_random) {
        context_.fail(child_path(path, "steps"), "is missing; a range needs a number of steps");
      }
      return values;
    }
    for (std::uint32_t i = 0; i < *line.steps; ++i) {
      Value value = Value::of(range->at(static_cast<double>(i) / (*line.steps - 1)), mark_of(path));
      const bool is_new = values.empty() || values.back().text != value.text;
      if (is_new) values.push_back(std::move(value));
    }
    return values;
  }

  std::optional<Range> range_of(const LineDocument& line, const std::string& path) {
    const auto from = read_number(context_, line.from, child_path(path, "from"));
    const auto to = read_number(context_, line.to, child_path(path, "to"));
    if (!from || !to) return std::nullopt;
    if (from->dimension != to->dimension) {
      context_.fail(child_path(path, "to"),
                    "`" + line.to + "` is not the kind of quantity that `" + line.from + "` is");
      return std::nullopt;
    }
    const bool is_log = line.scale == LineDocument::Scale::kLog;
    if (is_log && (from->value <= 0 || to->value <= 0)) {
      context_.fail(path, "a range with `scale: log` must begin and end above zero");
      return std::nullopt;
    }
    return Range{*from, *to, is_log, is_integer_path(line.path)};
  }

  void add_line(const LineDocument& line, const std::string& path) {
    Axis axis;
    axis.parameters.push_back(add_parameter(line.path, line.name, child_path(path, "path")));
    for (Value& value : values_of(line, path, axis.range)) axis.rows.push_back({std::move(value)});
    sweep_.axes.push_back(std::move(axis));
  }

  void add_zip(const std::vector<LineDocument>& lines, const std::string& path) {
    Axis axis;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string line_path = element_path(path, i);
      axis.parameters.push_back(
          add_parameter(lines[i].path, lines[i].name, child_path(line_path, "path")));
      std::optional<Range> range;
      const std::vector<Value> values = values_of(lines[i], line_path, range);
      if (i == 0) axis.rows.resize(values.size());
      if (values.size() != axis.rows.size()) {
        context_.fail(line_path, "has " + std::to_string(values.size()) + " values and the first " +
                                     std::to_string(axis.rows.size()) +
                                     "; zipped paths have equally many");
        return;
      }
      for (std::size_t row = 0; row < values.size(); ++row) axis.rows[row].push_back(values[row]);
    }
    sweep_.axes.push_back(std::move(axis));
  }

  /// Explicit points: maps from path to value, all with the same keys.
  void add_points() {
    const language::Node& list = *context_.points;
    if (list.kind != language::Node::Kind::kList || list.items.empty()) {
      context_.diagnostics.add(list.mark, "points",
                               "found " + list.description() +
                                   "; expected a list of maps such as {fabric.ecn.kmin: 100KB}");
      return;
    }
    Axis axis;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const language::Node& item = list.items[i];
      if (item.kind != language::Node::Kind::kMap || item.entries.empty()) {
        context_.diagnostics.add(
            item.mark, element_path("points", i),
            "found " + item.description() + "; expected a map such as {fabric.ecn.kmin: 100KB}");
        return;
      }
      if (i == 0) {
        for (const language::Node::Entry& entry : item.entries) {
          axis.parameters.push_back(add_parameter(entry.key, {}, "points"));
        }
      }
      if (!add_point(item, element_path("points", i), axis)) return;
    }
    sweep_.axes.push_back(std::move(axis));
  }

  bool add_point(const language::Node& item, const std::string& path, Axis& axis) {
    std::vector<Value>& row = axis.rows.emplace_back();
    for (const std::size_t parameter : axis.parameters) {
      const std::string& key = sweep_.parameters[parameter].path;
      const language::Node* value = item.find(key);
      if (value == nullptr) {
        context_.diagnostics.add(item.mark, path, "lacks `" + key + "`, which the first point has");
        return false;
      }
      row.push_back(Value::of(flow_text(*value), value->mark));
    }
    if (item.entries.size() == axis.parameters.size()) return true;
    context_.diagnostics.add(item.mark, path, "has a path that the first point lacks");
    return false;
  }

  void add_seeds() {
    const std::vector<std::string>& words = context_.document.seeds;
    if (words.empty()) return;
    const language::Located list = language::locate(context_.root, "seeds[0]");
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::uint64_t number = 0;
      const char* end = words[i].data() + words[i].size();
      const auto [stop, error] = std::from_chars(words[i].data(), end, number);
      if (error != std::errc() || stop != end) {
        context_.fail("seeds", backquoted(words[i]) + " is not a whole number");
        return;
      }
      sweep_.seeds.push_back(number);
    }
    if (!list.is_exact) {
      const std::uint64_t count = sweep_.seeds.front();
      if (count == 0 || count > kMaxSeeds) {
        context_.fail("seeds", "is a number of seeds from 1 to " + std::to_string(kMaxSeeds) +
                                   ", or a list of seeds");
        return;
      }
      sweep_.seeds.clear();
      for (std::uint64_t seed = 1; seed <= count; ++seed) sweep_.seeds.push_back(seed);
    }
    std::vector<std::uint64_t> sorted = sweep_.seeds;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      context_.fail("seeds", "has a seed twice");
    }
    add_parameter("seed", "seed", "seeds");
    sweep_.parameters.back().is_seed = true;
  }

  void name_parameters() {
    std::vector<Parameter>& parameters = sweep_.parameters;
    std::vector<std::string> words;
    words.reserve(parameters.size());
    for (const Parameter& p : parameters) {
      words.push_back(p.name.empty() ? last_word(p.path) : p.name);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool is_unique = std::ranges::count(words, words[i]) == 1;
      if (parameters[i].name.empty()) {
        parameters[i].name = is_unique ? words[i] : parameters[i].path;
      } else if (!is_unique) {
        context_.fail("axes", "the name `" + words[i] + "` is given to two axes");
      }
    }
  }

  void find_units() {
    const schema::AnyObject& schema = language::document_schema().any();
    for (Parameter& parameter : sweep_.parameters) {
      const schema::Field* field = find_field(schema, language::parse_path(parameter.path));
      if (field == nullptr || field->dimension == nullptr) continue;
      parameter.unit = Number{0, field->dimension, 0}.unit();
    }
  }

  const AxisContext& context_;
  Sweep& sweep_;
};

}  // namespace

std::string flow_text(const language::Node& node) {
  switch (node.kind) {
    case language::Node::Kind::kNull:
      return "~";
    case language::Node::Kind::kScalar:
      return language::yaml_text(node.text);
    case language::Node::Kind::kList: {
      std::string text = "[";
      for (const language::Node& item : node.items) {
        text += (text.size() > 1 ? ", " : "") + flow_text(item);
      }
      return text + "]";
    }
    case language::Node::Kind::kMap: {
      std::string text = "{";
      for (const language::Node::Entry& entry : node.entries) {
        text += (text.size() > 1 ? ", " : "") + language::yaml_text(entry.key) + ": " +
                flow_text(entry.value);
      }
      return text + "}";
    }
  }
  return {};
}

bool is_known_path(const std::string& path) {
  return find_field(language::document_schema().any(), language::parse_path(path)) != nullptr;
}

bool is_integer_path(const std::string& path) {
  const schema::Field* field =
      find_field(language::document_schema().any(), language::parse_path(path));
  return field != nullptr && field->kind == schema::Kind::kInteger;
}

std::optional<Number> read_number(const AxisContext& context, const std::string& text,
                                  const std::string& key) {
  const std::optional<Number> number = parse_number(text);
  if (!number) {
    context.fail(key, backquoted(text) +
                          " is not a number, with a unit where it needs one (100KB, 10us, 0.5)");
  }
  return number;
}

void build_axes(const AxisContext& context, Sweep& sweep) { Builder(context, sweep).build(); }

}  // namespace weft::sweep
