#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "collectives/training/estimate/links.hpp"
#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {

/// Exchanges of ranks that are somewhere: those of a kind of groups take as long as the slowest of
/// its groups, by the cost model of the algorithm that runs them (costs/cost_model.hpp). A group in
/// one scale-up domain uses its links; where one spans domains, hops between them use NICs. What
/// several groups send over the same NIC at once is not counted.
class PlacedTimes final : public ExchangeTimes {
 public:
  /// `how` says by what algorithm and execution collectives run; its operation and size mean
  /// nothing. All ranks of the plan have a place in `layout`.
  /// `expert_domain`: as RankGrid has it (expert_domain_of). `tokens`: by what algorithm they are
  /// exchanged with experts, where that is not the one of other collectives.
  PlacedTimes(const ParallelismSpec& plan, const RankLayout& layout, const CollectiveSpec& how,
              std::uint32_t expert_domain = 1, std::optional<Algorithm> tokens = std::nullopt);

  [[nodiscard]] double collective(GroupKind kind, Operation operation, double bytes) const override;
  [[nodiscard]] double send(GroupKind kind, double bytes) const override;
  [[nodiscard]] double hop(std::uint32_t from, std::uint32_t to, double bytes) const override;
  /// Those inside scale-up domains, or those between them where some group needs these.
  [[nodiscard]] std::uint32_t links_of(GroupKind kind) const override {
    return placement_of(kind).of_ring > 0 ? 2 : 1;
  }
  [[nodiscard]] std::uint32_t expert_domain() const override {
    return grid_.size_of(GroupKind::kExpertDomain);
  }

  /// What share of what the ranks of a kind of groups send leaves a domain: of hops of rings, of
  /// hops from stage to stage, or in an all-to-all of pairs.
  [[nodiscard]] double share_between_domains(GroupKind kind, Operation operation) const;

 private:
  /// Domains of a group's ranks and the NICs that they share, numbered in the order of their first
  /// ranks. No NICs: every rank has its own.
  struct Pattern {
    std::vector<std::uint32_t> domain;
    std::vector<std::uint32_t> nic;
    auto operator<=>(const Pattern&) const = default;
  };
  struct Placement {
    std::set<Pattern> patterns;
    double of_ring{};   ///< hops that leave a domain, of all
    double of_chain{};  ///< likewise without those from the last rank to the first
    double of_pairs{};
  };
  [[nodiscard]] double message(bool leaves_domain, double bytes) const;
  [[nodiscard]] Pattern pattern_of(const PlanGroup& group) const;
  [[nodiscard]] const Placement& placement_of(GroupKind kind) const;
  [[nodiscard]] double slowest(GroupKind kind, Operation operation, double bytes) const;

  RankGrid grid_;
  RankLayout layout_;
  CollectiveSpec how_;
  std::optional<Algorithm> tokens_;
  // Whatever was asked for once.
  mutable std::map<GroupKind, Placement> placements_;
  mutable std::map<std::tuple<GroupKind, Operation, double>, double> times_;
};

}  // namespace weft::collectives
