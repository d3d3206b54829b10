#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "collectives/algorithms/schedule_plan.hpp"
#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"

/// What the closed forms of collectives are written in (costs/cost_model.cpp,
/// costs/domain_costs.cpp).
namespace weft::collectives {

/// A packet of a scale-up domain, in bytes, unless a scenario says otherwise.
inline constexpr double kDomainPacket = 4096;
/// How much longer exchanges of all with all take than their bytes where no flows collide on paths.
inline constexpr double kNoCollisions = 1.02;

/// Latency and time per byte of a hop, in seconds.
struct Hop {
  double latency = 0;
  double per_byte = 0;
  double per_byte_of_packet = 0;  ///< of a packet, besides
  double per_byte_of_link = 0;    ///< of a packet on one of the domain's links
  double packet = kDomainPacket;  ///< bytes of a full one

  /// Until the last byte of a message is there, if all its bytes follow each other.
  [[nodiscard]] double operator()(double bytes) const {
    return first_packet(bytes) + bytes * per_byte;
  }
  /// The latency, and what the first packet of a message takes.
  [[nodiscard]] double first_packet(double message) const {
    return latency + std::min(message, packet) * per_byte_of_packet;
  }
  /// The latency, and what the first packet of a message takes besides the message's bytes where no
  /// other sender uses its links. It is stored and forwarded once: it crosses two links, the first
  /// of them while the rank's other bytes of this step leave, `sent` bytes with the message.
  [[nodiscard]] double uncontended_packet(double message, double sent) const {
    const double crossing = std::min(message, kDomainPacket) * per_byte_of_link;
    return latency + crossing + std::max(0.0, crossing - sent * per_byte);
  }
};

/// Flows on the fullest of some planes, each on one of them by chance; the mean of the largest such
/// number of `ranks` ranks.
[[nodiscard]] double fullest_plane(double flows, std::uint32_t planes, double ranks);

/// Rounds in which everybody hears from `n`, if those who know double in each.
[[nodiscard]] inline double rounds_of(double n) { return std::ceil(std::log2(n)); }

/// A collective, its ranks and their links in numbers: bytes, seconds, and seconds per byte.
struct CostTerms {
  /// The specification must outlive the terms; the rates of the layout's links must be known.
  CostTerms(const CollectiveSpec& collective, std::uint32_t ranks, const RankLayout& layout);

  /// Pieces of `unit` bytes per chunk that a channel's share makes.
  [[nodiscard]] double pieces(double share, double unit) const;
  /// Of a rank's bytes to other domains as a number of equal flows side by side.
  [[nodiscard]] double net_per_byte(double flows) const;
  /// A hop between neighbours in rank order at some distance.
  [[nodiscard]] const Hop& at_distance(double distance) const {
    return distance < domain_size ? local : net;
  }

  const CollectiveSpec& spec;
  SchedulePlan plan;
  double n = 0;  ///< ranks
  double domains = 1;
  double domain_size = 1;
  double channels = 1;
  double chunk = 0;
  double size = 0;
  double reduce = 0;
  double copy = 0;
  double farthest = 0;  ///< latency to the farthest rank
  double collisions = kNoCollisions;
  double pair_collisions = 1;
  NicPlanes planes;
  Hop net;
  Hop local;
  Hop switches;  ///< inside a domain, of what its switches add up or multicast
};

}  // namespace weft::collectives
