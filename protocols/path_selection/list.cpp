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
