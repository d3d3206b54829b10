#include "collectives/jobs/permutation/permutation.hpp"

#include <numeric>
#include <utility>

#include "collectives/steps/step_list.hpp"
#include "simcore/base/check.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

schema::Object<PermutationSpec> Permutation::schema() {
  return schema::describe<PermutationSpec>("permutation",
                                           "every rank sends to one other and receives from one")
      .field("size", &PermutationSpec::size, "per rank")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("jitter", &PermutationSpec::jitter, "each rank starts at random within it")
      .source("all at once, the hardest case")
      .constant("pairs", "random", "who sends to whom: a random derangement by the seed")
      .changes_nothing()
      .source("no favoured paths");
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

Permutation::Permutation(const ProgramSetting& setting, const PermutationSpec& spec)
    : Permutation(setting, spec,
                  random_derangement(setting.ranks, setting.random(Purpose::kPermutation, 0))) {}

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
