#include "collectives/jitter/jitter_spec.hpp"

#include <algorithm>

#include "collectives/jitter/jitter_schema.hpp"
#include "simcore/schema/schema_builder.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::collectives {
namespace {

constexpr double kSlowest = 1e6;
constexpr Picoseconds kLongestNoise(1'000'000'000'000'000);
constexpr const char* kNominal = "as fast as the others";

schema::Object<PeriodicPause> pause_schema() {
  return schema::describe<PeriodicPause>("pause", "nothing is computed for a while, periodically")
      .field("period", &PeriodicPause::period, "from one pause to the next")
      .required()
      .at_least(Picoseconds(1))
      .at_most(kLongestNoise)
      .field("length", &PeriodicPause::length, "of a pause")
      .required()
      .at_most(kLongestNoise)
      .field("phase", &PeriodicPause::phase, "of the first pause, counted from the job's start")
      .source("with the job")
      .at_most(kLongestNoise);
}

schema::Object<Throttle> throttle_schema() {
  return schema::describe<Throttle>("throttle", "everything takes longer for a while")
      .field("start", &Throttle::start, "counted from the job's start")
      .source("with the job")
      .at_most(kLongestNoise)
      .field("length", &Throttle::length, "of the while")
      .required()
      .at_most(kLongestNoise)
      .field("factor", &Throttle::factor, "multiplier of computing time")
      .required()
      .within({.low = 1e-3, .high = kSlowest})
      .compact();
}

/// Those that words name, in any order.
std::vector<bool> named(const std::vector<std::string>& words, std::uint32_t count) {
  std::vector<bool> is_named(count);
  for (const std::string& word : words) {
    const auto range = parse_range(word);
    if (!range) continue;
    for (std::uint64_t i = range->first; i <= range->second && i < count; ++i) is_named[i] = true;
  }
  return is_named;
}

RankJitter noise_of_spec(const JitterSpec& spec) {
  return {spec.factor, spec.jitter.value_or(Jitter()), spec.pause, spec.throttles};
}

}  // namespace

schema::Object<JitterSpec> noise_schema() {
  using N = JitterSpec;
  return schema::describe<N>("noise", "ranks that compute slower, all the time or now and then")
      .words("ranks", &N::ranks, "numbers and ranges `0-3` of ranks of the job")
      .source("all, or those of `servers`")
      .words("servers", &N::servers,
             "numbers and ranges of scale-up domains, in the order of the job's ranks")
      .source("all, or those of `ranks`")
      .field("factor", &N::factor, "multiplier of computing time")
      .source(kNominal)
      .within({.low = 1e-3, .high = kSlowest})
      .object("jitter", &N::jitter, jitter_schema(), "random delay of every piece of work")
      .source(kNominal)
      .object("pause", &N::pause, pause_schema(), "nothing is computed for a while, periodically")
      .source(kNominal)
      .objects("throttles", &N::throttles, throttle_schema(), "slower for a while")
      .source(kNominal)
      .check([](const N& noise, std::vector<schema::Problem>& problems) {
        check_noise(noise_of_spec(noise), problems);
      });
}

void check_noise_specs(const std::vector<JitterSpec>& specs, std::uint32_t ranks,
                       std::vector<schema::Problem>& problems) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string key = "noise[" + std::to_string(i) + "]";
    const auto check = [&](const std::vector<std::string>& words, const char* what) {
      for (const std::string& word : words) {
        const auto range = parse_range(word);
        if (range && range->first <= range->second && range->second < ranks) continue;
        problems.push_back({key + "." + what, "`" + word + "` names no " + what +
                                                  "; there are 0 to " + std::to_string(ranks - 1)});
      }
    };
    check(specs[i].ranks, "ranks");
    check(specs[i].servers, "servers");
  }
}

std::vector<RankJitter> noise_by_rank(const std::vector<JitterSpec>& specs,
                                      const std::vector<std::uint32_t>& domain_of) {
  if (specs.empty()) return {};
  const auto ranks = static_cast<std::uint32_t>(domain_of.size());
  std::vector<RankJitter> all(ranks);
  for (const JitterSpec& spec : specs) {
    const std::vector<bool> is_slow = named(spec.ranks, ranks);
    const std::vector<bool> has_slow = named(spec.servers, ranks);
    const bool holds_for_all = spec.ranks.empty() && spec.servers.empty();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      if (!holds_for_all && !is_slow[rank] && !has_slow[domain_of[rank]]) continue;
      all[rank] = combined(all[rank], noise_of_spec(spec));
    }
  }
  return all;
}

}  // namespace weft::collectives
