#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>

#include "tools/sweep/plot.hpp"

namespace weft::sweep {
namespace {

namespace fs = std::filesystem;

/// A path between gnuplot's single quotes, where nothing but the quote is special.
std::string path_text(const fs::path& path) {
  std::string result = "'";
  for (const char c : path.string()) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

Errors run_gnuplot(const std::string& script, const fs::path& errors_file) {
  // A shell only for the redirection; its one argument is quoted for it.
  std::string quoted_file;
  for (const char c : errors_file.string()) {
    quoted_file += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  const std::string command = "gnuplot >'" + quoted_file + "' 2>&1";
  std::signal(SIGPIPE, SIG_IGN);
  std::FILE* pipe = ::popen(command.c_str(), "w");
  if (pipe == nullptr) return {{"gnuplot cannot be started", {}}};
  std::fputs(script.c_str(), pipe);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return {{"plots need gnuplot, which is not installed: apt-get install gnuplot-nox", {}}};
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return {{"gnuplot failed; what it said is in " + errors_file.string(), {}}};
  }
  std::error_code error;
  fs::remove(errors_file, error);
  return {};
}

}  // namespace

Errors draw(const std::string& commands, const fs::path& base) {
  const std::string suffix = ".partial." + std::to_string(::getpid());
  const fs::path svg = base.string() + ".svg";
  const fs::path png = base.string() + ".png";
  std::error_code error;
  if (base.has_parent_path()) fs::create_directories(base.parent_path(), error);
  const std::string script =
      "set terminal svg size 960,600 font 'DejaVu Sans,15' noenhanced background 'white'\n"
      "set output " +
      path_text(svg.string() + suffix) + "\n" + commands + "set output\n" +
      "set terminal pngcairo size 1440,900 font 'DejaVu Sans,18' noenhanced background 'white'\n" +
      "set output " + path_text(png.string() + suffix) + "\nreplot\nset output\n";
  Errors errors = run_gnuplot(script, base.string() + ".gnuplot-errors");
  for (const fs::path& file : {svg, png}) {
    const fs::path partial = file.string() + suffix;
    if (errors.empty()) {
      const bool is_there = fs::exists(partial, error) && fs::file_size(partial, error) > 0;
      if (is_there) fs::rename(partial, file, error);
      if (!is_there || error) errors.push_back({"cannot be written", {file.string(), 0, 0, {}}});
    }
    fs::remove(partial, error);
  }
  return errors;
}

}  // namespace weft::sweep
