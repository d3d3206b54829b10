#include "collectives/jobs/permutation/permutation.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "collectives/steps/step_list.hpp"
#include "simcore/base/check.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

schema::Object<PermutationSpec> Permutation::schema() {
  using Pairs = Spec::Pairs;
  auto builder = schema::describe<PermutationSpec>(
      "permutation", "every rank sends to one other and receives from one");
  builder.field("size", &PermutationSpec::size, "per rank")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("jitter", &PermutationSpec::jitter, "each rank starts at random within it")
      .source("all at once, the hardest case")
      .choice("pairs", &Spec::pairs,
              {{Pairs::kRandom, "random", "a random derangement by the seed"},
               {Pairs::kShift, "shift", "rank i sends to rank i + `shift`, around the end"}},
              "who sends to whom")
      .source("no favoured paths")
      .field("shift", &Spec::shift, "ranks from one that sends to the one that receives")
      .source("the next rank")
      .at_least(1)
      .only_if([](const Spec& s) { return s.pairs == Pairs::kShift; }, "with `pairs: shift`");
  add_verb(builder);
  return builder;
}

void Permutation::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  if (spec.pairs != Spec::Pairs::kShift || spec.shift % ranks != 0) return;
  problems.push_back({"shift", "is " + std::to_string(spec.shift) + ", with which each of the " +
                                   std::to_string(ranks) + " ranks would send to itself"});
}

std::uint64_t Permutation::max_connections(const Spec& /*spec*/, std::uint32_t ranks) {
  return ranks;
}

SendBound Permutation::bound(const Spec& spec, const BoundSetting& setting) {
  const double messages = setting.ranks;
  return {messages, messages, 1, static_cast<double>(spec.size.count())};
}

std::vector<std::uint32_t> random_derangement(std::uint32_t n, const RandomStream& random) {
  WEFT_CHECK(n >= 2, "one alone cannot be moved");
  std::vector<std::uint32_t> order(n);
  std::uint64_t draws = 0;
  // Of all permutations about 1/e move every element, so this takes e rounds on average.
  for (bool moves_all = false; !moves_all;) {
    std::iota(order.begin(), order.end(), 0U);
    moves_all = true;
    for (std::uint32_t i = n; i-- > 0;) {  // Fisher and Yates; position i is final after its turn
      std::swap(order[i], order[random.below(draws++, std::uint64_t{i} + 1)]);
      moves_all = moves_all && order[i] != i;
    }
  }
  return order;
}

namespace {

std::vector<std::uint32_t> destinations_of(const ProgramSetting& setting,
                                           const PermutationSpec& spec) {
  if (spec.pairs == PermutationSpec::Pairs::kRandom) {
    return random_derangement(setting.ranks, setting.random(Purpose::kPermutation, 0));
  }
  std::vector<std::uint32_t> order(setting.ranks);
  std::iota(order.begin(), order.end(), 0U);
  std::rotate(order.begin(), order.begin() + spec.shift % setting.ranks, order.end());
  return order;
}

}  // namespace

Permutation::Permutation(const ProgramSetting& setting, const PermutationSpec& spec)
    : Permutation(setting, spec, destinations_of(setting, spec)) {}

Permutation::Permutation(ProgramSetting setting, const PermutationSpec& spec,
                         std::vector<std::uint32_t> destinations)
    : setting_(std::move(setting)),
      spec_(spec),
      destinations_(std::move(destinations)),
      sources_(destinations_.size()) {
  for (std::size_t i = 0; i < destinations_.size(); ++i) {
    WEFT_CHECK(destinations_[i] != i, "nobody sends to itself");
    sources_[destinations_[i]] = static_cast<std::uint32_t>(i);
  }
  if (spec.verb == Verb::kRead) std::swap(destinations_, sources_);
}

std::vector<std::uint32_t> Permutation::send_peers(LanePlace place) const {
  return {destinations_[place.rank]};
}

std::unique_ptr<StepSource> Permutation::steps(LanePlace place) const {
  std::vector<Step> steps;
  if (const std::int64_t range = spec_.jitter.count(); range > 0) {
    const RandomStream random = setting_.random(Purpose::kStartJitter, place.rank);
    const std::uint64_t draw = random.below(0, static_cast<std::uint64_t>(range));
    steps.push_back(Step::delay(Picoseconds(static_cast<std::int64_t>(draw))));
  }
  steps.push_back(Step::send(destinations_[place.rank], spec_.size));
  steps.push_back(Step::receive(sources_[place.rank], spec_.size));
  if (setting_.has_acknowledgements) steps.push_back(Step::flush());
  return std::make_unique<StepList>(std::move(steps));
}

}  // namespace weft::collectives
