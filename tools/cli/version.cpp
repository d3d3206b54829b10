#include "tools/cli/version.hpp"

namespace weft::cli {

/// Of the checkout, in a file that the build writes; empty where there is none.
extern const char* const kCommit;

std::string version_line() { return "weft " WEFT_VERSION; }

std::string version_text(std::string_view what) {
  const std::string commit = kCommit;
  return version_line() + " (" + (commit.empty() ? "" : "commit " + commit + ", ") +
         std::string(what) + ")";
}

}  // namespace weft::cli
