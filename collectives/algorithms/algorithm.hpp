#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "collectives/algorithms/bound_terms.hpp"
#include "collectives/algorithms/cost_terms.hpp"
#include "collectives/algorithms/schedule.hpp"
#include "collectives/spec/collective_spec.hpp"

namespace weft::collectives {

/// Some of the operations.
class OperationSet {
 public:
  constexpr OperationSet(std::initializer_list<Operation> operations) {
    for (const Operation operation : operations) bits_ |= bit(operation);
  }
  [[nodiscard]] constexpr bool has(Operation operation) const {
    return (bits_ & bit(operation)) != 0;
  }

 private:
  static_assert(kOperationCount <= 32);
  static constexpr std::uint32_t bit(Operation operation) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(operation);
  }
  std::uint32_t bits_ = 0;
};

/// How collectives are done: an algorithm in a folder of its own or of its family. `list.hpp` has
/// all of them; everything that names them, chooses among them, refuses or runs them follows from
/// it.
///
/// - `kAlgorithm`: its number. `kName`, as scenarios spell it; `kDoc`, what it does, in a line.
/// - `kOperations`: what it can do. `kDefaultFor`, if there are: those that run by it where a
///   scenario names no algorithm. Of every operation, one algorithm is the default.
/// - `kUndivided`, if there are: operations of which one message moves the data of several ranks.
///   They have one channel and no chunks.
/// - `refusal(map, has_in_network_reduction)`, if ranks may be placed so that it cannot run: why,
///   or nothing.
/// - `schedule(plan)`: the steps, of a plan that is not refused.
/// - `cost(terms)`: the closed form without contention, in seconds without the launch.
/// - `max_connections(operation, n)` and `max_messages(terms)`: bounds for a channel, so that
///   nothing is built that cannot be held: connections of all ranks, and what a rank sends, in
///   slices.
template <class A>
concept CollectiveAlgorithm = requires(const SchedulePlan& plan, const CostTerms& terms,
                                       const BoundTerms& bound, Operation operation,
                                       std::uint64_t n) {
  { A::kAlgorithm } -> std::convertible_to<Algorithm>;
  { A::kName } -> std::convertible_to<const char*>;
  { A::kDoc } -> std::convertible_to<const char*>;
  { A::kOperations } -> std::convertible_to<OperationSet>;
  { A::schedule(plan) } -> std::same_as<std::unique_ptr<const Schedule>>;
  { A::cost(terms) } -> std::same_as<double>;
  { A::max_connections(operation, n) } -> std::same_as<std::uint64_t>;
  { A::max_messages(bound) } -> std::same_as<double>;
};

/// What an algorithm states of its operations, where it does.
template <CollectiveAlgorithm A>
constexpr bool is_default_for(Operation operation) {
  if constexpr (requires { A::kDefaultFor; }) return A::kDefaultFor.has(operation);
  return false;
}
template <CollectiveAlgorithm A>
constexpr bool is_undivided(Operation operation) {
  if constexpr (requires { A::kUndivided; }) return A::kUndivided.has(operation);
  return false;
}

}  // namespace weft::collectives
