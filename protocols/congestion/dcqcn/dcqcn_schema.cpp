#include "protocols/congestion/dcqcn/dcqcn_spec.hpp"

#include <string>
#include <utility>
#include <vector>

#include "protocols/congestion/dcqcn/dcqcn_config.hpp"
#include "protocols/congestion/preset.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {
namespace {

std::vector<schema::Preset<DcqcnConfig, DcqcnConfig::Preset>> dcqcn_presets() {
  return {
      preset<DcqcnConfig>(DcqcnConfig::Preset::kPaper, "paper",
                          "Zhu et al., SIGCOMM 2015, at 40 Gbps"),
      preset<DcqcnConfig>(DcqcnConfig::Preset::kConnectx, "connectx",
                          "firmware defaults of ConnectX NICs, NVIDIA DOCA DCQCN CC parameters"),
      preset<DcqcnConfig>(
          DcqcnConfig::Preset::kHpccNs3, "hpcc-ns3",
          "the ns-3 model published with Li et al., HPCC, SIGCOMM 2019, at 100 Gbps"),
      preset<DcqcnConfig>(
          DcqcnConfig::Preset::kScaled, "scaled",
          "that of the paper, with steps in proportion to the rate of the link, as Li et al., "
          "HPCC, SIGCOMM 2019, section 5.1 scale them"),
  };
}

void check_dcqcn(const DcqcnConfig& c, std::vector<schema::Problem>& problems) {
  if (c.decrease == DcqcnConfig::Decrease::kPeriodic && c.decrease_period.count() == 0) {
    problems.push_back({"decrease_period", "is 0; `decrease: periodic` needs a period"});
  }
}

}  // namespace

schema::Object<DcqcnConfig> dcqcn_schema() {
  using Config = DcqcnConfig;
  return schema::describe<Config>("DCQCN",
                                  "rate control of RoCEv2 NICs by congestion notifications")
      .presets("preset", &Config::preset, dcqcn_presets(),
               "all parameters at once; other keys override it")
      .source(
          "the published, analysed algorithm at any rate of the link; what else was measured is in "
          "protocols/CONTROLS.md")
      .field("g", &Config::g, "gain of alpha, the moving estimate of congestion")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("alpha_timer", &Config::alpha_timer, "alpha decays after this long without a CNP")
      .at_least(1_ns)
      .field("cnp_interval", &Config::cnp_interval,
             "receiver: at least this between the CNPs of a queue pair; 0: one per marked packet")
      .field("cnp_on_ack", &Config::cnp_on_ack, "the CNP is a flag on the ACK of the marked packet")
      .choice("decrease", &Config::decrease,
              {{Config::Decrease::kOnCnp, "on-cnp", "at the CNP itself"},
               {Config::Decrease::kPeriodic, "periodic",
                "at the next check, if a CNP came since the last one"}},
              "when a CNP cuts the rate")
      .field("decrease_period", &Config::decrease_period,
             "between the checks of `decrease: periodic`")
      .matters_if([](const Config& c) { return c.decrease == Config::Decrease::kPeriodic; },
                  "with `decrease: periodic`")
      .choice("clamp_target", &Config::clamp_target,
              {{Config::ClampTarget::kAlways, "always", "at every cut"},
               {Config::ClampTarget::kAfterIncrease, "after-increase",
                "only if an increase happened since the last cut"}},
              "when a cut makes the current rate the new target")
      .field("first_cnp_cuts", &Config::first_cnp_cuts,
             "whether the CNP that starts the timers counts at their first check")
      .matters_if([](const Config& c) { return c.decrease == Config::Decrease::kPeriodic; },
                  "with `decrease: periodic`")
      .field("increase_timer", &Config::increase_timer, "time between rate increases")
      .at_least(1_ns)
      .field("byte_counter", &Config::byte_counter, "bytes between rate increases; 0: no counter")
      .field("fast_recovery_steps", &Config::fast_recovery_steps,
             "increases towards the target before the target itself rises")
      .range(1, 1'000)
      .field("additive_increase", &Config::additive_increase, "of the target, per step")
      .field("hyper_increase", &Config::hyper_increase,
             "of the target, per step, once timer and byte counter are both past fast recovery")
      .field("minimum_rate", &Config::minimum_rate, "no cut goes below it")
      .at_least(1_Mbps)
      .field("at_rate", &Config::at_rate,
             "the link that increases, byte counter and least rate are meant for, those given here "
             "too: on others they are in proportion; without it they are the same on every link")
      .at_least(1_Mbps)
      .field("initial_alpha", &Config::initial_alpha, "alpha before the first CNP")
      .within({.low = 0, .high = 1})
      .choice("window", &Config::window,
              {{Config::Window::kNone, "none", "anything"},
               {Config::Window::kBdp, "bdp",
                "what the rate sends in an idle round trip, as Li et al. give DCQCN in HPCC, "
                "SIGCOMM 2019, section 5.1"}},
              "what may be in flight")
      .check(check_dcqcn);
}

}  // namespace weft::protocols::congestion
