#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/direct/one_shot.hpp"
#include "collectives/algorithms/direct/two_shot.hpp"
#include "collectives/algorithms/dissemination/dissemination.hpp"
#include "collectives/algorithms/hierarchical/hierarchical.hpp"
#include "collectives/algorithms/nvls/nvls.hpp"
#include "collectives/algorithms/nvls/nvls_tree.hpp"
#include "collectives/algorithms/pairwise/pairwise.hpp"
#include "collectives/algorithms/recursive/halving_doubling.hpp"
#include "collectives/algorithms/recursive/recursive_doubling.hpp"
#include "collectives/algorithms/ring/ring.hpp"
#include "collectives/algorithms/tree/binomial_tree.hpp"
#include "collectives/algorithms/tree/double_binary_tree.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

template <CollectiveAlgorithm... A>
struct AlgorithmList {
  static constexpr std::size_t kCount = sizeof...(A);
  static constexpr std::array<Algorithm, kCount> kNumbers{A::kAlgorithm...};

  /// Calls `visit.operator()<A>()` for every algorithm, in order.
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<A>(), ...);
  }

  /// Calls `visit.operator()<A>()` for an algorithm, which must not be one that chooses.
  template <class Visit>
  static auto visit(Algorithm algorithm, Visit visit) {
    const std::array calls{&call<A, Visit>...};
    const auto number = static_cast<std::size_t>(algorithm);
    WEFT_CHECK(number < kCount, "an algorithm that chooses is replaced by its choice before");
    return calls[number](visit);
  }

  [[nodiscard]] static constexpr std::size_t defaults_for(Operation operation) {
    return (std::size_t{is_default_for<A>(operation) && A::kOperations.has(operation)} + ...);
  }

 private:
  template <class One, class Visit>
  static auto call(Visit& visit) {
    return visit.template operator()<One>();
  }
};

/// All algorithms that carry a collective out, as `Algorithm` numbers them: the order in which the
/// reference lists them and, behind the default, the algorithms of an operation.
using Algorithms =
    AlgorithmList<Ring, BinomialTree, DoubleBinaryTree, HalvingDoubling, RecursiveDoubling,
                  Pairwise, OneShot, TwoShot, Hierarchical, Nvls, NvlsTree, Dissemination>;

static_assert(
    [] {
      for (std::size_t i = 0; i < Algorithms::kCount; ++i) {
        if (Algorithms::kNumbers[i] != static_cast<Algorithm>(i)) return false;
      }
      return Algorithm::kNccl == static_cast<Algorithm>(Algorithms::kCount);
    }(),
    "the list has every algorithm, in the order of their numbers");
static_assert(
    [] {
      for (std::uint32_t i = 0; i < kOperationCount; ++i) {
        if (Algorithms::defaults_for(static_cast<Operation>(i)) != 1) return false;
      }
      return true;
    }(),
    "every operation has one default");

/// An algorithm that stands for the choice of another.
struct Chooser {
  Algorithm algorithm;
  const char* name;
  const char* doc;
};
inline constexpr std::array<Chooser, 3> kChoosers{
    {{Algorithm::kNccl, "nccl", "what NCCL's tuning model picks, with its protocol"},
     {Algorithm::kBest, "best", "what weft's cost model of the fabric picks"},
     {Algorithm::kAuto, "auto",
      "`nccl` and its execution where NCCL's model knows the GPUs; else `best`, in chunks"}}};

}  // namespace weft::collectives
