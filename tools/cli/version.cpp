#include "tools/cli/version.hpp"

#include "tools/sweep/run/mpi_link.hpp"

namespace weft::cli {

/// Of the checkout, in a file that the build writes; empty where there is none.
extern const char* const kCommit;

std::string version_line() { return "weft " WEFT_VERSION; }

std::string version_text() {
  const std::string commit = kCommit;
  return version_line() + " (" + (commit.empty() ? "" : "commit " + commit + ", ") +
         sweep::mpi_support() + ")";
}

}  // namespace weft::cli
