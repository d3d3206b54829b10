#pragma once

#include <cstdint>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/training/plan/rank_grid.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// How long exchanges among the ranks of a group take, in seconds, where nobody else uses their
/// links.
class ExchangeTimes {
 public:
  virtual ~ExchangeTimes() = default;
  /// An operation on `bytes`, which are those of the whole vector, and in an all-to-all those that
  /// a rank has for all. Of one rank: nothing.
  [[nodiscard]] virtual double collective(GroupKind kind, Operation operation,
                                          double bytes) const = 0;
  /// A message to the next rank of the group.
  [[nodiscard]] virtual double send(GroupKind kind, double bytes) const = 0;
  /// A message from one pipeline rank to another, of the slowest pipeline.
  [[nodiscard]] virtual double hop(std::uint32_t /*from*/, std::uint32_t /*to*/,
                                   double bytes) const {
    return send(GroupKind::kPipeline, bytes);
  }
  /// A number of the links that exchanges of a kind of groups are bound by: two with the same
  /// number, of one rank, get half of them each.
  [[nodiscard]] virtual std::uint32_t links_of(GroupKind kind) const {
    return kind == GroupKind::kTensor || kind == GroupKind::kExpertTensor ? 1 : 2;
  }
  /// Ranks of an expert group that share a scale-up domain, as high-throughput exchanges have it.
  [[nodiscard]] virtual std::uint32_t expert_domain() const { return 1; }
};

/// What a rank has towards the others of a group, as its collectives use it: the effective rate of
/// its ring or exchange, and the latency of each of their steps.
struct GroupLink {
  BitsPerSecond rate{};  ///< 0: bytes cost nothing
  Picoseconds latency{};

  [[nodiscard]] double send(double bytes) const;
};

/// By what groups are for; tensor also where an expert is shared, data also for gradients of
/// experts, pipeline also for what its ends have both.
struct GroupLinks {
  GroupLink tensor{};
  GroupLink context{};
  GroupLink expert{};
  GroupLink pipeline{};
  GroupLink data{};
};

/// Rings over links of which only a rate and a latency are known: of n ranks, n - 1 steps of an
/// n-th of the bytes in an all-gather, a reduce-scatter or an all-to-all, and twice as many in an
/// all-reduce.
class RingTimes final : public ExchangeTimes {
 public:
  RingTimes(const GroupLinks& links, const ParallelismSpec& plan) : links_(links), grid_(plan) {}

  [[nodiscard]] double collective(GroupKind kind, Operation operation, double bytes) const override;
  [[nodiscard]] double send(GroupKind kind, double bytes) const override;

 private:
  GroupLinks links_;
  RankGrid grid_;
};

}  // namespace weft::collectives
