#include <gtest/gtest.h>

#include <cstddef>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"

namespace weft::scenarios {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(WEFT_SOURCE_DIR) / "tests/scenarios/malformed";

std::string errors_of(const Result<LoadedScenario>& result) {
  if (result.ok()) return "no error";
  std::string text;
  for (const Error& error : result.errors()) text += error.to_string() + "\n";
  return text;
}

/// The message that a file must give: its place, and the words that help.
struct Case {
  const char* file;
  const char* fragment;
};

const std::vector<Case> kCases{
    {"alias-bomb", ".yaml:6:11: the document has more than 250000 values once its aliases"},
    {"anchor-recursion", ".yaml:4:10: this alias stands inside of what it refers to"},
    {"bad-name", ".yaml:1:7: name: `my results/here` is not a name; expected letters, digits"},
    {"changed-file", ".yaml:5:67: jobs[0].sha256: is not that of `"},
    {"nul-character", ".yaml:1:7: holds the character U+0000"},
    {"csv-broken", "broken.csv:3:7: `2KB` is not a whole number"},
    {"csv-missing", ".yaml:5:36: jobs[0].csv: `"},
    {"scale-up-packet",
     "racks: have a scale-up `packet` of 49152 B, which takes 70217 B of a link; at most 65535 B"},
    {"duplicate-job-name", ".yaml:6:12: jobs[1].name: `a` is the name of jobs[0] already"},
    {"duplicate-key", ".yaml:5:1: the key `seed` appears twice; first on line 4"},
    {"duplicate-rank", ".yaml:5:59: jobs[0].ranks.hosts[1]: host 2 appears twice"},
    {"ev-states-denied",
     ".yaml:6:84: transport.path_selection.denied: has 70, and values are below 64 (`values`)"},
    {"ev-states-min-active",
     ".yaml:6:74: transport.path_selection.min_active: `40` is more than what is left of 64 values "
     "without the reserve (32) and those that are denied (0); lower min_active or reserve"},
    {"empty", "empty.yaml: holds no YAML document"},
    {"unknown-gpu", ".yaml:10:20: jobs[0].compute.gpu: `h100` is unknown; accepted: a100-sxm-40, "},
    {"unknown-gpu", "did you mean `h"},
    {"price-of-nothing",
     ".yaml:10:35: jobs[0].compute.price_per_gpu_hour: `0` is out of range; expected "},
    {"price-with-a-unit",
     ".yaml:10:35: jobs[0].compute.price_per_gpu_hour: `$2.5` is not a number"},
    {"key-of-another-type",
     ".yaml:3:68: fabric.ecn.kmin: unknown key `kmin`; the keys of `type: none` are type; `kmin` "
     "is a "
     "key of `type: "},
    {"key-of-another-type", ", and where no `type` is given it is `none` here"},
    {"fat-tree-with-racks", ".yaml:2:8: racks: has no meaning with `topology: fat-tree`"},
    {"file-is-a-list", ".yaml:1:1: holds a list; expected a map with keys such as name"},
    {"fraction-of-a-byte", ".yaml:5:40: jobs[0].size: `0.3KiB` is not a whole number of bytes"},
    {"huge-fabric", ".yaml:2:8: racks: makes 16777216 hosts; at most 262144"},
    {"huge-number", ".yaml:5:40: jobs[0].size: `99999999999999999999GiB` is too large"},
    {"kmin-above-kmax", ".yaml:6:15: fabric.ecn.kmin: `500KB` is not below kmax (400KB)"},
    {"latency-and-length", ".yaml:4:33: links.access.latency: `1us` given together with length"},
    {"merge-key", ".yaml:3:9: merge keys (`<<`) are not supported"},
    {"mrc-source-routes",
     ".yaml:6:18: transport.source_routes: `true` is on with path_selection: bitmap, whose values "
     "are hashed and name no path; set path_selection: ev-states"},
    {"missing-job-size", ".yaml:5:5: jobs[0].size: is missing; expected a size such as 64KiB"},
    {"missing-name", ".yaml:1:1: name: is missing"},
    {"missing-racks", ".yaml:1:1: racks: is missing; this fabric needs racks"},
    {"missing-unit", ".yaml:6:15: fabric.ecn.kmin: `400` has no unit; expected a size"},
    {"misspelt-enum",
     ".yaml:6:19: fabric.load_balancing.type: `emcp` is not known; expected one of "
     "ecmp, spray, round-robin, flowlet, adaptive, source-routes; did you mean `ecmp`?"},
    {"misspelt-key",
     ".yaml:6:9: fabric.ecn.kmim: unknown key `kmim`; the keys of `type: red` are "
     "type, kmin, kmax, pmax, mark, at_rate, last_hop; did you mean `kmin`?"},
    {"misspelt-part",
     ".yaml:6:11: fabric.switch: `spectrun-4` is not among the switches of the "
     "catalogue: hpcc-paper, ideal, jericho-3, q3450-ld, quantum-2, quantum-x800, spectrum-4, "
     "tomahawk-4, tomahawk-5, tomahawk-6, tomahawk-ultra; did you mean `spectrum-4`?"},
    {"misspelt-type",
     ".yaml:5:21: jobs[0].type: `allreduce` is not known; expected one of incast, "
     "permutation, messages, open-loop, requests, graph, training, all-reduce, all-gather, "
     "reduce-scatter, all-to-all, all-to-all-v, broadcast, reduce, gather, scatter, send-recv, "
     "barrier; did you mean `all-reduce`?"},
    {"negative-count", ".yaml:2:16: racks.count: `-2` is negative"},
    {"negative-time", ".yaml:6:15: run.warmup: `-1ms` is negative"},
    {"no-jobs", ".yaml:4:7: jobs: has 0 elements; at least 1 is needed"},
    {"null-value", ".yaml:6:1: fabric.spines: found nothing; expected a whole number"},
    {"odd-fat-tree", ".yaml:2:33: fabric.k: `5` is odd"},
    {"probability", ".yaml:6:15: fabric.ecn.pmax: `1.5` is out of range"},
    {"rank-beyond", ".yaml:5:53: jobs[0].ranks.hosts: `0-31` is beyond the last host"},
    {"receiver-beyond", ".yaml:5:63: jobs[0].receiver: is 4; the job has ranks 0 to 3"},
    {"scalar-for-map", ".yaml:2:8: racks: found `5`; expected a map with the keys count, servers"},
    {"second-document", ".yaml:7:1: a second YAML document begins here"},
    {"several", ".yaml:2:1: sede: unknown key `sede`"},
    {"several", ".yaml:3:28: racks.servers: `four` is not a whole number"},
    {"several", ".yaml:5:30: transport.mtu: `1500` has no unit"},
    {"spray-datagram",
     ".yaml:6:19: fabric.load_balancing: spraying reorders packets, and datagrams"},
    {"tab", ".yaml:4:1: found a tab in the indentation"},
    {"tag", ".yaml:3:9: the YAML tag"},
    {"too-many-queue-pairs", ".yaml:5:5: jobs[0].ranks: the jobs up to this one need 67100672"},
    {"too-many-senders", ".yaml:5:50: jobs[0].senders: is 8, which with the receiver makes 9"},
    {"unclosed", ".yaml:3:7: is not valid YAML"},
    {"unknown-host",
     ".yaml:9:61: jobs[0].ranks.hosts[1]: `betta` names no host; there are the "
     "hosts 0 to 1 (alpha, beta); did you mean `beta`?"},
    {"unknown-key-of-type",
     ".yaml:4:29: transport.queue_pairs: unknown key `queue_pairs`; the "
     "keys of `type: datagram` are type, mtu, header, ttl"},
    {"unreachable-warmup", ".yaml:6:28: run.until: 1ms is not after the warm-up (10ms)"},
    {"wrong-unit",
     ".yaml:4:18: links.access.rate: `400GB` has the unknown unit `GB`; expected a "
     "rate such as 400Gbps"},
    {"wrong-version", ".yaml:1:7: weft: `2` is not known; expected `1`"},
    {"xon-above-xoff", ".yaml:6:47: fabric.flow_control.xon: `200KB` is above xoff (100KB)"},
    {"zero-bandwidth", ".yaml:4:18: links.access.rate: `0Gbps` is zero; at least 1Mbps"},
    {"zero-size", ".yaml:5:40: jobs[0].size: `0` is zero; at least 1B is needed"},
    {"alpha-of-static",
     ".yaml:6:36: fabric.flow_control.alpha: has a meaning only with `threshold: dynamic`"},
    {"arbitration-without-input-queues",
     ".yaml:6:16: fabric.arbitration: has a meaning only with `queueing: input`"},
    {"class-credit-too-small",
     ".yaml:6:77: fabric.classes[1].flow_control.buffer: 1KiB never has room for a full packet, "
     "which takes 66 blocks of 64B"},
    {"credit-buffer-too-small",
     ".yaml:6:40: fabric.flow_control.buffer: 4KiB never has room for a full packet"},
    {"cbfc-beside-retry-and-cut-through",
     ".yaml:7:15: fabric.link_retry: beside flow_control: cbfc needs switches that check frames "
     "before they count them; expected forwarding: store-and-forward, or link_retry: none"},
    {"cbfc-less-than-a-credit",
     ".yaml:6:38: fabric.flow_control.buffer: `100B` is less than a credit (128B)"},
    {"cbfc-on-infiniband", ".yaml:7:17: fabric.flow_control"},
    {"cbfc-period-below-its-gap",
     ".yaml:6:65: fabric.flow_control.update_period: `50KiB` is less than update_gap (100KiB)"},
    {"cbfc-too-small-for-a-packet",
     ".yaml:6:38: fabric.flow_control.buffer: 2KiB never has room for a full packet, which takes "},
    {"credit-less-than-a-block",
     ".yaml:6:40: fabric.flow_control.buffer: `32B` is less than a block (64B)"},
    {"csv-class", "other-class.csv:3:14: `data` is not the class of the job, `control`"},
    {"cut-through-after-alone",
     ".yaml:6:22: fabric.cut_through_after: has a meaning only with `forwarding: cut-through`"},
    {"duplicate-class",
     ".yaml:6:42: fabric.classes[2].name: `a` is the name of fabric.classes[0] already"},
    {"fault-ends-before", ".yaml:9:52: faults[0].until: `1ms` is not after its beginning (2ms)"},
    {"fault-without-rate",
     ".yaml:9:5: faults[0].rate: is missing; expected a rate such as 400Gbps"},
    {"headroom-word",
     "expected a size such as 64KiB (units: B, KB, KiB, MB, MiB, GB, GiB), or `shared`, or "
     "`exact`, or `sn5600`, or `hpcc`; did you mean `exact`?"},
    {"kmax-of-step",
     ".yaml:6:21: fabric.ecn.kmax: unknown key `kmax`; the keys of `type: step` are type, kmin, "
     "mark, at_rate"},
    {"misspelt-fault",
     ".yaml:9:12: faults[0].type: `link-dwon` is not known; expected one of nic-pause, link-rate, "
     "link-down, switch-down, link-latency, bit-errors, flapping; did you mean `link-down`?"},
    {"nic-xon-above-xoff", ".yaml:2:85: racks.server.nic.xon: `2KB` is above xoff (1KB)"},
    {"pause-of-lossy-class",
     ".yaml:9:47: faults[0].class[1]: `control` has no PFC; nothing can pause it"},
    {"pause-without-pfc", ".yaml:10:5: faults[0]: pauses a switch, but no traffic class has PFC"},
    {"period-too-short",
     ".yaml:8:39: observe.rates.period: `1ps` is too small; at least 1ns is needed"},
    {"queues-without-ports", ".yaml:8:19: observe.queues.ports: is missing"},
    {"reserved-class-name",
     ".yaml:6:20: fabric.classes[0].name: `same` is a word of its own where classes are named"},
    {"too-many-classes", ".yaml:6:12: fabric.classes: has 9 classes; a link has at most 8"},
    {"unknown-ack-class",
     ".yaml:8:29: transport.ack.priority: `contrl` is no traffic class; expected one of data, "
     "control, same, highest; did you mean `control`?"},
    {"unknown-cnp-class",
     ".yaml:8:27: transport.cnp_priority: `hihgest` is no traffic class; expected one of data, "
     "control, same, highest; did you mean `highest`?"},
    {"unknown-job-class",
     ".yaml:7:53: jobs[0].class: `dat` is no traffic class; expected one of data, control; did you "
     "mean `data`?"},
    {"unknown-after",
     ".yaml:8:66: jobs[1].after[1]: `frist` is no job; expected one of first, second; did you mean "
     "`first`?"},
    {"circle-of-jobs",
     ".yaml:7:53: jobs[0].after: makes the job wait for itself: `a` after `c` after `b` after `a`"},
    {"unknown-pfc-preset",
     ".yaml:6:37: fabric.flow_control.preset: `sn56000` is not known; expected one of default, "
     "hpcc, sn5600; did you mean `sn5600`?"},
    {"weight-of-strict",
     ".yaml:6:51: fabric.classes[0].weight: has a meaning only with `scheduling: weighted`"},
    {"xoff-of-dynamic",
     ".yaml:6:56: fabric.flow_control.xoff: has a meaning only with `threshold: static`"},
    {"xoff-of-fast-nic",
     ".yaml:2:52: racks.server.nic.xoff: has a meaning only with a `receive_rate`"},
    {"zero-cell", ".yaml:6:36: fabric.switch.cell: `0B` is zero; at least 1B is needed"},
    {"zero-egress-alpha", ".yaml:6:37: fabric.classes[0].egress_alpha: `0` is out of range"},
};

TEST(Malformed, EveryFileIsRefusedWithPlaceValueAndHelp) {
  for (const Case& c : kCases) {
    const auto result = load_scenario(kFolder / (std::string(c.file) + ".yaml"));
    EXPECT_NE(errors_of(result).find(c.fragment), std::string::npos) << c.file << " gave:\n"
                                                                     << errors_of(result);
  }
}

TEST(Malformed, EveryFileOfTheCorpusIsInTheTable) {
  std::set<std::string> known;
  for (const Case& c : kCases) known.insert(c.file);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") {
      EXPECT_TRUE(known.contains(entry.path().stem())) << entry.path();
    }
  }
  EXPECT_GE(known.size(), 25U);
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// A release build takes at most four seconds of CPU time for the worst of these; sanitizers,
// without optimisation, make it tens of times slower. The bounds are loose: it is quadratic time
// that must fail here.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kMaxSeconds = 60;
#else
constexpr double kMaxSeconds = 10;
#endif

TEST(Malformed, HostileTextsAreRefusedQuickly) {
  constexpr std::size_t kBytes = std::size_t{10} << 20U;
  const std::vector<std::string> texts{
      repeated("[", kBytes),
      repeated("{", kBytes),
      repeated("[\n", kBytes / 2),
      repeated("- ", 40'000),
      repeated("? ", 40'000),
      repeated("- - - - - - - - -\n", 100'000),
      repeated("&a ", kBytes / 3),
      "[" + repeated("1,\n", 1'300'000) + "]",
      "[" + repeated("[],\n", 1'000'000) + "]",
      repeated("a\n", 2'000'000),
      repeated("---\n", 1'000'000),
      repeated("\n", 4'000'000),
      repeated("#\n", 2'000'000),
      "a: \"" + repeated("\\n", 40'000),
      std::string("name: a\0b\n", 10),
      std::string("\xff\xfe"
                  "n\0a\0m\0e\0",
                  10),
      "name: \xC3\x28\n",
      std::string("\x7f") + "ELF\x02\x01\x01",
  };
  for (const std::string& text : texts) {
    const std::clock_t begin = std::clock();
    const auto result = load_scenario_text(text, "hostile.yaml");
    const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_FALSE(result.ok()) << text.substr(0, 20);
    EXPECT_NE(errors_of(result).find("hostile.yaml"), std::string::npos) << errors_of(result);
    EXPECT_LT(spent, kMaxSeconds) << text.substr(0, 20);
  }
}

class FileErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "weft-malformed";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(FileErrors, DirectoriesAndMissingFilesAreNamed) {
  EXPECT_NE(errors_of(load_scenario(folder_)).find("is a directory"), std::string::npos);
  EXPECT_NE(errors_of(load_scenario(folder_ / "none.yaml")).find("no such file"),
            std::string::npos);
  EXPECT_NE(errors_of(load_scenario("/dev/zero")).find("not a regular file"), std::string::npos);
}

TEST_F(FileErrors, TooLargeFilesAreNotRead) {
  const auto path = folder_ / "large.yaml";
  std::ofstream(path) << repeated("[", std::size_t{17} << 20U);
  EXPECT_NE(errors_of(load_scenario(path)).find("large.yaml: has 17825792 bytes; at most"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::scenarios
