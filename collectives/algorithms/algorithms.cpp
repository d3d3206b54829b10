#include "collectives/algorithms/algorithms.hpp"

#include <algorithm>
#include <utility>

#include "collectives/algorithms/list.hpp"

namespace weft::collectives {

namespace {

/// Blocks are numbered source * n + destination in 32 bits.
constexpr std::uint32_t kMaxBlockRanks = 65'535;

/// "is no algorithm for gather; there are one-shot and binomial-tree".
std::string refuse_operation(Operation operation, const std::vector<Algorithm>& known) {
  std::string text = std::string("is no algorithm for ") + name_of(operation) + "; there";
  text += known.size() == 1 ? " is " : " are ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) text += i + 1 == known.size() ? " and " : ", ";
    text += name_of(known[i]);
  }
  return text;
}

template <CollectiveAlgorithm A>
std::string refusal_by(const SchedulePlan& plan, bool has_in_network_reduction) {
  if (is_undivided<A>(plan.operation) && (plan.channels > 1 || plan.chunk > 0)) {
    return std::string("of ") + name_of(plan.operation) +
           " moves the data of several ranks in one message: it has one channel and no chunks";
  }
  if (plan.is_by_blocks() && plan.ranks() > kMaxBlockRanks) {
    return "has at most " + std::to_string(kMaxBlockRanks) + " ranks";
  }
  if constexpr (requires { A::refusal(plan.map, has_in_network_reduction); }) {
    return A::refusal(plan.map, has_in_network_reduction);
  }
  return {};
}

}  // namespace

const char* name_of(Algorithm algorithm) {
  for (const Chooser& chooser : kChoosers) {
    if (chooser.algorithm == algorithm) return chooser.name;
  }
  return Algorithms::visit(algorithm, []<class A> { return A::kName; });
}

std::optional<Algorithm> algorithm_named(const std::string& name) {
  std::optional<Algorithm> found;
  Algorithms::for_each([&]<class A> {
    if (name == A::kName) found = A::kAlgorithm;
  });
  for (const Chooser& chooser : kChoosers) {
    if (name == chooser.name) found = chooser.algorithm;
  }
  return found;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  names.reserve(Algorithms::kCount + kChoosers.size());
  Algorithms::for_each([&]<class A> { names.emplace_back(A::kName); });
  for (const Chooser& chooser : kChoosers) names.emplace_back(chooser.name);
  return names;
}

std::vector<Algorithm> algorithms_for(Operation operation) {
  std::vector<Algorithm> known;
  known.reserve(Algorithms::kCount);
  Algorithms::for_each([&]<class A> {
    if (!A::kOperations.has(operation)) return;
    known.insert(is_default_for<A>(operation) ? known.begin() : known.end(), A::kAlgorithm);
  });
  return known;
}

std::string refusal(const SchedulePlan& plan, Algorithm algorithm, bool has_in_network_reduction) {
  const std::vector<Algorithm> known = algorithms_for(plan.operation);
  if (std::ranges::find(known, algorithm) == known.end()) {
    return refuse_operation(plan.operation, known);
  }
  return Algorithms::visit(algorithm,
                           [&]<class A> { return refusal_by<A>(plan, has_in_network_reduction); });
}

std::unique_ptr<const Schedule> make_schedule(SchedulePlan plan, Algorithm algorithm) {
  return Algorithms::visit(algorithm, [&]<class A> { return A::schedule(std::move(plan)); });
}

}  // namespace weft::collectives
