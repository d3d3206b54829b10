#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "protocols/congestion/control.hpp"
#include "protocols/observation/observation.hpp"
#include "protocols/packet/ids.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::protocols {

/// Messages whose packets are traced hop by hop, with all else that ports sent while these waited
/// there: what it takes to say why they came when they did. What is noted of a port, a host or a
/// queue pair is noted by the thread that runs it.
class MessageWatch {
 public:
  /// What a port sent last, or the ports that share a link.
  struct Sent {
    OptionalTime begin;
    OptionalTime end;
    std::uint32_t port = 0;
    std::uint32_t flow = 0;
    std::uint32_t sequence = 0;
    PacketKind kind = PacketKind::kData;
    ClassId traffic_class{};
    bool is_told = false;
  };
  struct Port {
    Sent last;
    std::uint32_t waiting = 0;  ///< packets that are watched
  };
  struct Loss {
    Picoseconds time;
    congestion::LossSignal signal = congestion::LossSignal::kNack;
  };

  /// `hosts`: that send.
  void build(std::span<const WatchedMessage> messages, const IdVector<QueuePairId, HostId>& hosts,
             const Fabric& fabric);

  [[nodiscard]] bool is_used() const { return !first_.empty(); }
  /// Whether this packet of a Packet::flow is of one of the messages.
  [[nodiscard]] bool has(std::uint32_t flow, std::uint32_t sequence) const {
    if (flow + 1 >= first_.size()) return false;  // what scale-up switches made
    const std::uint32_t block = first_block_[flow] + (sequence >> kBlockShift);
    if (block + 1 >= first_block_[flow + 1]) return false;
    std::uint32_t first = last_before_[block];
    std::uint32_t count = last_before_[block + 1] - first + 1;
    // The last range that begins no later.
    while (count > 1) {
      const std::uint32_t half = count / 2;
      first = ranges_[first + half].first <= sequence ? first + half : first;
      count -= half;
    }
    return ranges_[first].first <= sequence && sequence <= ranges_[first].last;
  }
  /// Whether one of the messages is posted at the host and not delivered. Times of a host rise.
  [[nodiscard]] bool is_sending(HostId host, Picoseconds now);
  /// The same of any host of those that share the link of a port.
  [[nodiscard]] bool is_any_sending(std::uint32_t port, Picoseconds now) {
    return std::ranges::any_of(hosts_of_link_[owners_[port].value()],
                               [&](HostId host) { return is_sending(host, now); });
  }
  /// Ports that share a link have one.
  [[nodiscard]] Port& port(std::uint32_t index) { return ports_[owners_[index].value()]; }

  /// The sender of a queue pair heard of a loss, or ran into its retry time-out.
  void note_loss(QueuePairId queue_pair, congestion::LossSignal signal, Picoseconds now) {
    const std::uint32_t place = queue_pair.value();
    if (place + 1 < first_.size() && first_[place] != first_[place + 1]) {
      losses_[queue_pair].push_back({now, signal});
    }
  }
  /// In order of time.
  [[nodiscard]] std::span<const Loss> losses(QueuePairId queue_pair) const {
    return losses_[queue_pair];
  }

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct Window {
    Picoseconds begin;
    Picoseconds end;
  };

  /// Ranges are found by the block of sequence numbers first: most have one or two.
  static constexpr unsigned kBlockShift = 8;
  void build_blocks();
  void find_hosts_of_links(const Fabric& fabric);

  std::vector<std::uint32_t> first_;        ///< by queue pair: of its ranges; and the end
  std::vector<Range> ranges_;               ///< by queue pair and sequence
  std::vector<std::uint32_t> first_block_;  ///< by queue pair: in `last_before_`; and the end
  /// By block, and one more for each queue pair that has ranges: the last range that begins no
  /// later than the block, or the queue pair's first.
  std::vector<std::uint32_t> last_before_;
  IdVector<QueuePairId, std::vector<Loss>> losses_;
  IdVector<HostId, std::vector<Window>> windows_;  ///< in order and apart
  IdVector<HostId, std::uint32_t> window_;         ///< the first that is not over
  std::vector<PortId> owners_;                     ///< Fabric::link_owners
  std::vector<Port> ports_;                        ///< by owner
  /// By owner of a link that is shared: hosts at it.
  std::vector<std::vector<HostId>> hosts_of_link_;
};

}  // namespace weft::protocols
