#include "tools/topo/dot.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "simcore/base/escape.hpp"
#include "tools/io/child_program.hpp"

namespace weft::topo {
namespace {

constexpr const char* kHead =
    "// Everything has its place: draw it with `dot -Kneato -n2 -Tsvg`, or -Tpdf, -Tpng.\n"
    "graph fabric {\n"
    "  graph [layout=neato, inputscale=72, outputorder=edgesfirst, splines=line, pad=0.3,\n"
    "         bgcolor=white];\n"
    "  node [fixedsize=true, margin=0, fontname=\"Helvetica,Arial,sans-serif\"];\n";

/// Text between double quotes. Lines of a label are joined by `\n` afterwards. Graphviz reads
/// `&#27;` as a character: the ampersand is one itself.
std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : escaped(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '&' ? std::string("&amp;") : std::string(1, c);
  }
  return result + "\"";
}

std::string label(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::string one = dot_string(line);
    text += (text.empty() ? "" : "\\n") + one.substr(1, one.size() - 2);
  }
  return "\"" + text + "\"";
}

void write_box(std::string& out, std::size_t number, const Picture::Box& box) {
  const bool has_border = box.pen > 0;
  const bool has_fill = std::string_view(box.fill) != "none";
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {} [pos=\"{:.1f},{:.1f}!\", width={:.3f}, height={:.3f}, fontsize={:g}",
                 box.id.empty() ? fmt::format("\"#{}\"", number) : dot_string(box.id), box.centre.x,
                 box.centre.y, box.width / 72, box.height / 72, box.font);
  fmt::format_to(to, ", label={}", label(box.text));
  if (has_border) {
    fmt::format_to(to, ", shape=box, color=\"{}\", penwidth={:.2f}", box.border, box.pen);
  } else {
    out += ", shape=plaintext";
  }
  if (has_border || has_fill) {
    fmt::format_to(to, ", style=\"{}{}{}\"", has_border ? "rounded" : "",
                   has_border && has_fill ? "," : "", has_fill ? "filled" : "");
  }
  if (has_fill) fmt::format_to(to, ", fillcolor=\"{}\"", box.fill);
  if (box.is_stack) out += ", peripheries=2";
  if (!box.tooltip.empty()) fmt::format_to(to, ", tooltip={}", dot_string(box.tooltip));
  out += "];\n";
}

void write_line(std::string& out, const Picture::Line& line) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {} -- {} [pos=\"", dot_string(line.from), dot_string(line.to));
  for (const Point& point : line.curve) fmt::format_to(to, "{:.1f},{:.1f} ", point.x, point.y);
  out.back() = '"';
  fmt::format_to(to, ", penwidth={:.2f}, color=\"{}\"{}, tooltip={}];\n", line.pen, line.colour,
                 line.is_dashed ? ", style=dashed" : "", dot_string(line.tooltip));
}

Error failure(std::string message) { return {std::move(message), {}}; }

}  // namespace

std::string dot_text(const Picture& picture) {
  std::string out = kHead;
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) write_box(out, i, picture.boxes[i]);
  for (const Picture::Line& line : picture.lines) write_line(out, line);
  return out + "}\n";
}

Result<std::string> render(const std::string& dot, const char* format) {
  const auto ran = run_program({"dot", "-Kneato", "-n2", std::string("-T") + format}, dot);
  if (!ran.ok()) return ran.errors();
  if (ran.value().is_missing()) {
    return failure(
        "pictures need Graphviz, whose program `dot` is not installed: apt-get install graphviz; "
        "`--format dot` works without");
  }
  const bool is_whole =
      std::string_view(format) != "svg" || ran.value().out.find("</svg>") != std::string::npos;
  if (ran.value().exit_code != 0 || ran.value().out.empty() || !is_whole) {
    return failure("Graphviz failed: " + ran.value().errors);
  }
  return ran.value().out;
}

}  // namespace weft::topo
