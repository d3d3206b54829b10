#include "tools/topo/dot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string_view>

namespace weft::topo {
namespace {

constexpr const char* kHead =
    "// Everything has its place: draw it with `dot -Kneato -n2 -Tsvg`, or -Tpdf, -Tpng.\n"
    "graph fabric {\n"
    "  graph [layout=neato, inputscale=72, outputorder=edgesfirst, splines=line, pad=0.3,\n"
    "         bgcolor=white];\n"
    "  node [fixedsize=true, margin=0, fontname=\"Helvetica,Arial,sans-serif\"];\n";

/// Text between double quotes. Lines of a label are joined by `\n` afterwards.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::string label(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::string one = quoted(line);
    text += (text.empty() ? "" : "\\n") + one.substr(1, one.size() - 2);
  }
  return "\"" + text + "\"";
}

void write_box(std::string& out, std::size_t number, const Picture::Box& box) {
  const bool has_border = box.pen > 0;
  const bool has_fill = std::string_view(box.fill) != "none";
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {} [pos=\"{:.1f},{:.1f}!\", width={:.3f}, height={:.3f}, fontsize={:g}",
                 box.id.empty() ? fmt::format("\"#{}\"", number) : quoted(box.id), box.centre.x,
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
  if (!box.tooltip.empty()) fmt::format_to(to, ", tooltip={}", quoted(box.tooltip));
  out += "];\n";
}

void write_line(std::string& out, const Picture::Line& line) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "  {} -- {} [pos=\"", quoted(line.from), quoted(line.to));
  for (const Point& point : line.curve) fmt::format_to(to, "{:.1f},{:.1f} ", point.x, point.y);
  out.back() = '"';
  fmt::format_to(to, ", penwidth={:.2f}, color=\"{}\"{}, tooltip={}];\n", line.pen, line.colour,
                 line.is_dashed ? ", style=dashed" : "", quoted(line.tooltip));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  std::array<char, 65536> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0;) {
    text.append(buffer.data(), n);
  }
  return text;
}

Error failure(std::string message) { return {std::move(message), {}}; }

/// Runs `dot` between these files. The exit code, or -1 if it ended by a signal; 127: no program.
int run_dot(std::FILE* in, std::FILE* out, std::FILE* errors) {
  // Not posix_spawn: a program that names `environ` gets a copy of the C library's variable, and
  // MPI, which is loaded with its own symbols first, would go on with the original.
  const pid_t child = ::fork();
  if (child < 0) return 127;
  if (child == 0) {
    ::dup2(::fileno(in), STDIN_FILENO);
    ::dup2(::fileno(out), STDOUT_FILENO);
    ::dup2(::fileno(errors), STDERR_FILENO);
    ::execlp("dot", "dot", "-Kneato", "-n2", "-Tsvg", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string dot_text(const Picture& picture) {
  std::string out = kHead;
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) write_box(out, i, picture.boxes[i]);
  for (const Picture::Line& line : picture.lines) write_line(out, line);
  return out + "}\n";
}

Result<std::string> render_svg(const std::string& dot) {
  const File in(std::tmpfile());
  const File out(std::tmpfile());
  const File errors(std::tmpfile());
  if (!in || !out || !errors) return failure("no temporary files can be made for Graphviz");
  const bool is_written = std::fwrite(dot.data(), 1, dot.size(), in.get()) == dot.size() &&
                          std::fflush(in.get()) == 0 && std::fseek(in.get(), 0, SEEK_SET) == 0;
  if (!is_written) return failure("temporary files for Graphviz cannot be written");
  const int code = run_dot(in.get(), out.get(), errors.get());
  if (code == 127) {
    return failure(
        "SVG needs Graphviz, whose program `dot` is not installed: apt-get install graphviz; "
        "`--format dot` works without");
  }
  std::string svg = contents(out.get());
  if (code != 0 || svg.find("</svg>") == std::string::npos) {
    return failure("Graphviz failed: " + contents(errors.get()));
  }
  return svg;
}

}  // namespace weft::topo
