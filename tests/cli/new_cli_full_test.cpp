// All machines of the catalogue times all fabrics times all jobs.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

TEST(NewFull, TheWholeProductIsValidOrRefused) {
  const Program program("new product");
  std::istringstream names(program.run({"list", "servers", "--names"}).out);
  int tried = 0;
  for (std::string machine; std::getline(names, machine);) {
    for (const std::string fabric : {"", "rail-optimised", "leaf-spine"}) {
      for (const std::string job : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                    "broadcast", "incast", "permutation", "training"}) {
        std::vector<std::string> command{"new", "--machine", machine, "--job", job};
        if (!fabric.empty()) command.insert(command.end(), {"--fabric", fabric});
        ++tried;
        const Finished f = program.run(command);
        if (f.exit_code == 2 && !f.err.empty()) continue;
        ASSERT_EQ(f.exit_code, 0) << machine << " " << fabric << " " << job << ": " << f.err;
        program.folder().write("x.yaml", f.out);
        const Finished checked = program.run({"check", "x.yaml"});
        EXPECT_EQ(checked.exit_code, 0) << machine << " " << fabric << " " << job << checked.err;
      }
    }
  }
  EXPECT_GT(tried, 300);
}

}  // namespace
}  // namespace weft::testing
