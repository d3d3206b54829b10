// `weft topo` as a user meets it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kIncast = " '" WEFT_SOURCE_DIR "/scenarios/incast.yaml' ";

class TopoCli : public ::testing::Test {
 protected:
  TopoCli() : folder_(fs::temp_directory_path() / ("weft topo " + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~TopoCli() override { fs::remove_all(folder_); }

  std::string read(const fs::path& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  Finished topo(const std::string& arguments, const std::string& environment = {}) const {
    return weft("topo " + arguments, environment);
  }
  /// `arguments` as a shell takes them.
  Finished weft(const std::string& arguments, const std::string& environment = {}) const {
    const std::string command = "cd '" + folder_.string() + "' && " + environment + " '" +
                                WEFT_PROGRAM + "' " + arguments + " >out.txt 2>err.txt";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read("out.txt"), read("err.txt")};
  }

  fs::path folder_;
};

TEST_F(TopoCli, PrintsAndTakesOverrides) {
  const Finished f = topo(kIncast + "--set fabric.spines=8");
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("40 hosts, 5 leaves, 8 spines"));
  EXPECT_THAT(f.out, HasSubstr("1:1"));
}

// 64 hosts of 400 Gbps on a leaf with one uplink of 256 Gbps: 100 to 1, in no other form.
TEST_F(TopoCli, SaysOversubscriptionWithoutAnExponent) {
  std::ofstream(folder_ / "narrow.yaml")
      << "name: n\nracks: {count: 2, servers: 64, server: host-400g}\n"
         "links: {uplink: {rate: 256Gbps}}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: {buffer: 9MB, cell: 208B}}\n"
         "jobs: [{name: a, type: permutation, size: 1MB}]\n";
  EXPECT_THAT(topo("narrow.yaml").out, HasSubstr("100:1"));
  EXPECT_THAT(weft("check narrow.yaml").out, HasSubstr("(oversubscription 100:1)"));
}

// `check`, `topo`, the picture and the page say the same of a slow cable, with file and line.
TEST_F(TopoCli, NamesAndMarksWhatIsOdd) {
  std::ofstream(folder_ / "odd.yaml")
      << "name: odd\nracks: {count: 1, servers: 4, server: host-400g}\n"
         "fabric:\n  topology: cabled\n"
         "  servers: [{name: a, nics: [m]}, {name: b, nics: [m]}, {name: c, nics: [m]}, {name: d, "
         "nics: [m]}]\n"
         "  switches: [{name: tor, tier: 1}]\n  cables:\n"
         "    - {from: a/m, to: tor, rate: 400Gbps}\n    - {from: b/m, to: tor, rate: 400Gbps}\n"
         "    - {from: c/m, to: tor, rate: 100Gbps}  # cables.csv:7\n"
         "    - {from: d/m, to: tor, rate: 400Gbps}\n"
         "jobs: [{name: j, type: permutation, size: 1MB}]\n";
  const std::string finding =
      "c/m to tor runs at 100 Gb/s; most of its likes at 400 (odd.yaml:10: fabric.cables[2]; "
      "cables.csv:7)";
  const Finished checked = weft("check odd.yaml");
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("  finding: " + finding + "\n"));
  EXPECT_THAT(topo("odd.yaml").out, HasSubstr("  finding: " + finding + "\n"));
  const auto report = nlohmann::json::parse(topo("odd.yaml --format json").out);
  ASSERT_EQ(report["findings"].size(), 1U);
  EXPECT_EQ(report["findings"][0]["line"], 10);
  EXPECT_EQ(report["findings"][0]["from"], "cables.csv:7");
  const std::string dot = topo("odd.yaml --format dot").out;
  EXPECT_THAT(dot, HasSubstr("color=\"#e8590c\""));
  EXPECT_THAT(dot, HasSubstr(finding));
  EXPECT_EQ(topo("odd.yaml -o odd.html").exit_code, 0);
  EXPECT_THAT(read("odd.html"), HasSubstr("\"marked\":true"));
  EXPECT_THAT(read("odd.html"), HasSubstr("\"words\":\"" + finding));
  EXPECT_THAT(topo("odd.yaml --set fabric.cables[2].rate=400Gbps --format dot").out,
              Not(HasSubstr("#e8590c")));
}

TEST_F(TopoCli, HighlightListsTheLinksOfAPair) {
  const Finished f = topo(kIncast + "--highlight h0:39");
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(f.out, HasSubstr("h0 to h39: 4 paths of 4 links"));
  EXPECT_THAT(f.out, HasSubstr("leaf4[7]->h39"));
}

TEST_F(TopoCli, TheNameOfTheFileSaysTheFormat) {
  EXPECT_EQ(topo(kIncast + "--output fabric.dot").exit_code, 0);
  EXPECT_THAT(read("fabric.dot"), HasSubstr("graph fabric {"));
  EXPECT_EQ(topo(kIncast + "--output fabric.json").exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(read("fabric.json"))["nodes"].size(), 49U);
  EXPECT_EQ(topo(kIncast + "--format json --output fabric.txt").exit_code, 0);
  EXPECT_THAT(read("fabric.txt"), StartsWith("{"));
  for (const auto& file : fs::directory_iterator(folder_)) {
    EXPECT_THAT(file.path().string(), Not(HasSubstr("partial")));
  }
}

TEST_F(TopoCli, WithoutGraphvizItSaysWhatToInstall) {
  const Finished f = topo(kIncast + "--output fabric.svg", "PATH=/nowhere");
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.err, HasSubstr("apt-get install graphviz"));
  EXPECT_FALSE(fs::exists(folder_ / "fabric.svg"));
}

TEST_F(TopoCli, DrawsSvgWithGraphviz) {
  if (std::system("dot -V >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "Graphviz (dot) is not installed";
  }
  const Finished f = topo(kIncast + "--highlight 0:39:1 --output fabric.svg");
  EXPECT_EQ(f.exit_code, 0) << f.err;
  EXPECT_THAT(read("fabric.svg"), HasSubstr("h0 to h39, queue pair 1: 4 links"));
  // Bytes as they are, whatever they hold.
  EXPECT_EQ(topo(kIncast + "-o fabric.png").exit_code, 0);
  EXPECT_THAT(read("fabric.png"), StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(topo(kIncast + "--out fabric.pdf").exit_code, 0);
  EXPECT_THAT(read("fabric.pdf"), StartsWith("%PDF-"));
}

TEST_F(TopoCli, RefusesWhatItDoesNotUnderstand) {
  for (const char* arguments : {"--format gif", "--boxes 0", "--highlight h0:h99", "--set x=1"}) {
    const Finished f = topo(kIncast + arguments);
    EXPECT_EQ(f.exit_code, 2) << arguments;
    EXPECT_THAT(f.out, Not(HasSubstr("spines"))) << arguments;
    EXPECT_FALSE(f.err.empty()) << arguments;
  }
  EXPECT_EQ(topo("nothing.yaml").exit_code, 2);
  EXPECT_EQ(topo(kIncast + "--output nowhere/x.json").exit_code, 1);
}

}  // namespace
}  // namespace weft::testing
