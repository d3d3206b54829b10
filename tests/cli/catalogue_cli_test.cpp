// The catalogue as a user meets it: `weft list`, `weft show`, a catalogue of one's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

struct Listing {
  int exit_code = -1;
  std::string text;  ///< of both streams
};

Listing run(const std::string& arguments) {
  const std::string command = "'" WEFT_PROGRAM "' " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  Listing f;
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    f.text.append(buffer.data(), n);
  }
  const int status = ::pclose(pipe);
  f.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return f;
}

TEST(CatalogueCli, ListNamesEveryKindAndMarksEstimates) {
  const Listing all = run("list");
  EXPECT_EQ(all.exit_code, 0) << all.text;
  for (const char* part : {"gb200-nvl72", "nvswitch-4", "pcie-5-x16", "connectx-8", "quantum-x800",
                           "linear-fibre", "500ns *", "150.9 MiB", "* an estimate"}) {
    EXPECT_THAT(all.text, HasSubstr(part));
  }
  const Listing servers = run("list servers");
  EXPECT_THAT(servers.text, HasSubstr("hgx-h100"));
  EXPECT_THAT(servers.text, Not(HasSubstr("spectrum-4")));
}

TEST(CatalogueCli, LinesFitATerminal) {
  for (const char* arguments : {"list", "show gb200-nvl72"}) {
    const std::string text = run(arguments).text;
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(end - begin, 110U) << text.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(CatalogueCli, ShowGivesEveryFigureWithItsSource) {
  const Listing f = run("show gb200-nvl72");
  EXPECT_EQ(f.exit_code, 0) << f.text;
  for (const char* part :
       {"1,296 links of GPUs to switches", "0.9 TB/s per direction and GPU",
        "129.6 TB/s in all and both directions", "scale_up.switch_latency", "150ns",
        "connectx-7: ", "40.1 GB/s of SM100_NVLINK_BW", "* an estimate"}) {
    EXPECT_THAT(f.text, HasSubstr(part));
  }
  const json parts = json::parse(run("show gb200-nvl72 --json").text);
  ASSERT_EQ(parts.size(), 1U);
  bool found = false;
  for (const json& figure : parts[0]["figures"]) {
    if (figure["path"] != "scale_up.switch_latency") continue;
    found = true;
    EXPECT_EQ(figure["value"], "150ns");
    EXPECT_EQ(figure["estimate"], true);
  }
  EXPECT_TRUE(found);
}

TEST(CatalogueCli, ANameOfSeveralKindsShowsAllUnlessTheKindIsGiven) {
  EXPECT_EQ(json::parse(run("show ideal --json").text).size(), 5U);
  const json one = json::parse(run("show nics/ideal --json").text);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0]["collection"], "nics");
}

TEST(CatalogueCli, UnknownNamesGetTheNearestSpelling) {
  const Listing kind = run("list server");
  EXPECT_EQ(kind.exit_code, 2);
  EXPECT_THAT(kind.text, HasSubstr("did you mean `servers`?"));
  const Listing name = run("show gb200-nvl27");
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_THAT(name.text, HasSubstr("did you mean `gb200-nvl72`?"));
}

TEST(CatalogueCli, ACatalogueOfOnesOwnIsNamedByOptionOrEnvironment) {
  const TemporaryFolder folder("catalogue cli");
  folder.write("switches.yaml", "ours: {about: our switch, buffer: 64MB, cell: 256B}\n");
  const std::string path = "'" + folder.path().string() + "'";
  EXPECT_THAT(run("--catalogue " + path + " show ours").text, HasSubstr("our switch"));
  EXPECT_EQ(run("show ours").exit_code, 2);
  const TemporaryFolder elsewhere("catalogue cli scenario");
  elsewhere.write("m.yaml",
                  "name: m\nracks: {count: 2, servers: 2}\n"
                  "fabric: {topology: leaf-spine, spines: 1, switch: ours}\n"
                  "jobs: [{name: a, type: permutation, size: 1MiB}]\n");
  const std::string scenario = " check '" + (elsewhere.path() / "m.yaml").string() + "'";
  EXPECT_EQ(run("--catalogue " + path + scenario).exit_code, 0);
  EXPECT_THAT(run(scenario).text, HasSubstr("`ours` is not among the switches"));
}

TEST(CatalogueCli, ABrokenCatalogueIsNamedWithItsPlace) {
  const TemporaryFolder folder("catalogue cli");
  folder.write("switches.yaml", "ours: {buffer: 64}\n");
  const Listing list = run("--catalogue '" + folder.path().string() + "' list");
  EXPECT_EQ(list.exit_code, 2);
  EXPECT_THAT(list.text, HasSubstr("switches.yaml:1:16: ours.buffer: `64` has no unit"));
}

}  // namespace
}  // namespace weft::testing
