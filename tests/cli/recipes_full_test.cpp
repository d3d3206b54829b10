// What the pages of the manual tell people to type, as written, page by page and in order.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "tests/cli/recipes.hpp"
#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = WEFT_SOURCE_DIR;

/// Programs that may be missing: then what they would do is skipped.
bool is_installed(const Program& program, const std::string& command) {
  const std::string name = command.substr(0, command.find(' '));
  if (name != "mpirun" && name != "sqlite3") return true;
  return program.wait_for(program.start({"bash", "-c", "command -v " + name})).exit_code == 0;
}

TEST(RecipesFull, EveryCommandOfThePagesRunsAsWritten) {
  // Open MPI starts neither as root nor more processes than cores unless told so.
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  const Program program("recipes full");
  for (const RecipePage& page : recipe_pages(kRoot)) {
    if (is_of_site(page.path)) continue;
    const fs::path folder = program.path(std::regex_replace(page.path, std::regex("/"), "-"));
    const RecipeFolder reader(kRoot, folder, page, "");
    for (const Recipe& recipe : page.recipes) {
      if (!is_installed(program, recipe.command)) continue;
      const Finished f = program.wait_for(program.start(reader.shell(recipe.command)));
      EXPECT_EQ(f.exit_code, 0) << page.path << ":" << recipe.line << ": " << recipe.command << "\n"
                                << f.err;
    }
  }
}

}  // namespace
}  // namespace weft::testing
