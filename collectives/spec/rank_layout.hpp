#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"
#include "simcore/fabric/gpu_rates.hpp"

namespace weft::collectives {

/// The planes that a NIC has a port in each, where packets or flows select one of them.
struct NicPlanes {
  std::uint32_t count = 1;     ///< 1: there is nothing to select
  BitsPerSecond rate;          ///< of a rank in one of them, one direction; of the slowest
  bool is_by_flow = false;     ///< a flow keeps to one; else packets of a message take all
  std::uint32_t stores = 0;    ///< switches that hold a packet whole, on a way from rank to rank
  Bytes packet = Bytes(4096);  ///< payload of a full one

  [[nodiscard]] bool are_several() const { return count > 1; }
  /// Of a flow by itself; `all`: of the planes together.
  [[nodiscard]] BitsPerSecond flow_rate(BitsPerSecond all) const {
    return are_several() && is_by_flow ? rate : all;
  }
};

/// Where the ranks of a job are, as far as algorithms and cost models care: scale-up domains,
/// inside which ranks reach each other by fast links, and the NICs by which they reach the others.
struct RankLayout {
  std::vector<std::uint32_t> domain;  ///< by rank, any numbers; empty: every rank alone
  BitsPerSecond domain_rate;          ///< of a rank, inside its domain, one direction
  /// The same of what switches of the domain add up or multicast; 0: as for anything else.
  BitsPerSecond reduction_rate;
  BitsPerSecond network_rate;       ///< of a rank, to other domains, one direction
  std::vector<std::uint32_t> nic;   ///< by rank, any numbers; empty: every rank has its own
  std::uint32_t nics_per_rank = 1;  ///< side by side; of ranks that share one as well
  /// What the ports of a NIC carry, headers included, one direction; 0: `network_rate`.
  BitsPerSecond nic_rate;
  NicPlanes planes = {};          ///< that `network_rate` is the sum of
  Picoseconds domain_latency;     ///< of a message inside the domain, besides its bytes
  Picoseconds network_latency;    ///< with what the NICs' own transport takes
  Picoseconds transport_latency;  ///< that share of it
  Picoseconds start_latency;      ///< of a collective over the network
  /// What a message to the farthest rank takes, where that is more than `network_latency`, as to
  /// another rail.
  Picoseconds farthest_latency;
  /// Flows keep to one of several paths each, so that some meet while other paths are idle.
  bool has_collisions = false;
  /// The domains' switches add up what ranks send and multicast what one sends.
  bool has_in_network_reduction = false;
  /// The GPUs of all ranks, where NCCL's model knows them.
  std::optional<GpuGeneration> gpus;
  /// Of the slowest of the ranks' GPUs, as far as they are known.
  GpuRates gpu_rates;
  GpuTimes gpu_times;
};

/// The layout of a job's ranks, with what algorithms ask of it worked out.
class RankMap {
 public:
  RankMap(std::uint32_t ranks, const RankLayout& layout);

  [[nodiscard]] std::uint32_t ranks() const {
    return static_cast<std::uint32_t>(domain_of_.size());
  }
  [[nodiscard]] std::uint32_t domains() const {
    return static_cast<std::uint32_t>(members_.size());
  }
  /// Every domain has as many ranks as the first.
  [[nodiscard]] bool is_even() const { return is_even_; }
  /// Ranks of the first domain.
  [[nodiscard]] std::uint32_t domain_size() const {
    return static_cast<std::uint32_t>(members_[0].size());
  }
  /// Domains are numbered in the order of their first ranks.
  [[nodiscard]] std::uint32_t domain_of(std::uint32_t rank) const { return domain_of_[rank]; }
  /// The same of all ranks.
  [[nodiscard]] const std::vector<std::uint32_t>& domains_by_rank() const { return domain_of_; }
  /// Number of a rank within its domain, which is also its rail.
  [[nodiscard]] std::uint32_t position_of(std::uint32_t rank) const { return position_of_[rank]; }
  [[nodiscard]] std::uint32_t rank_at(std::uint32_t domain, std::uint32_t position) const {
    return members_[domain][position];
  }
  [[nodiscard]] std::uint32_t size_of(std::uint32_t domain) const {
    return static_cast<std::uint32_t>(members_[domain].size());
  }
  /// NICs of the first domain.
  [[nodiscard]] std::uint32_t nics() const { return nics_; }
  /// Whether some rank shares its NIC with another of its domain.
  [[nodiscard]] bool shares_nics() const { return !entries_.empty(); }
  /// Where channels come into a domain, so that they use all of its NICs: the first rank of every
  /// NIC, then the second of every NIC, and so on. By position, where every rank has its own.
  [[nodiscard]] std::uint32_t entry_at(std::uint32_t domain, std::uint32_t number) const {
    return shares_nics() ? entries_[domain][number] : members_[domain][number];
  }
  /// The number of a rank in that order.
  [[nodiscard]] std::uint32_t entry_of(std::uint32_t rank) const {
    return shares_nics() ? entry_of_[rank] : position_of_[rank];
  }

 private:
  void order_entries(const RankLayout& layout);

  std::vector<std::uint32_t> domain_of_;
  std::vector<std::uint32_t> position_of_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::vector<std::uint32_t>> entries_;  ///< by domain; empty: as `members_`
  std::vector<std::uint32_t> entry_of_;
  std::uint32_t nics_ = 1;
  bool is_even_ = true;
};

/// A ring of all ranks for each channel. Rings of different channels enter and leave domains at
/// different ranks, so that they use different NICs (`RankMap::entry_at`). From domain to domain
/// they keep to a rail as far as possible: domains are passed through upwards and downwards in turn
/// (with an odd number of domains one crossing changes the rail).
class RingOrder {
 public:
  RingOrder(const RankMap& map, std::uint32_t channel);

  [[nodiscard]] std::uint32_t position_of(std::uint32_t rank) const { return position_[rank]; }
  [[nodiscard]] std::uint32_t rank_at(std::uint32_t position) const { return order_[position]; }
  [[nodiscard]] std::uint32_t after(std::uint32_t rank) const {
    const std::uint32_t next = position_[rank] + 1;
    return order_[next == order_.size() ? 0 : next];
  }
  [[nodiscard]] std::uint32_t before(std::uint32_t rank) const {
    const std::uint32_t at = position_[rank];
    return order_[at == 0 ? order_.size() - 1 : at - 1];
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
};

}  // namespace weft::collectives
