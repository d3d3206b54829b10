#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "protocols/planes/plane_map.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// What a sender knows of the planes to its receiver.
struct PlaneSender {
  std::array<Picoseconds, kMaxPlanes> retry_at{};  ///< a plane with losses is tried then
  std::array<std::uint8_t, kMaxPlanes> tries{};    ///< that failed, since the loss
  std::uint32_t status = 0;                        ///< number of the newest port status
  std::uint8_t down = 0;                           ///< bit per plane: the receiver's port is down
  std::uint8_t suspects = 0;                       ///< bit per plane: packets were lost there
  std::uint8_t pathless = 0;                       ///< bit per plane: no path of it is in use
  // Where each plane has a window of its own.
  std::uint8_t full = 0;      ///< bit per plane: its window has no room
  std::uint8_t asks_ack = 0;  ///< bit per plane: its next packet asks for an ACK
  std::array<std::uint32_t, kMaxPlanes> arrived_end{};  ///< after the last packet that came by it

  /// Whether it leads to the receiver, as far as known.
  [[nodiscard]] bool may_use(std::uint32_t plane, Picoseconds now) const {
    const std::uint32_t bit = 1U << plane;
    return ((down | pathless) & bit) == 0 && ((suspects & bit) == 0 || retry_at[plane] <= now);
  }
  [[nodiscard]] bool has_room(std::uint32_t plane) const { return (full >> plane & 1U) == 0; }
  void lose(std::uint32_t plane, Picoseconds now, Picoseconds retry) {
    const std::uint32_t bit = 1U << plane;
    if ((suspects & bit) != 0) return;
    suspects = static_cast<std::uint8_t>(suspects | bit);
    tries[plane] = 0;
    retry_at[plane] = now + retry;
  }
  /// A packet goes by the plane. Returns whether it is to find out about it.
  bool note_use(std::uint32_t plane, Picoseconds now, Picoseconds retry) {
    if ((suspects >> plane & 1U) == 0 || retry_at[plane] > now) return false;
    tries[plane] = static_cast<std::uint8_t>(std::min(tries[plane] + 1, kMaxDoublings));
    retry_at[plane] = now + (std::int64_t{1} << tries[plane]) * retry;
    return true;
  }
  /// What was sent there is answered.
  void note_answer(std::uint32_t plane) {
    suspects = static_cast<std::uint8_t>(suspects & ~(1U << plane));
  }

 private:
  static constexpr int kMaxDoublings = 10;
};

/// All that selecting planes has to know; empty unless some transport selects them.
class PlaneStates {
 public:
  /// Of each transport its rotation; empty where it selects no plane by packet.
  void start(PlaneMap map, std::vector<std::vector<std::uint8_t>> rotations,
             std::size_t queue_pairs, std::size_t hosts) {
    map_ = std::move(map);
    rotations_ = std::move(rotations);
    senders_.resize(queue_pairs);
    status_.resize(hosts);
    first_peer_.assign(hosts + 1, 0);
  }
  [[nodiscard]] bool is_used() const { return !rotations_.empty(); }
  [[nodiscard]] std::uint32_t count() const { return map_.planes; }
  /// Of a port of a host.
  [[nodiscard]] std::uint32_t plane_of(std::uint32_t port) const { return map_.of_port[port]; }
  [[nodiscard]] bool is_in_plane(std::uint32_t port) const {
    return map_.of_port[port] != PlaneMap::kNone;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& rotation(std::uint8_t transport) const {
    return rotations_[transport];
  }
  [[nodiscard]] PlaneSender& operator[](QueuePairId qp) { return senders_[qp]; }
  [[nodiscard]] const PlaneSender& operator[](QueuePairId qp) const { return senders_[qp]; }

  /// Whom hosts tell of their ports: pairs of a host and a receiving end there, one per peer, by
  /// host.
  void set_listeners(const std::vector<std::pair<HostId, ReceiverId>>& sorted) {
    for (const auto& [host, receiver] : sorted) {
      peers_.push_back(receiver);
      ++first_peer_[host.value() + 1];
    }
    for (std::size_t i = 1; i < first_peer_.size(); ++i) first_peer_[i] += first_peer_[i - 1];
  }
  [[nodiscard]] std::span<const ReceiverId> listeners_of(HostId host) const {
    const std::uint32_t first = first_peer_[host.value()];
    return {peers_.data() + first, first_peer_[host.value() + 1] - first};
  }
  /// Number of the next port status of a host.
  [[nodiscard]] std::uint32_t next_status(HostId host) { return ++status_[host]; }

  [[nodiscard]] std::size_t memory_bytes() const {
    return map_.of_port.capacity() + senders_.size() * sizeof(PlaneSender) +
           (peers_.capacity() + first_peer_.capacity() + status_.size()) * sizeof(std::uint32_t);
  }

 private:
  PlaneMap map_;
  std::vector<std::vector<std::uint8_t>> rotations_;  ///< by number of the transport
  IdVector<QueuePairId, PlaneSender> senders_;
  IdVector<HostId, std::uint32_t> status_;
  std::vector<std::uint32_t> first_peer_;
  std::vector<ReceiverId> peers_;
};

}  // namespace weft::protocols
