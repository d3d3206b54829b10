#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/io/child_program.hpp"
#include "tools/io/output_file.hpp"
#include "tools/sweep/report/plot.hpp"

namespace weft::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxComplaint = 2'000;

struct PictureFormat {
  const char* suffix;
  const char* terminal;  ///< `noenhanced`: names are no markup
};

constexpr PictureFormat kFormats[] = {
    {".svg", "svg size 960,600 font 'DejaVu Sans,15' noenhanced background 'white'"},
    {".png", "pngcairo size 1440,900 font 'DejaVu Sans,18' noenhanced background 'white'"}};

/// gnuplot leaves `>` in texts as it is, which XML forbids after `]]` (XML 1.0, section 2.4). It
/// writes sections that end so for mouse scripts only.
std::string well_formed(std::string svg) {
  for (std::size_t at = 0; (at = svg.find("]]>", at)) != std::string::npos;) {
    svg.replace(at, 3, "]]&gt;");
  }
  return svg;
}

Result<std::string> render(const char* terminal, const std::string& commands) {
  // To standard output: no path of a file is ever part of what gnuplot reads. Its start-up files
  // are the user's own and would change what is drawn.
  const auto ran = run_program({"gnuplot", "-d"}, "set terminal " + std::string(terminal) + "\n" +
                                                      "set output\n" + commands);
  if (!ran.ok()) return ran.errors();
  if (ran.value().is_missing()) {
    return Error{"plots need gnuplot, which is not installed: apt-get install gnuplot-nox"};
  }
  if (ran.value().exit_code != 0 || ran.value().out.empty()) {
    return Error{"gnuplot failed: " + ran.value().errors.substr(0, kMaxComplaint)};
  }
  return std::string(terminal).starts_with("svg") ? well_formed(ran.value().out) : ran.value().out;
}

}  // namespace

Errors draw(const std::string& commands, const fs::path& base) {
  if (is_dash(base)) {
    const Result<std::string> picture = render(kFormats[0].terminal, commands);
    return picture.ok() ? write_output(base, picture.value()) : picture.errors();
  }
  std::error_code ignored;
  if (base.has_parent_path()) fs::create_directories(base.parent_path(), ignored);
  std::vector<OutputFile> files;
  for (const PictureFormat& format : kFormats) {
    const Result<std::string> picture = render(format.terminal, commands);
    if (!picture.ok()) return picture.errors();
    Result<OutputFile> file = OutputFile::open(base.string() + format.suffix);
    if (!file.ok()) return file.errors();
    file.value().stream() << picture.value();
    files.push_back(std::move(file).value());
  }
  return OutputFile::commit_all(files);
}

}  // namespace weft::sweep
