#include "tools/cli/output.hpp"

#include <cstdio>

#include "tools/print_errors.hpp"
#include "tools/sweep/export.hpp"

namespace weft::cli {

int refuse(const Errors& errors, ExitCode code) {
  print_errors(errors);
  return code;
}

int put(const std::string& text, const std::string& file, ExitCode failure) {
  if (!file.empty()) {
    const Errors errors = sweep::write_whole(file, text);
    return errors.empty() ? kSuccess : refuse(errors, failure);
  }
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!is_written) std::fprintf(stderr, "weft: standard output cannot be written\n");
  return is_written ? kSuccess : kUnfinished;
}

}  // namespace weft::cli
