// Defaults that pages state are those of the keys. A page that states another one has to have it
// here: the words `default` are counted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A page says `words`; `weft help KEY` says that the default is `value`.
struct Stated {
  const char* page;
  const char* words;
  const char* key;
  const char* value;
};

constexpr std::array kStated{
    Stated{"scenarios/LANGUAGE.md", "`scale-out` (the default:", "faults.link-rate.network",
           "scale-out"},
    Stated{"scenarios/LANGUAGE.md", "`code_word: rs-544` (5,440 and 640, the default)",
           "links.uplink.code_word", "rs-544"},
    Stated{"scenarios/LANGUAGE.md", "**`algorithm: auto`**, the default,",
           "jobs.all-reduce.algorithm", "auto"},
    Stated{"scenarios/LANGUAGE.md", "**`calls: single`**, the default of `weft run`",
           "jobs.all-reduce.execution.calls", "auto (single calls;"},
    Stated{"scenarios/LANGUAGE.md", "`calls: back-to-back`, the default of `weft bench-collective`",
           "jobs.all-reduce.execution.calls",
           "auto (single calls; nccl-tests, which `bench-collective` stands for, queues its own)"},
    Stated{"scenarios/LANGUAGE.md", "`balanced`, the default, leaves it to `load_balancing`",
           "transport.plane_choice", "balanced"},
    Stated{"scenarios/LANGUAGE.md", "stays on the leaf of rail j. Default: off.", "pxn.enabled",
           "false"},
    Stated{"scenarios/LANGUAGE.md", "`fabric.convergence` (1 ms, an estimate", "fabric.convergence",
           "1ms"},
    Stated{"scenarios/LANGUAGE.md", "is the number of packets per ACK (RoCE: 1)",
           "transport.ack.every", "1 "},
    Stated{"scenarios/REUSE.md", "run: {reuse: on}         # the default", "run.reuse.mode", "on"},
    Stated{"protocols/MODEL.md", "it keeps its time (`next-packet`, the default)",
           "transport.congestion_control.rate_change", "next-packet"},
    Stated{"protocols/CONTROLS.md",
           "`scaled` costs least of the presets that NICs implement, and "
           "is the default",
           "transport.congestion_control.preset", "scaled"},
};

/// Lines joined, as they are read.
std::string text_of(const fs::path& page) {
  std::ifstream in(page);
  const std::string text{std::istreambuf_iterator(in), {}};
  return std::regex_replace(text, std::regex("\n +|\n(?=[^\n#|*-])"), " ");
}

TEST(Defaults, OfPagesAreThoseOfKeys) {
  const Program program("defaults");
  for (const Stated& stated : kStated) {
    const std::string text = text_of(fs::path(WEFT_SOURCE_DIR) / stated.page);
    EXPECT_NE(text.find(stated.words), std::string::npos) << stated.page << ": " << stated.words;
    const Finished f = program.run({"help", stated.key});
    ASSERT_EQ(f.exit_code, 0) << stated.key << f.err;
    const std::string help = std::regex_replace(f.out, std::regex("\\s+"), " ");
    EXPECT_THAT(help, HasSubstr(std::string("default ") + stated.value)) << stated.key;
  }
}

/// What says so of one value: `the default`, `Default: `.
std::size_t statements_in(const fs::path& page) {
  const std::string text = text_of(page);
  static const std::regex words(
      "[`)]\\*{0,2}, the default|, the default\\)|# the default|"
      "\\(the default|Default: |and is the default\\b");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), words), {}));
}

TEST(Defaults, ThatPagesStateAreAllCompared) {
  std::map<std::string, std::size_t> known;
  for (const Stated& stated : kStated) {
    const std::string words = stated.words;
    known[stated.page] += words.find("efault") == std::string::npos ? 0 : 1;
  }
  for (const char* folder : {"scenarios", "protocols", "collectives", "tools", "simcore"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WEFT_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".md") || name.starts_with("ADD_")) continue;
      const std::string page = entry.path().lexically_relative(WEFT_SOURCE_DIR).string();
      // What npm fetches to change the page is not the manual.
      if (page.find("/node_modules/") != std::string::npos) continue;
      EXPECT_LE(statements_in(entry.path()), known[page]) << page;
    }
  }
}

// What it writes out is what would be without it, so that leaving a key out changes nothing.
TEST(Defaults, AreWhatAFirstScenarioWritesOut) {
  const Program program("first defaults");
  const Finished first = program.run({"new"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  std::string without = first.out;
  for (const char* line : {"\n  ecn: [^\n]*", "\n  load_balancing: [^\n]*",
                           "\n  congestion_control: [^\n]*", "\n  type: roce", "\nseed: 1"}) {
    const std::string shorter = std::regex_replace(without, std::regex(line), "");
    EXPECT_NE(shorter, without) << line;
    without = shorter;
  }
  without = std::regex_replace(without, std::regex("\ntransport:"), "");
  program.folder().write("written.yaml", first.out);
  program.folder().write("without.yaml", without);
  for (const char* file : {"written.yaml", "without.yaml"}) {
    const Finished f = program.run({"run", file, "--json", "--set", "jobs[0].size=64KiB", "-o",
                                    std::string(file) + ".results"});
    ASSERT_EQ(f.exit_code, 0) << f.err;
  }
  const Finished f = program.run({"compare", "written.yaml.results", "without.yaml.results"});
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("no difference")) << without;
}

}  // namespace
}  // namespace weft::testing
