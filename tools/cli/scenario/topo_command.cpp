#include "tools/cli/scenario/topo_command.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "scenarios/checks/odd/odd_ones.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/report/page.hpp"
#include "tools/topo/dot.hpp"
#include "tools/topo/highlight.hpp"
#include "tools/topo/picture.hpp"
#include "tools/topo/report.hpp"
#include "topologies/build_fabric.hpp"

namespace weft::cli {
namespace {

constexpr const char* kTopoHelp =
    "\nExamples:\n"
    "  weft topo scenarios/incast.yaml\n"
    "  weft topo scenarios/incast.yaml -o fabric.svg\n"
    "  weft topo scenarios/gpt3-175b.yaml -o fabric.html\n"
    "  weft topo scenarios/incast.yaml --set fabric.spines=8 --highlight h0:h39 -o "
    "paths.pdf\n"
    "  weft topo scenarios/incast.yaml --highlight h0:h39:0 -o path.svg\n"
    "  weft topo scenarios/incast.yaml --format json | jq .bisection\n"
    "  weft topo scenarios/incast.yaml --format dot | dot -Kneato -n2 -Tpng > fabric.png\n"
    "\nPictures: tiers in rows, hosts of a rack or domain in a frame with its switches; the lines\n"
    "between two boxes are one, wider the more they carry, with their number beside it. What is "
    "too\n"
    "many to read is drawn as one box with a double border and counted (--boxes). Slow links are\n"
    "dashed. Findings, such as a miswired cable or a switch with other settings than its peers, "
    "are\n"
    "orange, and listed with file and line. SVG, PNG and PDF need Graphviz (apt-get install "
    "graphviz).\n"
    "\nExit codes: 0 done, 1 the picture could not be made or written, 2 a bad scenario or "
    "command\n"
    "line.\n";

using Format = TopoCommand::Format;

/// By the end of a file's name.
Format format_of(const std::string& file) {
  static const std::vector<std::pair<std::string, Format>> endings{
      {".svg", Format::kSvg},  {".png", Format::kPng}, {".pdf", Format::kPdf},
      {".dot", Format::kDot},  {".gv", Format::kDot},  {".json", Format::kJson},
      {".html", Format::kHtml}};
  for (const auto& [end, format] : endings) {
    if (file.ends_with(end)) return format;
  }
  return Format::kText;
}

const char* graphviz_name(Format format) {
  if (format == Format::kPng) return "png";
  return format == Format::kPdf ? "pdf" : "svg";
}

}  // namespace

TopoCommand::TopoCommand(CLI::App& app) {
  topo_ = app.add_subcommand(
      "topo", "a scenario's fabric: tiers, paths, bisection, deadlock circles; or its picture");
  topo_->footer(kTopoHelp);
  add_scenario(*topo_, scenario_);
  add_overrides(*topo_, overrides_);
  add_choice<Format>(*topo_, "--format", format_,
                     {{"text", Format::kText},
                      {"dot", Format::kDot},
                      {"svg", Format::kSvg},
                      {"png", Format::kPng},
                      {"pdf", Format::kPdf},
                      {"html", Format::kHtml},
                      {"json", Format::kJson}},
                     "text (the default), dot (for Graphviz), svg, png, pdf (by Graphviz), html (a "
                     "page that zooms and finds nodes), or json with all nodes and links; the name "
                     "behind -o says it as well");
  topo_->add_option("-o,--out,--output", output_, "file to write (default: standard output)")
      ->type_name(kFile);
  topo_
      ->add_option("--highlight", highlight_,
                   "FROM:TO, two hosts by name or number: all paths between them; FROM:TO:N: the "
                   "path of queue pair N of a connection alone, by the ECMP hash")
      ->type_name("FROM:TO");
  topo_
      ->add_option("--boxes", boxes_,
                   "boxes side by side in a picture before the middle ones are put together")
      ->check(CLI::Range(4, 100'000))
      ->type_name("N")
      ->capture_default_str();
}

std::optional<int> TopoCommand::run() {
  if (!topo_->parsed()) return std::nullopt;
  if (format_ == Format::kAuto) format_ = format_of(output_);
  if (format_ == Format::kText || format_ == Format::kJson) {
    no_effect(*topo_, "--boxes", "on what is no picture");
  }
  if (format_ == Format::kJson) no_effect(*topo_, "--highlight", "on JSON, which has all links");
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
  std::vector<scenarios::OddOne> odd_ones =
      scenarios::find_odd_ones(loaded.value(), fabric.value());
  if (auto odd = scenarios::find_polarised(loaded.value(), fabric.value(), routes.value())) {
    odd_ones.push_back(std::move(*odd));
  }
  if (format_ == Format::kText || format_ == Format::kJson) {
    const topo::Report report = topo::report_on(
        fabric.value(), routes.value(), scenario.name,
        scenarios::hashing_of_classes(scenario, routes.value().hash), std::move(odd_ones));
    if (format_ == Format::kJson) return put(topo::report_json(fabric.value(), report), output_);
    std::string text = topo::report_text(report);
    if (highlight) text += topo::highlight_text(fabric.value(), *highlight);
    return put(text, output_);
  }
  topo::PictureOptions options{scenario.name, boxes_, highlight ? &*highlight : nullptr, {}};
  for (scenarios::OddOne& odd : odd_ones) {
    std::string text = scenarios::odd_one_text(odd);
    options.marks.push_back({std::move(odd.nodes), std::move(odd.ports), std::move(text)});
  }
  if (format_ == Format::kHtml) {
    options.lists_marks = false;  // the page has a list of its own
    std::ostringstream page;
    report::write_page(page, "weft topo: " + scenario.name,
                       report::topo_page_data(fabric.value(), options));
    const Errors problems = write_output(output_, page.str());
    return problems.empty() ? kSuccess : refuse(problems, kUnfinished);
  }
  const std::string dot = topo::dot_text(topo::draw_picture(fabric.value(), options));
  if (format_ == Format::kDot) return put(dot, output_);
  const auto picture = topo::render(dot, graphviz_name(format_));
  if (!picture) return refuse(picture.errors(), kUnfinished);
  const Errors errors = write_output(output_, picture.value());
  return errors.empty() ? kSuccess : refuse(errors, kUnfinished);
}

}  // namespace weft::cli
