#include "tools/cli/topo_command.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "scenarios/language/load_scenario.hpp"
#include "tools/cli/output.hpp"
#include "tools/topo/dot.hpp"
#include "tools/topo/highlight.hpp"
#include "tools/topo/picture.hpp"
#include "tools/topo/report.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::cli {
namespace {

constexpr const char* kHelp =
    "\nExamples:\n"
    "  weft topo scenarios/incast.yaml\n"
    "  weft topo scenarios/incast.yaml --output fabric.svg\n"
    "  weft topo scenarios/incast.yaml --set fabric.spines=8 --highlight h0:h39 --output "
    "paths.svg\n"
    "  weft topo scenarios/incast.yaml --highlight h0:h39:0 --output path.svg\n"
    "  weft topo scenarios/incast.yaml --format json | jq .bisection\n"
    "  weft topo scenarios/incast.yaml --format dot | dot -Kneato -n2 -Tpng > fabric.png\n"
    "\nPictures: tiers in rows, hosts of a rack or domain in a frame with its switches; the lines\n"
    "between two boxes are one, wider the more they carry, with their number beside it. What is "
    "too\n"
    "many to read is drawn as one box with a double border and counted (--boxes). Slow links are\n"
    "dashed. SVG needs Graphviz (apt-get install graphviz).\n"
    "\nExit codes: 0 done, 1 the picture could not be made or written, 2 a bad scenario or "
    "command\n"
    "line.\n";

}  // namespace

TopoCommand::TopoCommand(CLI::App& app) {
  topo_ = app.add_subcommand(
      "topo", "a scenario's fabric: tiers, paths, bisection, deadlock circles; or its picture");
  topo_->footer(kHelp);
  topo_->add_option("scenario", scenario_, "scenario file")->required();
  topo_->add_option("--set", overrides_, "path=value, as in run")->allow_extra_args(false);
  const std::map<std::string, Format> formats{{"text", Format::kText},
                                              {"dot", Format::kDot},
                                              {"svg", Format::kSvg},
                                              {"json", Format::kJson}};
  topo_
      ->add_option("--format", format_,
                   "text (the default), dot (for Graphviz), svg (by Graphviz), or json with all "
                   "nodes and links; --output FILE.svg says it as well")
      ->transform(CLI::CheckedTransformer(formats).description("text, dot, svg or json"));
  topo_->add_option("--output", output_, "file to write (default: standard output)");
  topo_->add_option("--highlight", highlight_,
                    "FROM:TO, two hosts by name or number: all paths between them; FROM:TO:N: the "
                    "path of queue pair N of a connection alone, by the ECMP hash");
  topo_
      ->add_option("--boxes", boxes_,
                   "boxes side by side in a picture before the middle ones are put together")
      ->check(CLI::Range(4, 100'000))
      ->capture_default_str();
}

std::optional<int> TopoCommand::run() {
  if (!topo_->parsed()) return std::nullopt;
  if (format_ == Format::kAuto) {
    format_ = Format::kText;
    if (output_.ends_with(".svg")) format_ = Format::kSvg;
    if (output_.ends_with(".dot") || output_.ends_with(".gv")) format_ = Format::kDot;
    if (output_.ends_with(".json")) format_ = Format::kJson;
  }
  return print();
}

int TopoCommand::print() const {
  const auto loaded = scenarios::load_scenario(scenario_, overrides_);
  if (!loaded) return refuse(loaded.errors());
  const scenarios::Scenario& scenario = loaded.value().scenario;
  const auto fabric = scenarios::build_scenario_fabric(scenario);
  if (!fabric) return refuse(loaded.value().located(fabric.errors()));
  const auto routes = topologies::build_routes(fabric.value(), scenario.topology);
  if (!routes) return refuse(loaded.value().located(routes.errors()));

  std::optional<topo::Highlight> highlight;
  if (!highlight_.empty()) {
    auto found = topo::find_highlight(fabric.value(), routes.value(), scenario.seed, highlight_);
    if (!found) return refuse(found.errors());
    highlight = std::move(found).value();
  }
  if (format_ == Format::kText || format_ == Format::kJson) {
    const topo::Report report = topo::report_on(fabric.value(), routes.value(), scenario.name);
    if (format_ == Format::kJson) return put(topo::report_json(fabric.value(), report), output_);
    std::string text = topo::report_text(report);
    if (highlight) text += topo::highlight_text(fabric.value(), *highlight);
    return put(text, output_);
  }
  const topo::PictureOptions options{scenario.name, boxes_, highlight ? &*highlight : nullptr};
  const std::string dot = topo::dot_text(topo::draw_picture(fabric.value(), options));
  if (format_ == Format::kDot) return put(dot, output_);
  const auto svg = topo::render_svg(dot);
  return svg ? put(svg.value(), output_) : refuse(svg.errors(), kUnfinished);
}

}  // namespace weft::cli
