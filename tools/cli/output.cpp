#include "tools/cli/output.hpp"

#include "simcore/base/escape.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {

int refuse(const Errors& errors, ExitCode code) {
  print_errors(errors);
  return code;
}

int put(const std::string& text, const std::string& file, ExitCode failure) {
  const Errors errors = write_output(file, escaped_lines(text));
  return errors.empty() ? kSuccess : refuse(errors, failure);
}

}  // namespace weft::cli
