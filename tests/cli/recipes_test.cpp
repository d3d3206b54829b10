// What the pages of the manual tell people to type is accepted. The full tests run it as written;
// here runs end after a microsecond, and sweeps are counted instead of run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "tests/cli/recipes.hpp"
#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kRoot = WEFT_SOURCE_DIR;

/// Runs are cut, but for those of which something is expected; what reads a sweep's results is not
/// asked, since there are none. Culprits take ten seconds to find: operators_cli_test.cpp has that.
const std::string kShort = R"(#!/bin/bash
case "$1" in
run)
  [[ " $* " == *" --expect "* ]] && exec ")" WEFT_PROGRAM R"(" "$@"
  ")" WEFT_PROGRAM R"(" "$@" --set run.until=1us || exit
  # Under the name that they have without it.
  shopt -s nullglob
  for results in results/*-run.until=1us; do
    rm -rf "${results%-run.until=1us}"
    mv "$results" "${results%-run.until=1us}"
  done
  ;;
sweep) exec ")" WEFT_PROGRAM R"(" "$@" --dry-run --set run.until=1us --set run.warmup=0us ;;
summarize | plot | export | diagnose) exec ")" WEFT_PROGRAM R"(" "$1" --help ;;
*) exec ")" WEFT_PROGRAM R"(" "$@" ;;
esac
)";

/// What needs the results of a sweep, or another program that starts it.
bool needs_a_sweep(const std::string& command) {
  return command.starts_with("sqlite3 ") || command.starts_with("mpirun ");
}

TEST(Recipes, EveryCommandOfThePagesIsAccepted) {
  const Program program("recipes");
  const auto pages = recipe_pages(kRoot);
  std::size_t commands = 0;
  for (const RecipePage& page : pages) {
    if (is_of_site(page.path)) continue;
    const fs::path folder = program.path(std::regex_replace(page.path, std::regex("/"), "-"));
    const RecipeFolder reader(kRoot, folder, page, kShort);
    for (const Recipe& recipe : page.recipes) {
      if (needs_a_sweep(recipe.command)) continue;
      const Finished f = program.wait_for(program.start(reader.shell(recipe.command)));
      EXPECT_EQ(f.exit_code, 0) << page.path << ":" << recipe.line << ": " << recipe.command << "\n"
                                << f.err;
      ++commands;
    }
  }
  EXPECT_GE(pages.size(), 7U);
  EXPECT_GE(commands, 20U);
}

// zsh takes `jobs[0]` for a pattern of file names, and ends where none fits.
TEST(Recipes, BracketsAreQuoted) {
  static const std::regex quoted("'[^']*'|\"[^\"]*\"");
  for (const RecipePage& page : recipe_pages(kRoot)) {
    for (const Recipe& recipe : page.recipes) {
      EXPECT_EQ(std::regex_replace(recipe.command, quoted, "").find('['), std::string::npos)
          << page.path << ":" << recipe.line << ": " << recipe.command;
    }
  }
}

/// The options that the help of each command names.
class Options {
 public:
  explicit Options(const Program& program) : program_(program) {}

  bool has_command(const std::string& command) { return !help_of(command).empty(); }
  bool has(const std::string& command, const std::string& option) {
    return std::regex_search(help_of(command), std::regex(option + "\\b"));
  }

 private:
  const std::string& help_of(const std::string& command) {
    const auto [at, is_new] = helps_.try_emplace(command);
    if (!is_new) return at->second;
    const Finished f = program_.run({command, "--help"});
    if (f.exit_code == 0) at->second = f.out;
    return at->second;
  }

  const Program& program_;
  std::map<std::string, std::string> helps_;
};

// `weft topo --json` was on two pages, and is no option.
TEST(Recipes, EveryCommandAndOptionThatPagesNameExists) {
  const Program program("options");
  Options options(program);
  static const std::regex code("`(?:build/)?weft ([a-z-]+)([^`]*)`");
  static const std::regex option("--[a-z][a-z-]*");
  std::size_t named = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot)) {
    const std::string path = entry.path().lexically_relative(kRoot).string();
    if (!is_manual_page(path)) continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator(in), {}};
    for (std::sregex_iterator at(text.begin(), text.end(), code), end; at != end; ++at) {
      const std::string command = (*at)[1];
      const std::string rest = (*at)[2];
      EXPECT_TRUE(options.has_command(command)) << path << ": " << at->str();
      for (std::sregex_iterator word(rest.begin(), rest.end(), option); word != end; ++word) {
        EXPECT_TRUE(options.has(command, word->str())) << path << ": " << at->str();
        ++named;
      }
    }
  }
  EXPECT_GT(named, 40U);
}

/// The words behind each `--set` of a line, as a shell takes them.
std::vector<std::string> settings_of(const std::string& line) {
  static const std::regex setting("--set ((?:[^ \"']|\"[^\"]*\"|'[^']*')+)");
  std::vector<std::string> settings;
  for (std::sregex_iterator at(line.begin(), line.end(), setting), end; at != end; ++at) {
    settings.push_back(std::regex_replace(at->str(1), std::regex("[\"']"), ""));
  }
  return settings;
}

// Lines of `--set` in what a scenario opens with are variants of it; one may continue on the next.
TEST(Recipes, EveryVariantThatAShippedScenarioNamesIsValid) {
  std::size_t variants = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path());
    std::vector<std::string> waiting;
    for (std::string line; std::getline(in, line) && line.starts_with('#');) {
      if (!line.starts_with("#   --set ")) {
        EXPECT_TRUE(waiting.empty()) << entry.path() << ": " << line;
        continue;
      }
      std::vector<std::string> settings = waiting;
      for (std::string& setting : settings_of(line)) settings.push_back(std::move(setting));
      const auto loaded = scenarios::load_scenario(entry.path(), settings);
      if (loaded.ok()) {
        ++variants;
        settings.clear();
      }
      waiting = settings;
    }
  }
  EXPECT_GT(variants, 60U);
}

}  // namespace
}  // namespace weft::testing
