#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/packet/ids.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// Queue pairs, each once, in memory that is at most twice of what they need.
class QueuePairSet {
 public:
  void add(QueuePairId queue_pair) {
    if (!all_.empty() && all_.back() == queue_pair) return;
    all_.push_back(queue_pair);
    if (all_.size() < 2 * distinct_ + kFirstSort) return;
    all_ = ascending();
    distinct_ = all_.size();
  }
  [[nodiscard]] std::vector<QueuePairId> ascending() const {
    std::vector<QueuePairId> sorted = all_;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    return sorted;
  }

 private:
  static constexpr std::size_t kFirstSort = 64;

  std::vector<QueuePairId> all_;  ///< the first `distinct_` are ascending
  std::size_t distinct_ = 0;
};

/// A failure as one port saw it, and what was lost to it there.
struct PortIncident {
  enum class Kind : std::uint8_t {
    kOutage,     ///< the link of the port was down
    kErrors,     ///< a fault corrupted frames on the link that ends at the port
    kUnreached,  ///< a switch had no next hop for what came in by the port
    kStorm,      ///< the PFC watchdog found a class of the port paused for too long
    kGivenUp,    ///< the retry of the link that leaves the port dropped what it kept
  };
  static constexpr Picoseconds kLasting = Picoseconds::max();

  Kind kind = Kind::kOutage;
  ClassId traffic_class{};  ///< kStorm
  Picoseconds begin{};      ///< kStorm: of the pause
  Picoseconds noticed{};    ///< by the port
  Picoseconds end = kLasting;
  std::int64_t packets = 0;
  Bytes bytes{};             ///< on the wire
  Picoseconds first_loss{};  ///< if `packets` > 0
  Picoseconds last_loss{};
  QueuePairSet losers{};  ///< whose data was lost

  void lose(Picoseconds now, Bytes wire) {
    if (packets++ == 0) first_loss = now;
    last_loss = now;
    bytes += wire;
  }
  void clear_losses() {
    packets = 0;
    bytes = Bytes();
    losers = QueuePairSet();
  }
};

/// What senders noticed of failures elsewhere, in the order of time.
struct SenderNotices {
  std::vector<Picoseconds> repeats;  ///< the first repeat after each beginning of a fault
  std::vector<Picoseconds> told;     ///< a port status said that a plane of the receiver was lost
  HostId receiver;                   ///< that said so
};

}  // namespace weft::protocols
