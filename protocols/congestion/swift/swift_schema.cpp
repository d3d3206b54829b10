#include "protocols/congestion/swift/swift_spec.hpp"

#include <vector>

#include "protocols/congestion/swift/swift_config.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

constexpr const char* kSwiftInHtsim = "csg-htsim, swift.cpp, which calls its constants guesses";
constexpr const char* kSwiftPaper = "Kumar et al., SIGCOMM 2020, algorithm 1";

void check_swift(const SwiftConfig& c, std::vector<schema::Problem>& problems) {
  if (2 * c.scaling_min_window > c.scaling_max_window) {
    problems.push_back({"scaling_min_window", "is more than half of scaling_max_window"});
  }
}

}  // namespace

schema::Object<SwiftConfig> swift_schema() {
  using Config = SwiftConfig;
  return schema::describe<Config>("Swift", "a window that holds the delay of ACKs to a target")
      .field("base_target", &Config::base_target, "delay that is aimed at, before what follows")
      .source(kSwiftInHtsim)
      .at_least(1_ns)
      .at_most(1_s)
      .field("hop_target", &Config::hop_target, "added for every switch on the path")
      .source("base_target / 6.55: csg-htsim, swift.cpp")
      .at_most(1_s)
      .field("scaling_range", &Config::scaling_range,
             "added at most for small windows, so that many flows do not oscillate")
      .source("5 base_target: csg-htsim, swift.cpp")
      .at_most(1_s)
      .field("scaling_min_window", &Config::scaling_min_window,
             "packets; all of the range is added from here down")
      .matters_if([](const Config& c) { return c.scaling_range > Picoseconds(0); },
                  "with a `scaling_range` above 0")
      .source(kSwiftInHtsim)
      .within({.low = 1e-6, .high = 1e6})
      .field("scaling_max_window", &Config::scaling_max_window,
             "packets; nothing is added from here up")
      .matters_if([](const Config& c) { return c.scaling_range > Picoseconds(0); },
                  "with a `scaling_range` above 0")
      .source(kSwiftInHtsim)
      .within({.low = 1e-6, .high = 1e6})
      .field("additive_increase", &Config::additive_increase,
             "packets per round trip while the delay is below its target")
      .source(kSwiftInHtsim)
      .within({.low = 0, .high = 1e3, .includes_low = false})
      .field("beta", &Config::beta, "how much of the excess over the target a decrease takes away")
      .source(kSwiftInHtsim)
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("max_decrease", &Config::max_decrease, "the most that a decrease takes of the window")
      .source(kSwiftInHtsim)
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("minimum_window", &Config::minimum_window,
             "packets; below 1 the packets are paced over several round trips")
      .source("Kumar et al., SIGCOMM 2020, section 3.1: in-casts of thousands need 0.001 packets")
      .within({.low = 1e-6, .high = 1})
      .field("retransmit_reset", &Config::retransmit_reset,
             "time-outs in a row after which the window is the least")
      .source(kSwiftPaper)
      .range(1, 1'000)
      .field("median_of", &Config::median_of,
             "the last delays whose median counts; 1: the last one alone; more for sprayed traffic")
      .source("Kumar et al., SIGCOMM 2020; the median: Gerstein et al., arXiv 2509.07907 (MSwift)")
      .range(1, kSwiftMaxSamples)
      .check(check_swift);
}

}  // namespace weft::protocols::congestion
