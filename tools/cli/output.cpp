#include "tools/cli/output.hpp"

#include <unistd.h>

#include "simcore/base/escape.hpp"
#include "tools/io/colour.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {

int refuse(const Errors& errors, ExitCode code) {
  print_errors(errors);
  return code;
}

int put(const std::string& text, const std::string& file, ExitCode failure) {
  if ((file.empty() || is_dash(file)) && has_colours(STDOUT_FILENO)) {
    print(text);
    return kSuccess;
  }
  const Errors errors = write_output(file, escaped_lines(text));
  return errors.empty() ? kSuccess : refuse(errors, failure);
}

bool is_folder(const std::string& option, const std::string& path) {
  if (!is_dash(path)) return true;
  complain(option + ": results are a folder, which standard output is not; `--json` prints them");
  return false;
}

void no_effect(const CLI::App& command, const std::string& option, const std::string& why) {
  if (command.count(option) > 0) complain(option + " has no effect " + why);
}

}  // namespace weft::cli
