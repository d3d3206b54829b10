#pragma once

#include <vector>

#include "collectives/algorithms/schedule.hpp"

namespace weft::collectives {

/// In three stages: a ring reduce-scatter inside each scale-up domain, a ring all-reduce along each
/// rail (the ranks of equal position, one of every domain), a ring all-gather inside each domain. A
/// lane per stage, so that the stages work on different chunks at once. All-gather and
/// reduce-scatter are the last two and the first two of them. All domains have the same number of
/// ranks.
class HierarchicalSchedule final : public Schedule {
 public:
  explicit HierarchicalSchedule(SchedulePlan plan) : Schedule(std::move(plan)) {}

  [[nodiscard]] std::uint32_t lanes_per_channel() const override {
    return plan().operation == Operation::kAllReduce ? 3 : 2;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::int64_t round_size() const override {
    const bool is_all_reduce = plan().operation == Operation::kAllReduce;
    return round_of(is_all_reduce ? plan().map.domain_size() : plan().ranks());
  }
  [[nodiscard]] StepStream steps(std::uint32_t rank, std::uint32_t lane) const override;

 private:
  enum class Stage : std::uint8_t { kScatterInside, kAlongRail, kGatherInside };
  /// A ring of some ranks: who is next, and the rank's position.
  struct Ring {
    std::uint32_t size;
    std::uint32_t position;
    std::uint32_t after;
    std::uint32_t before;
  };
  [[nodiscard]] Stage stage_of(std::uint32_t lane) const;
  [[nodiscard]] Ring inside(std::uint32_t rank) const;
  [[nodiscard]] Ring along_rail(std::uint32_t rank) const;

  /// All-reduce: piece `i`, and the part of it that a position owns after the first stage.
  [[nodiscard]] std::int64_t pieces(std::uint32_t channel) const;
  [[nodiscard]] Range piece(std::uint32_t channel, std::int64_t i) const;
  [[nodiscard]] StepStream scatter_inside(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream reduce_along_rail(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream gather_inside(std::uint32_t rank, std::uint32_t lane) const;

  /// All-gather and reduce-scatter: chunk `i` of what the rank at a place owns.
  [[nodiscard]] std::int64_t loops(std::uint32_t channel) const;
  [[nodiscard]] Range owned(std::uint32_t domain, std::uint32_t position, std::uint32_t channel,
                            std::int64_t i) const;
  /// Reduce-scatter inside the domain: what is for domain d-1 first, what is for the own one last,
  /// the order in which the rail needs it.
  [[nodiscard]] StepStream scatter_for_domains(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream scatter_along_rail(std::uint32_t rank, std::uint32_t lane) const;
  [[nodiscard]] StepStream gather_along_rail(std::uint32_t rank, std::uint32_t lane) const;
  /// All-gather inside the domain: what is from the own domain first, then as the rail brings it.
  [[nodiscard]] StepStream gather_from_domains(std::uint32_t rank, std::uint32_t lane) const;
};

}  // namespace weft::collectives
