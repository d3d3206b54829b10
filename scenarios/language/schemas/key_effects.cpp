#include "scenarios/language/schemas/key_effects.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/jobs/graph/graph.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/config/transports/roce_config.hpp"
#include "protocols/config/transports/tcp_config.hpp"
#include "protocols/congestion/dcqcn/dcqcn_config.hpp"
#include "protocols/congestion/swift/swift_config.hpp"
#include "scenarios/spec/scenario.hpp"
#include "topologies/parts/parts.hpp"

namespace weft::scenarios::language {
namespace {

using protocols::SelectiveRepeat;
using protocols::congestion::DcqcnConfig;
using protocols::congestion::SwiftConfig;

KeyEffect output(const char* title, const char* key) {
  return {.title = title, .key = key, .effect = Effect::kOutput};
}
KeyEffect nothing(const char* title, const char* key) {
  return {.title = title, .key = key, .effect = Effect::kNothing};
}
KeyEffect rating(const char* title, const char* key, Effect effect = Effect::kResult) {
  return {.title = title, .key = key, .effect = effect, .is_rating = true};
}

/// `condition(const T&)`, where T is what the specification fills.
template <class T, class Condition>
KeyEffect only(const char* title, const char* key, Condition condition, const char* where) {
  return {
      .title = title,
      .key = key,
      .matters = [condition](const void* spec) { return condition(*static_cast<const T*>(spec)); },
      .where = where};
}

void add_outputs(std::vector<KeyEffect>& all) {
  for (const char* key : {"name", "observe"}) all.push_back(output("weft scenario", key));
  for (const char* key :
       {"messages", "blame", "pauses", "credits", "queues", "rates", "packets", "timeline"}) {
    all.push_back(output("observe", key));
  }
  for (const char* title : {"queues", "rates"}) all.push_back(output(title, "period"));
  all.push_back(output("queues", "ports"));
  for (const char* title : {"rates", "packets"}) all.push_back(output(title, "flows"));
  for (const char* key : {"format", "jobs", "ranks", "from", "to", "limit"}) {
    all.push_back(output("timeline", key));
  }
  for (const char* title : {"traffic class", "job", "node"}) {
    all.push_back(output(title, "name"));
  }
  all.push_back(output("group", "kind"));
  all.push_back(output("run", "cells"));
  all.push_back(output("reuse", "mode"));
}

void add_idle(std::vector<KeyEffect>& all) {
  all.push_back(nothing("weft scenario", "weft"));
  all.push_back(nothing("open loop", "destinations"));
  all.push_back(nothing("permutation", "pairs"));
  all.push_back(nothing("group", "name"));
  for (const char* title : {"sizes", "messages"}) all.push_back(nothing(title, "sha256"));
}

void add_parts(std::vector<KeyEffect>& all) {
  all.push_back(rating("switch", "buffer"));
  all.push_back(rating("switch", "capacity", Effect::kOutput));
  all.push_back(rating("NIC", "rate"));
  all.push_back(rating("scale-up", "rate"));
  using topologies::ScaleUpPart;
  all.push_back(only<ScaleUpPart>(
      "scale-up", "reduction_efficiency",
      [](const ScaleUpPart& part) { return part.reduction_window > 0; },
      "with a `reduction_window`"));
  all.push_back(only<ScaleUpPart>(
      "scale-up", "spreading", [](const ScaleUpPart& part) { return part.links_per_gpu() > 1; },
      "with several links per GPU"));
}

void add_protocols(std::vector<KeyEffect>& all) {
  using protocols::PauseConfig;
  using protocols::RoceConfig;
  using protocols::TcpConfig;
  all.push_back(only<PauseConfig>(
      "pause", "frame_overhead", [](const PauseConfig& pause) { return pause.frame > 0_B; },
      "with a `frame` that takes wire time"));
  all.push_back(only<RoceConfig>(
      "RoCE", "cnp_priority",
      [](const RoceConfig& roce) {
        return protocols::congestion::needs_of(roce.congestion_control).notices;
      },
      "with a congestion control that CNPs tell of congestion, which is dcqcn"));
  all.push_back(only<SelectiveRepeat>(
      "selective repeat", "few",
      [](const SelectiveRepeat& repeat) { return repeat.timeout_low != repeat.timeout_high; },
      "where `timeout_low` and `timeout_high` differ"));
  for (const char* key : {"delay", "last"}) {
    all.push_back(only<TcpConfig>(
        "acknowledgements", key, [](const TcpConfig& tcp) { return tcp.ack_every > 1; },
        "with more than one segment per ACK (`every`)"));
  }
  for (const char* key : {"decrease_period", "first_cnp_cuts"}) {
    all.push_back(only<DcqcnConfig>(
        "DCQCN", key,
        [](const DcqcnConfig& c) { return c.decrease == DcqcnConfig::Decrease::kPeriodic; },
        "with `decrease: periodic`"));
  }
  for (const char* key : {"scaling_min_window", "scaling_max_window"}) {
    all.push_back(only<SwiftConfig>(
        "Swift", key, [](const SwiftConfig& c) { return c.scaling_range > Picoseconds(0); },
        "with a `scaling_range` above 0"));
  }
}

void add_jobs(std::vector<KeyEffect>& all) {
  using collectives::Execution;
  using collectives::GraphGroup;
  using collectives::OverlapSpec;
  using collectives::ParallelismSpec;
  all.push_back(only<Execution>(
      "execution", "channel_rate",
      [](const Execution& e) {
        return e.transfer != Execution::Transfer::kPosted || e.preset == Execution::Preset::kNccl;
      },
      "with `transfer: serial`, or as `preset: nccl` has it"));
  all.push_back(only<Execution>(
      "execution", "calls",
      [](const Execution& e) {
        return e.preset != Execution::Preset::kPlain || e.launch.value_or(0_us) > 0_us;
      },
      "with a `launch`, or as `preset: nccl` has one"));
  all.push_back(only<GraphGroup>(
      "group", "stride", [](const GraphGroup& g) { return g.ranks.empty(); },
      "with `size`; `ranks` say all"));
  // Who says that something is off, as it is anyway, says nothing in vain.
  const auto plan = [&all](const char* key, auto condition, const char* where) {
    all.push_back(only<ParallelismSpec>("parallelism", key, condition, where));
  };
  plan(
      "schedule",
      [](const ParallelismSpec& p) {
        return p.pipeline > 1 || p.schedule == ParallelismSpec().schedule;
      },
      "with several `pipeline` ranks");
  plan(
      "zero", [](const ParallelismSpec& p) { return p.zero == 0 || p.data > 1 || p.context > 1; },
      "with several `data` or `context` ranks");
  plan(
      "sequence_parallel",
      [](const ParallelismSpec& p) { return !p.sequence_parallel || p.tensor > 1; },
      "with several `tensor` ranks");
  all.push_back(only<OverlapSpec>(
      "overlap", "bucket", [](const OverlapSpec& o) { return o.gradients; },
      "with `gradients: true`"));
}

void add_run(std::vector<KeyEffect>& all) {
  all.push_back(only<PxnSpec>(
      "rail forwarding", "chunk", [](const PxnSpec& pxn) { return pxn.enabled; },
      "with `enabled: true`"));
  all.push_back(only<ReuseSpec>(
      "reuse", "tolerance",
      [](const ReuseSpec& reuse) { return reuse.periods == Periods::kApproximate; },
      "with `periods: approximate`"));
}

std::vector<KeyEffect> make_effects() {
  std::vector<KeyEffect> all;
  add_outputs(all);
  add_idle(all);
  add_parts(all);
  add_protocols(all);
  add_jobs(all);
  add_run(all);
  return all;
}

}  // namespace

std::span<const KeyEffect> key_effects() {
  static const std::vector<KeyEffect> kAll = make_effects();
  return kAll;
}

const KeyEffect* effect_of(const schema::AnyObject& object, const std::string& key) {
  const std::span<const KeyEffect> all = key_effects();
  const auto found = std::ranges::find_if(all, [&](const KeyEffect& effect) {
    return effect.key == key && object.title == effect.title;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace weft::scenarios::language
