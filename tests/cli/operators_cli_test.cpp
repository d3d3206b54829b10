// From what operators hold to a named culprit: `weft import`, `expect`, `diagnose` and `deploy` as
// a user meets them, on the samples of tests/operators.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string sample(const std::string& name) {
  return std::string(WEFT_SOURCE_DIR) + "/tests/operators/" + name;
}

class Operators : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> arguments, int exit_code) const {
    const Finished f = program_.run(std::move(arguments));
    EXPECT_EQ(f.exit_code, exit_code) << f.out << f.err;
    return f;
  }
  Finished import_cluster(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"import",
                                       sample("server/nccl-topo-gpu01.xml"),
                                       sample("server/nccl-topo-gpu03.xml"),
                                       sample("fabric/netbox-cables.csv"),
                                       sample("fabric/config_db-leaf01.json"),
                                       sample("fabric/config_db-leaf02.json"),
                                       sample("fabric/config_db-spine01.json"),
                                       sample("fabric/config_db-spine02.json"),
                                       "--load-balancing",
                                       "spray",
                                       "-o",
                                       "cluster.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments), 0);
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    std::ifstream in(program_.path(file));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const Program program_{"operators"};
};

TEST_F(Operators, FilesBecomeAScenarioThatRunsAndSaysWhereItIsFrom) {
  const Finished f = import_cluster();
  EXPECT_THAT(f.out, HasSubstr("cluster.yaml: 4 servers, 4 switches, 64 cables"));
  EXPECT_THAT(f.out, HasSubstr("finding: NIC `mlx5_5`: its PCIe link carries"));
  const std::string text = read("cluster.yaml");
  EXPECT_THAT(text, HasSubstr("# enp168s0np0 to Ethernet20, config_db-leaf02.json"));
  EXPECT_THAT(text, HasSubstr("{type: link-rate, from: gpu03/mlx5_5, rate: "));
  EXPECT_THAT(run({"check", "cluster.yaml"}, 0).out,
              HasSubstr("32 hosts (4 servers with 32 NICs), "));
  // Nothing is replaced.
  const Finished again =
      program_.run({"import", sample("fabric/cables-generic.csv"), "-o", "cluster.yaml"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("replaces no file: remove it, or name another one with `-o`"));
  EXPECT_EQ(read("cluster.yaml"), text);
}

TEST_F(Operators, ImportTakesTheWaysToBalanceThatTheLanguageHas) {
  for (const std::string& way :
       std::vector<std::string>{"ecmp", "spray", "round-robin", "flowlet", "adaptive"}) {
    const std::string file = way + ".yaml";
    run({"import", sample("server/nccl-topo-gpu01.xml"), sample("fabric/cables-generic.csv"),
         "--load-balancing", way, "-o", file},
        0);
    EXPECT_NE(read(file).find("load_balancing: " + way), std::string::npos);
    run({"check", file}, 0);
  }
}

TEST_F(Operators, ALogAloneIsUndecidedAndPairsNameTheNic) {
  import_cluster();
  const std::string slow = sample("logs/nccl-tests-2.17.8-allreduce-4n-slow.txt");
  const auto alone = json::parse(run({"diagnose", "cluster.yaml", slow, "--json"}, 0).out);
  EXPECT_EQ(alone["verdict"], "slower");
  EXPECT_TRUE(alone["culprits"].empty());
  EXPECT_GE(alone["undecided"].size(), 2U);
  EXPECT_THAT(alone["next_measurement"].get<std::string>(), HasSubstr("every pair"));
  const auto decided =
      json::parse(run({"diagnose", "cluster.yaml", slow, sample("logs/pairs-allreduce.csv"),
                       sample("logs/pairs-rail4-write-bw.csv"),
                       sample("logs/pairs-rail5-write-bw.csv"), "--json"},
                      0)
                      .out);
  ASSERT_EQ(decided["culprits"].size(), 1U);
  EXPECT_EQ(decided["culprits"][0]["kind"], "slow-nic");
  EXPECT_EQ(decided["culprits"][0]["place"][0], "gpu03/mlx5_5");
  // Bandwidths are those that the log and the matrix state, and a row of a pair says whose it is.
  int seen = 0;
  for (const json& row : decided["compared"]) {
    const bool is_pair = row.contains("pair");
    if (!is_pair && row["bytes"] == 1'073'741'824) {
      EXPECT_NEAR(row["measured_busbw"].get<double>(), 184.43, 0.05);
      EXPECT_GT(row["expected_busbw"].get<double>(), 300);
      ++seen;
    } else if (is_pair && row["curve"] == "all-reduce of pairs of servers" &&
               row["pair"] == json{"gpu01", "gpu03"}) {
      EXPECT_NEAR(row["measured_busbw"].get<double>(), 235.5, 0.05);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2);
}

// Logs write names of servers in another case than lists of cables.
TEST_F(Operators, ServersOfLogsAreKnownInAnyCase) {
  import_cluster();
  const std::string name = sample("logs/nccl-tests-2.17.8-allreduce-4n-healthy.txt");
  std::ifstream in(name);
  const std::string log{std::istreambuf_iterator<char>(in), {}};
  const auto diagnosed = [&](const std::string& third) {
    std::string text = log;
    for (std::size_t at = 0; (at = text.find("gpu03", at)) != std::string::npos;) {
      text.replace(at, 5, third);
      at += third.size();
    }
    std::ofstream(program_.path(third + ".txt")) << text;
    return program_.run({"diagnose", "cluster.yaml", third + ".txt", "--json"});
  };
  const Finished as_is = diagnosed("gpu03");
  const Finished in_capitals = diagnosed("GPU03");
  EXPECT_EQ(as_is.exit_code, 0) << as_is.err;
  EXPECT_EQ(json::parse(in_capitals.out)["compared"], json::parse(as_is.out)["compared"]);
  EXPECT_THAT(diagnosed("node3").err, HasSubstr("ran on node3, which the cluster has not; it has "
                                                "gpu01 to gpu04"));
}

// The page stands beside the text.
TEST_F(Operators, ADiagnosisIsWrittenAsAPageBesideTheText) {
  import_cluster();
  const std::string log = sample("logs/nccl-tests-2.16.4-allreduce-1n.txt");
  const std::string text = run({"diagnose", "cluster.yaml", log}, 0).out;
  const std::string both = run({"diagnose", "cluster.yaml", log, "-o", "d.html"}, 0).out;
  EXPECT_EQ(both, text + "  page in d.html\n");
  EXPECT_THAT(read("d.html"), HasSubstr("<title>weft diagnose: "));
  EXPECT_THAT(read("d.html"), HasSubstr("\"curve\":\"all-reduce of 8 ranks on gpu01\""));
  EXPECT_EQ(program_.run({"diagnose", "cluster.yaml", log, "--json", "-o", "e.html"}).exit_code, 2);
  EXPECT_EQ(program_.run({"diagnose", "cluster.yaml", log, "-o", "none/d.html"}).exit_code, 1);
}

// Warnings of a log are in the text, in JSON and on the page, with their place.
TEST_F(Operators, WarningsOfLogsReachEveryOutput) {
  import_cluster();
  const std::string log = sample("logs/nccl-info-2.14.3.txt");
  const Finished text = program_.run({"diagnose", "cluster.yaml", log, "-o", "d.html"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.err, "");
  const std::string place = "nccl-info-2.14.3.txt:23: rings show 20 of 32 ranks";
  EXPECT_THAT(text.out, HasSubstr("warning: "));
  EXPECT_THAT(text.out, HasSubstr(place));
  EXPECT_THAT(read("d.html"), HasSubstr(place));
  const auto found = json::parse(run({"diagnose", "cluster.yaml", log, "--json"}, 0).out);
  EXPECT_THAT(found["warnings"][0].get<std::string>(), HasSubstr(place));
}

TEST_F(Operators, TwinsWithAFaultAreRefusedWithTheirPlace) {
  struct Refused {
    const char* file;
    const char* words;
  };
  for (const Refused& twin :
       {Refused{"config_db-dynamic-th-9.json", "dynamic_th"},
        Refused{"netbox-port-used-twice.csv", "Ethernet16"},
        Refused{"nccl-topo-version-2.xml", "version"}, Refused{"cables-rate-in-bytes.csv", "bytes"},
        Refused{"flight-recorder-pickle.bin", "pickle"},
        Refused{"netbox-self-cable.csv", "leaf01"}}) {
    const Finished f =
        program_.run({"import", sample(std::string("broken/") + twin.file), "-o", "x.yaml"});
    EXPECT_EQ(f.exit_code, 2) << twin.file;
    EXPECT_THAT(f.err, HasSubstr(twin.file));
    EXPECT_THAT(f.err, HasSubstr(twin.words));
    EXPECT_FALSE(fs::exists(program_.path("x.yaml"))) << twin.file;
  }
  const Finished log = program_.run({"import", sample("logs/pairs-allreduce.csv")});
  EXPECT_EQ(log.exit_code, 2);
  EXPECT_THAT(log.err, HasSubstr("is what was measured"));
  EXPECT_THAT(log.err, HasSubstr("weft diagnose"));
}

TEST_F(Operators, EvidenceThatCannotBeUsedIsRefused) {
  import_cluster();
  for (const char* file : {"broken/pairs-no-unit.csv", "broken/nccl-tests-no-mpi.txt",
                           "broken/nccl-tests-table-only.txt", "fabric/netbox-cables.csv"}) {
    const Finished f = program_.run({"diagnose", "cluster.yaml", sample(file)});
    EXPECT_EQ(f.exit_code, 2) << file << f.out << f.err;
    EXPECT_THAT(f.err, HasSubstr(fs::path(file).filename().string()));
  }
}

TEST_F(Operators, SharedCopiesNameNoDeviceAndImportAlike) {
  import_cluster({"--anonymise", "--copies", "shared"});
  EXPECT_THAT(read("cluster.yaml"), Not(HasSubstr("gpu01")));
  EXPECT_THAT(read("cluster.yaml"), HasSubstr("server3/mlx5_5"));
  std::vector<std::string> arguments{"import", "-o", "again.yaml", "--load-balancing", "spray"};
  for (const auto& entry : fs::directory_iterator(program_.path("shared"))) {
    arguments.push_back(entry.path().string());
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(text + entry.path().filename().string(), Not(HasSubstr("gpu03"))) << entry.path();
  }
  const Finished f = run(arguments, 0);
  EXPECT_THAT(f.out, HasSubstr("again.yaml: 4 servers, 4 switches, 64 cables"));
  const auto fabric_of = [](const std::string& text) {
    return text.substr(text.find("\nfaults:"));
  };
  EXPECT_EQ(fabric_of(read("again.yaml")), fabric_of(read("cluster.yaml")));
}

// Who shares the files of a cluster shares what was measured on it, too.
TEST_F(Operators, SharedCopiesOfLogsNameTheSameServers) {
  run({"import", sample("fabric/cables-generic.csv"), sample("logs/pairs-allreduce.csv"),
       sample("logs/nccl-tests-2.17.8-allreduce-4n-slow.txt"), "-o", "shared.yaml", "--anonymise",
       "--copies", "shared"},
      0);
  EXPECT_THAT(read("shared/pairs-allreduce.csv"), HasSubstr("server1,server3,all_reduce"));
  const std::string log = read("shared/nccl-tests-2.17.8-allreduce-4n-slow.txt");
  EXPECT_THAT(log, HasSubstr("server3 device  0"));
  EXPECT_THAT(log, Not(HasSubstr("gpu03")));
}

TEST_F(Operators, ExpectedTimesSayWhatLimitsThem) {
  import_cluster();
  const auto found =
      json::parse(run({"expect", "cluster.yaml", "--sizes", "64KiB,16MiB", "--json"}, 0).out);
  EXPECT_THAT(found.dump(), HasSubstr("all-reduce"));
  const Finished wrong = program_.run({"expect", "cluster.yaml", "--op", "all-reduse"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("all-reduce"));
}

TEST_F(Operators, DeployWritesWhatASchedulerReads) {
  import_cluster();
  EXPECT_THAT(run({"deploy", "slurm", "cluster.yaml"}, 0).out,
              HasSubstr("SwitchName=leaf01 Nodes=gpu[01-02]\n"));
  EXPECT_THAT(run({"deploy", "switches", "cluster.yaml"}, 0).out,
              HasSubstr("leaf01,leaf01[0]->gpu01/mlx5_0,roce,headroom_needed,"));
  EXPECT_THAT(run({"deploy", "ranks", "cluster.yaml"}, 0).out, HasSubstr(",9,gpu02,1\n"));
  EXPECT_THAT(run({"deploy", "hostfile", "cluster.yaml"}, 0).out, HasSubstr("gpu01\ngpu02\n"));
  EXPECT_THAT(program_.run({"deploy", "hostfile", "cluster.yaml", "--job", "none"}).err,
              HasSubstr("no job `none`"));
  const Finished rules = run({"deploy", "tuner", "cluster.yaml", "--largest", "64KiB"}, 0);
  EXPECT_THAT(rules.out, HasSubstr("\nallreduce,0,"));
  // What is larger than what was simulated is NCCL's own choice, up to the largest size there is.
  EXPECT_THAT(rules.out, HasSubstr(",9223372036854775807,"));
  EXPECT_THAT(rules.out, Not(HasSubstr("9223372036854775807,ring,ll,")));
  EXPECT_THAT(rules.out, Not(HasSubstr("9223372036854775807,tree,ll,")));
}

// Whoever writes a list of cables by hand needs to know its columns.
TEST_F(Operators, FormatsHaveTheColumnsOfTables) {
  const std::string formats = run({"import", "--formats"}, 0).out;
  EXPECT_THAT(formats,
              ::testing::ContainsRegex("cables-csv +cables CSV\n +columns from, from_port, to, "
                                       "to_port; may have rate, length, medium\n"));
  EXPECT_THAT(formats,
              HasSubstr("columns side_a_device, side_a_name, side_b_device, side_b_name; "));
  EXPECT_THAT(formats, HasSubstr("columns Device A, Termination A, Device B, Termination B; "));
}

// `--format` is for what has no form of its own; one of several files is named with it.
TEST_F(Operators, AFormIsNamedForTheFileThatNeedsIt) {
  const std::string topo = sample("server/topo-m-gpu01.txt");
  const std::string cables = sample("fabric/cables-generic.csv");
  run({"import", topo, cables, "--format", "cables-csv", "-o", "a.yaml"}, 0);
  run({"import", topo, cables + ":cables-csv", "-o", "b.yaml"}, 0);
  EXPECT_THAT(program_.run({"import", topo, cables, "--format", "netbox-csv"}).err,
              HasSubstr("--format netbox-csv: no file needs it ("));
  EXPECT_THAT(program_.run({"import", cables, "--format", "netbox-csv"}).err,
              HasSubstr("no column `side_a_device`"));
  EXPECT_THAT(program_.run({"import", cables + ":netbox-csv"}).err,
              HasSubstr("no column `side_a_device`"));
}

TEST_F(Operators, WhatIsOfAnotherNetworkIsLeftOut) {
  const std::string topo = sample("server/topo-m-gpu01.txt");
  const std::string cables = sample("fabric/cables-generic.csv");
  run({"import", topo, cables, "--without", "GPU04", "-o", "a.yaml", "--anonymise", "--copies",
       "shared"},
      0);
  EXPECT_THAT(read("a.yaml"), HasSubstr("--without `other1` leaves out 8 cables"));
  EXPECT_THAT(read("a.yaml"), Not(HasSubstr("gpu04")));
  EXPECT_THAT(read("shared/cables-generic.csv"), HasSubstr("\nother1,enp24s0np0,leaf2,"));
  EXPECT_THAT(program_.run({"import", cables, "--without", "oob"}).err,
              HasSubstr("--without `oob`: no device, port or NIC of these files is called so"));
}

TEST_F(Operators, CollectNamesACommandForEveryForm) {
  const Finished f = run({"import", "--collect"}, 0);
  for (const char* command :
       {"NCCL_TOPO_DUMP_FILE", "nvidia-smi topo -m", "lldpctl -f json", "ibnetdiscover",
        "config_db.json", "all_reduce_perf", "ib_write_bw"}) {
    EXPECT_THAT(f.out, HasSubstr(command));
  }
  const Finished typing =
      program_.run({"import", "--format", "netbx-csv", sample("fabric/cumulus.dot")});
  EXPECT_EQ(typing.exit_code, 2);
  EXPECT_THAT(typing.err, HasSubstr("did you mean `netbox-csv`?"));
}

}  // namespace
}  // namespace weft::testing
