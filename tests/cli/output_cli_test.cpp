// What weft writes over and what it leaves alone; where results are when they cannot go where they
// should.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWritten =
    "name: small\n"
    "racks: {count: 2, servers: 2, server: host-400g}\n"
    "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
    "jobs: [{name: p, type: permutation, size: 100KB}]\n"
    "run: {until: 1ms}\n";

/// An hour's work, for runs that are to be stopped.
const std::vector<std::string> kLong{"--set", "jobs[0].size=900GB", "--set", "run.until=1000s"};

class Output : public ::testing::Test {
 protected:
  Output() : program_("output") {
    program_.folder().write("s.yaml", kWritten);
    // As /dev/stdout, which is no place for tests.
    fs::create_symlink("/proc/self/fd/1", path("stdout"));
  }

  Finished run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    const Finished f = program_.run(arguments);
    EXPECT_EQ(f.exit_code, exit_code) << arguments.front() << ": " << f.err;
    return f;
  }
  Finished run_to(const std::string& out, int exit_code = 0) const {
    return run({"run", "s.yaml", "--out", out}, exit_code);
  }
  std::string read(const std::string& name) const { return program_.folder().read(name); }
  void write(const std::string& name, const std::string& text) const {
    program_.folder().write(name, text);
  }
  fs::path path(const std::string& name) const { return program_.path(name); }
  /// A run that is stopped by this signal as soon as it has begun to simulate.
  Finished stopped(int signal, const std::string& out) const {
    std::vector<std::string> command{WEFT_PROGRAM, "run", "s.yaml", "--out", out};
    command.insert(command.end(), kLong.begin(), kLong.end());
    return program_.stopped(command, signal, out);
  }
  bool has_partial(const std::string& out) const { return program_.has_partial(out); }

  Program program_;
};

TEST_F(Output, FilesOfTheUserThatBearWeftsNamesAreLeftAlone) {
  fs::create_directory(path("mine"));
  write("mine/messages.csv", "precious");
  EXPECT_THAT(run_to("mine", 2).err, HasSubstr("messages.csv"));
  EXPECT_EQ(read("mine/messages.csv"), "precious");
  // Nor a folder of that name, even among weft's own.
  EXPECT_EQ(run_to("own").exit_code, 0);
  fs::remove(path("own/jobs.csv"));
  fs::create_directory(path("own/jobs.csv"));
  write("own/jobs.csv/thesis.tex", "precious");
  EXPECT_THAT(run_to("own", 2).err, HasSubstr("jobs.csv"));
  EXPECT_EQ(read("own/jobs.csv/thesis.tex"), "precious");
}

TEST_F(Output, ResultsWithTheMarkAreReplacedWholly) {
  run({"run", "s.yaml", "--out", "x", "--set", "observe.pauses=true"});
  EXPECT_TRUE(fs::exists(path("x/pauses.csv")));
  EXPECT_TRUE(fs::exists(path("x/.weft-results")));
  run({"run", "s.yaml", "--out", "x/", "--seed", "2"});
  EXPECT_THAT(read("x/summary.json"), HasSubstr("\"seed\": 2"));
  EXPECT_FALSE(fs::exists(path("x/pauses.csv"))) << "of the earlier run";
  EXPECT_FALSE(has_partial("x"));
}

TEST_F(Output, AnEmptyFolderTheWorkingFolderAndALinkToAFolderStayWhatTheyAre) {
  fs::create_directory(path("real"));
  fs::create_directory_symlink("real", path("link"));
  const auto before = fs::last_write_time(path("real")).time_since_epoch().count();
  struct stat inode {};
  ::stat(path("real").c_str(), &inode);
  for (int i = 0; i < 2; ++i) run_to("link");
  struct stat after {};
  ::stat(path("real").c_str(), &after);
  EXPECT_EQ(inode.st_ino, after.st_ino) << before;
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::exists(path("real/summary.json")));
  EXPECT_FALSE(has_partial("real"));
  EXPECT_THAT(run_to(".", 2).err, HasSubstr("the folder holds something else"));
}

TEST_F(Output, WhatCannotWorkIsSaidBeforeTheRun) {
  fs::create_symlink("nowhere", path("dangling"));
  EXPECT_THAT(run_to("dangling", 2).err, HasSubstr("link to nothing"));
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_THAT(run_to(std::string(256, 'n'), 2).err, HasSubstr("too long"));
  EXPECT_THAT(run_to("s.yaml", 2).err, HasSubstr("there is a file of that name"));
}

TEST_F(Output, NamesAsLongAsTheFileSystemTakesThemWork) {
  const std::string name(250, 'n');
  for (int i = 0; i < 2; ++i) run_to(name);
  EXPECT_TRUE(fs::exists(path(name + "/summary.json")));
  run({"platform", "s.yaml", "--out", std::string(255, 'p')});
  EXPECT_THAT(read(std::string(255, 'p')), HasSubstr("</platform>"));
}

TEST_F(Output, AMountPointIsWrittenInto) {
  fs::create_directory(path("mnt"));
  if (::mount("tmpfs", path("mnt").c_str(), "tmpfs", 0, "size=4m") != 0) {
    GTEST_SKIP() << "only root can mount";
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(program_.run({"run", "s.yaml", "--out", "mnt"}).exit_code, 0);
    EXPECT_TRUE(fs::exists(path("mnt/summary.json")));
  }
  ::umount(path("mnt").c_str());
}

TEST_F(Output, AFullDiskKeepsWhatCouldBeWrittenAndSaysWhere) {
  fs::create_directory(path("mnt"));
  if (::mount("tmpfs", path("mnt").c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "only root can mount";
  }
  const Finished f = program_.run({"run", "s.yaml", "--out", "mnt"});
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.err, HasSubstr("disk is full"));
  EXPECT_THAT(f.err, HasSubstr("/mnt/results.partial."));
  EXPECT_TRUE(has_partial("mnt"));
  ::umount(path("mnt").c_str());
}

TEST_F(Output, ResultsThatCannotBePublishedAreKeptInAFolderThatIsNamed) {
  std::vector<std::string> command{WEFT_PROGRAM, "run", "s.yaml", "--out", "x"};
  command.insert(command.end(), kLong.begin(), kLong.end());
  const pid_t child = program_.start(command);
  for (int i = 0; i < 500 && !has_partial("x"); ++i) ::usleep(10'000);
  // Somebody else takes the place meanwhile.
  fs::create_directory(path("x"));
  write("x/thesis.tex", "precious");
  ::kill(child, SIGINT);
  const Finished f = program_.wait_for(child);
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_THAT(f.err, HasSubstr("thesis.tex"));
  const std::size_t at = f.err.find("they are kept in ");
  ASSERT_NE(at, std::string::npos) << f.err;
  const std::string kept = f.err.substr(at + 17, f.err.find('\n', at) - at - 17);
  EXPECT_TRUE(fs::exists(fs::path(kept) / "summary.json")) << kept;
  EXPECT_EQ(read("x/thesis.tex"), "precious");
}

TEST_F(Output, AnInterruptedRunLeavesTheResultsOfAWholeOneAndSaysWhereItsOwnAre) {
  run_to("x");
  const std::string before = read("x/summary.json");
  const Finished f = stopped(SIGINT, "x");
  EXPECT_EQ(f.exit_code, 1);
  EXPECT_EQ(read("x/summary.json"), before);
  const std::size_t at = f.err.find("those of this run so far are in ");
  ASSERT_NE(at, std::string::npos) << f.err;
  const std::string own = f.err.substr(at + 32, f.err.find('\n', at) - at - 32);
  std::ifstream in(fs::path(own) / "summary.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, HasSubstr("interrupted"));
  // The next run is not kept from its place by them, and leaves them.
  run_to("x");
  EXPECT_TRUE(fs::exists(fs::path(own) / "summary.json"));
}

TEST_F(Output, AnInterruptedRunIsReplacedByWhateverComesNext) {
  EXPECT_EQ(stopped(SIGTERM, "x").exit_code, 1);
  EXPECT_THAT(read("x/summary.json"), HasSubstr("interrupted"));
  EXPECT_THAT(stopped(SIGHUP, "x").err, Not(HasSubstr("so far are in")));
  run_to("x");
  EXPECT_THAT(read("x/summary.json"), Not(HasSubstr("interrupted")));
}

TEST_F(Output, AHangUpEndsARunAsATerminationDoesAndNohupHoldsItOff) {
  const Finished f = stopped(SIGHUP, "x");
  EXPECT_EQ(f.exit_code, 1) << f.err;
  EXPECT_THAT(read("x/summary.json"), HasSubstr("interrupted"));
  const pid_t child = program_.start({"nohup", WEFT_PROGRAM, "run", "s.yaml", "--out", "y", "--set",
                                      "jobs[0].size=1GB", "--set", "run.until=1s"});
  for (int i = 0; i < 500 && !has_partial("y"); ++i) ::usleep(10'000);
  ::kill(child, SIGHUP);
  EXPECT_EQ(program_.wait_for(child).exit_code, 0);
  EXPECT_THAT(read("y/summary.json"), HasSubstr("finished"));
}

TEST_F(Output, ResultsAreThereEvenIfNobodyReadsTheSummary) {
  const Finished f = program_.wait_for(program_.start(
      {"bash", "-c", std::string("'") + WEFT_PROGRAM + "' run s.yaml --out x | true"}));
  EXPECT_EQ(f.exit_code, 0);
  EXPECT_TRUE(fs::exists(path("x/summary.json")));
}

/// Each command that writes a file by name.
const std::vector<std::vector<std::string>> kWriters{
    {"platform", "s.yaml", "--out"}, {"topo", "s.yaml", "--format", "json", "--output"}};

std::vector<std::string> with(std::vector<std::string> command, const std::string& file) {
  command.push_back(file);
  return command;
}

TEST_F(Output, PipesAndDescriptorsAreWrittenIntoAndStay) {
  for (const auto& command : kWriters) {
    ASSERT_EQ(::mkfifo(path("ff").c_str(), 0600), 0);
    // Open at both ends, so that the program does not wait for a reader; a pipe holds 64 KiB.
    const int pipe = ::open(path("ff").c_str(), O_RDWR | O_NONBLOCK);
    run(with(command, "ff"));
    EXPECT_TRUE(fs::is_fifo(path("ff")));
    char text[16] = "";
    EXPECT_GT(::read(pipe, text, sizeof text), 0);
    ::close(pipe);
    fs::remove(path("ff"));
    EXPECT_FALSE(run(with(command, "stdout")).out.empty());
    EXPECT_TRUE(fs::is_symlink(path("stdout")));
  }
}

/// Devices of the test's own: a program that replaces them must not get hold of the machine's.
TEST_F(Output, DevicesAreWrittenIntoAndStay) {
  const bool are_made = ::mknod(path("null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0 &&
                        ::mknod(path("full").c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0;
  if (!are_made || !std::ofstream(path("null"))) GTEST_SKIP() << "only root can make devices";
  for (const auto& command : kWriters) {
    run(with(command, "null"));
    EXPECT_TRUE(fs::is_character_file(path("null")));
    EXPECT_THAT(run(with(command, "full"), 1).err, HasSubstr("full: cannot be written"));
    EXPECT_TRUE(fs::is_character_file(path("full")));
  }
}

TEST_F(Output, LinksAreFollowedAndStay) {
  for (const auto& command : kWriters) {
    write("real", "");
    fs::create_symlink("real", path("link"));
    run(with(command, "link"));
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_TRUE(fs::is_regular_file(path("real")));
    EXPECT_GT(fs::file_size(path("real")), 100U);
    fs::remove(path("link"));
    fs::create_symlink("nowhere", path("link"));
    EXPECT_THAT(run(with(command, "link"), 1).err, HasSubstr("link to nothing"));
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_FALSE(fs::exists(path("nowhere")));
    fs::remove(path("link"));
    EXPECT_THAT(run(with(command, "."), 1).err, HasSubstr("it is a folder"));
  }
}

// A slip of the hand: the scenario's own name, or that of other work, behind -o.
TEST_F(Output, WhatHoldsSomethingElseStays) {
  const std::string scenario = read("s.yaml");
  EXPECT_THAT(run({"topo", "s.yaml", "--format", "dot", "--output", "s.yaml"}, 1).err,
              HasSubstr("holds something else"));
  EXPECT_EQ(read("s.yaml"), scenario);
  for (const auto& command : kWriters) {
    EXPECT_THAT(run(with(command, "s.yaml"), 1).err, HasSubstr("holds something else"));
    EXPECT_EQ(read("s.yaml"), scenario);
    run(with(command, "own"));
    const std::string text = read("own");
    run(with(command, "own"));  // again
    EXPECT_EQ(read("own").size(), text.size());
    write("own", text.starts_with("<") ? "a, b" : "<svg/>");
    EXPECT_THAT(run(with(command, "own"), 1).err, HasSubstr("own: cannot be written: it is there"));
    EXPECT_LE(read("own").size(), 6U);
    for (const auto& entry : fs::directory_iterator(path("."))) {
      EXPECT_FALSE(entry.path().filename().string().ends_with(".partial")) << entry.path();
    }
    fs::remove(path("own"));
  }
}

TEST_F(Output, WhatIsAlreadyInALogThatStandardOutputContinuesStays) {
  const Finished f = program_.wait_for(
      program_.start({"bash", "-c",
                      std::string("echo first > log; '") + WEFT_PROGRAM +
                          "' platform s.yaml --out stdout >> log; echo last >> log"}));
  EXPECT_EQ(f.exit_code, 0) << f.err;
  const std::string log = read("log");
  EXPECT_TRUE(log.starts_with("first\n<?xml")) << log.substr(0, 40);
  EXPECT_TRUE(log.ends_with("</platform>\nlast\n"));
}

TEST_F(Output, SweepsWriteIntoLinksAndPipesToo) {
  write("sweep.yaml",
        "name: tiny\nscenario: s.yaml\naxes: [{path: \"jobs[0].size\", name: size, values: [1KB, "
        "2KB]}]\n");
  run({"sweep", "sweep.yaml", "--quiet"});
  for (const char* suffix : {".svg", ".png"}) {
    write(std::string("real") + suffix, "");
    fs::create_symlink(std::string("real") + suffix, path(std::string("p") + suffix));
  }
  run({"plot", "results/tiny", "--x", "size", "--y", "simulated_seconds", "--out", "p"});
  EXPECT_TRUE(fs::is_symlink(path("p.svg")) && fs::is_symlink(path("p.png")));
  EXPECT_THAT(read("real.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(run({"export", "results/tiny", "--out", "stdout"}).out,
            run({"export", "results/tiny"}).out);
}

}  // namespace
}  // namespace weft::testing
