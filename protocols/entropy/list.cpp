#include "protocols/entropy/list.hpp"

#include <bit>
#include <string>
#include <vector>

#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::entropy {
namespace {

constexpr const char* kHtsim = "64 entropies in uet-htsim";
constexpr const char* kPenalties = "uet-htsim, uec_mp.cpp";

template <class Config>
void check_values(const Config& config, std::vector<schema::Problem>& problems) {
  if (!std::has_single_bit(config.values)) {
    problems.push_back({"values", "is no power of two"});
  }
}

}  // namespace

schema::Object<ObliviousConfig> Oblivious::schema() {
  return schema::describe<Config>("oblivious entropy", "packets take all values in turn")
      .field("values", &Config::values, "among which packets choose, a power of two")
      .source(kHtsim)
      .range(2, kMostValues)
      .check(check_values<Config>);
}

schema::Object<BitmapConfig> Bitmap::schema() {
  return schema::describe<Config>("bitmap of entropies",
                                  "packets take all values in turn, but those that are punished")
      .field("values", &Config::values, "among which packets choose, a power of two")
      .source(kHtsim)
      .range(2, kMostValues)
      .field("mark_penalty", &Config::mark_penalty,
             "times that a value is passed over whose packet was marked")
      .source(kPenalties)
      .range(0, kMostPenalty)
      .field("nack_penalty", &Config::nack_penalty, "whose packet was asked for again")
      .source(kPenalties)
      .range(0, kMostPenalty)
      .field("timeout_penalty", &Config::timeout_penalty, "whose packet timed out")
      .source(kPenalties)
      .range(0, kMostPenalty)
      .check(check_values<Config>);
}

schema::Object<RepsConfig> Reps::schema() {
  return schema::describe<Config>("recycled entropies (REPS)",
                                  "a value whose packet came back unmarked is used again")
      .field("values", &Config::values, "among which packets choose, a power of two")
      .source(kHtsim)
      .range(2, kMostValues)
      .field("freeze_time", &Config::freeze_time,
             "after a time-out only values that had come back are used for so long")
      .source(kPenalties)
      .at_least(1_ns)
      .field("explorations", &Config::explorations,
             "packets that try values in turn, at first and after that time")
      .source(kPenalties)
      .range(1, 65'536)
      .check(check_values<Config>);
}

schema::Object<PlbConfig> Plb::schema() {
  return schema::describe<Config>("protective load balancing (PLB)",
                                  "another path after congested round trips")
      .field("marked_share", &Config::marked_share,
             "of a round trip's ACKs that are marked, from which on it was congested")
      .source("Qureshi et al., SIGCOMM 2022, section 3: K = 0.5")
      .within({.low = 0, .high = 1, .includes_low = false})
      .field("congested_rounds", &Config::congested_rounds,
             "congested round trips in a row, after which another path is taken")
      .source("Qureshi et al., SIGCOMM 2022, section 3: a few")
      .range(1, 1'000);
}

schema::Object<ChoiceConfig> choice_schema() {
  const auto self = [](ChoiceConfig& config) -> ChoiceConfig& { return config; };
  auto keys = schema::describe<ChoiceConfig>("entropy", "which way packets take");
  keys.optional_tag("type", 0, "how it is chosen");
  Choices::for_each([&]<class C>() {
    keys.alternative<typename C::Config>(C::kName, self, C::schema(), typename C::Config())
        .implied();
  });
  return keys.shorthand("type");
}

}  // namespace weft::protocols::entropy
