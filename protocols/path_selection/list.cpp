#include "protocols/path_selection/list.hpp"

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::path_selection {
namespace {

constexpr const char* kHtsim = "uet-htsim, uec_mp.cpp";
constexpr const char* kLinux = "Linux, networking/ip-sysctl.rst: ";

/// A description that begins with the number of values.
template <class Config>
schema::Builder<Config> describe_with_values(std::string title, std::string doc) {
  schema::Builder<Config> keys = schema::describe<Config>(std::move(title), std::move(doc));
  keys.field("values", &Config::values, "among which packets choose, a power of two")
      .source("64 entropies in uet-htsim")
      .range(2, kMaxValues)
      .check([](const Config& config, std::vector<schema::Problem>& problems) {
        if (!std::has_single_bit(config.values)) {
          problems.push_back({"values", "is no power of two"});
        }
      });
  return keys;
}

/// Of one that punishes values.
template <class Config>
schema::Builder<Config> describe_with_penalties(std::string title, std::string doc) {
  schema::Builder<Config> keys = describe_with_values<Config>(std::move(title), std::move(doc));
  keys.field("mark_penalty", &Config::mark_penalty,
             "times that a value is passed over whose packet was marked")
      .source(kHtsim)
      .range(0, Bitmap::kMaxPenalty)
      .field("nack_penalty", &Config::nack_penalty,
             "the same, whose packet was trimmed, where the transport hears of that (uec)")
      .source(kHtsim)
      .range(0, Bitmap::kMaxPenalty)
      .field("timeout_penalty", &Config::timeout_penalty, "the same, whose packet timed out")
      .source(kHtsim)
      .range(0, Bitmap::kMaxPenalty);
  return keys;
}

}  // namespace

schema::Object<ObliviousConfig> Oblivious::schema() {
  return describe_with_values<Config>("oblivious entropy", "packets take all values in turn");
}

schema::Object<BitmapConfig> Bitmap::schema() {
  return describe_with_penalties<Config>(
      "bitmap of entropies", "packets take all values in turn, but those that are punished");
}

schema::Object<MixedConfig> Mixed::schema() {
  return describe_with_penalties<Config>(
      "mixed entropies",
      "a value whose packet came back unmarked is used once more; else as under bitmap");
}

schema::Object<RepsConfig> Reps::schema() {
  return describe_with_values<Config>("recycled entropies (REPS)",
                                      "a value whose packet came back unmarked is used again")
      .field("freeze_time", &Config::freeze_time,
             "after a time-out only values that had come back are used for so long")
      .source(kHtsim)
      .at_least(1_ns)
      .field("explorations", &Config::explorations,
             "packets that try values at random, at first and after that time")
      .source(kHtsim)
      .range(1, 65'536);
}

schema::Object<EvStatesConfig> EvStates::schema() {
  constexpr const char* kMrc = "OCP Multipath Reliable Connection 1.0";
  return schema::describe<Config>("entropy values with states (MRC)",
                                  "packets take the good values in rotation, and probes find out "
                                  "when a bad one is good again")
      .field("values", &Config::values,
             "of a queue pair, in equal shares of the planes where packets select them")
      .source(std::string(kMrc) + ": 128 to 256 per queue pair")
      .range(EvStates::kMaxPlanes, kMaxValues)
      .field(
          "reserve", &Config::reserve,
          "of these, not in use: one of the same plane takes the place of a value that turns bad; "
          "`share`: an eighth of them")
      .source("assumed: MRC has a reserve per plane and leaves its size open")
      .special("share", std::nullopt)
      .range(0, kMaxValues - 1)
      .field("min_active", &Config::min_active,
             "values in use at least, even if all of them lose packets; `share`: a fourth of them")
      .source(std::string(kMrc) + ", ev_min_active: a fourth of the values in its examples")
      .special("share", std::nullopt)
      .range(1, kMaxValues)
      .field("probe_interval", &Config::probe_interval,
             "between probes of a bad value, while packets of the queue pair are outstanding")
      .source("assumed: MRC leaves it open")
      .at_least(1_us)
      .at_most(1_s)
      .field("good_probes", &Config::good_probes,
             "probes in a row that come back, after which a bad value is good")
      .source("assumed: MRC leaves it open")
      .range(1, 1'000)
      .integers("denied", &Config::denied, "values that are never used, as a controller says")
      .source("none")
      .range(0, kMaxValues - 1)
      .check([](const Config& config, std::vector<schema::Problem>& problems) {
        for (const std::uint32_t value : config.denied) {
          if (value < config.values) continue;
          problems.push_back({"denied", "has " + std::to_string(value) + ", and values are below " +
                                            std::to_string(config.values) + " (`values`)"});
        }
        const auto unused =
            static_cast<std::uint32_t>(config.reserve_size() + config.denied.size());
        if (unused + config.min_in_use() <= config.values) return;
        problems.push_back(
            {"min_active",
             "is more than what is left of " + std::to_string(config.values) +
                 " values without the reserve (" + std::to_string(config.reserve_size()) +
                 ") and those that are denied (" + std::to_string(config.denied.size()) +
                 "); lower min_active or reserve"});
      });
}

schema::Object<PlbConfig> Plb::schema() {
  return schema::describe<Config>("protective load balancing (PLB)",
                                  "another path after congested round trips")
      .field("marked_share", &Config::marked_share,
             "of a round trip's ACKs that are marked, from which on it was congested")
      .source(std::string(kLinux) + "tcp_plb_cong_thresh, 128 of 256")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("congested_rounds", &Config::congested_rounds,
             "congested round trips in a row, after which another path is taken")
      .source(std::string(kLinux) + "tcp_plb_rehash_rounds")
      .range(1, 1'000)
      .field("idle_rounds", &Config::idle_rounds,
             "the same, before a packet that nothing is in flight ahead of")
      .source(std::string(kLinux) + "tcp_plb_idle_rehash_rounds")
      .range(1, 1'000);
}

schema::Object<ChoiceConfig> choice_schema(const ChoiceConfig& standard) {
  const auto self = [](ChoiceConfig& config) -> ChoiceConfig& { return config; };
  auto keys = schema::describe<ChoiceConfig>("path selection", "which paths packets take");
  keys.optional_tag("type", standard.index(), "how it is chosen");
  Choices::for_each([&]<class C>() {
    keys.alternative<typename C::Config>(C::kName, self, C::schema(), typename C::Config())
        .implied();
  });
  return keys.shorthand("type");
}

}  // namespace weft::protocols::path_selection
