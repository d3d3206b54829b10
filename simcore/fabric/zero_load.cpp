#include "simcore/fabric/zero_load.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <optional>
#include <vector>

#include "simcore/fabric/spread_load.hpp"

namespace weft {
namespace {

using Count = std::int64_t;

/// Sums and the slowest link of identical packets over one path.
struct Train {
  Picoseconds transmissions;  ///< of one packet over all hops
  Picoseconds latency;        ///< of all hops
  Picoseconds spacing;        ///< between packets at the end of the path: the slowest link
  [[nodiscard]] Picoseconds single() const { return transmissions + latency; }
};

Train train_of(Bytes size, std::span<const PathHop> path) {
  Train train;
  for (const PathHop& hop : path) {
    const Picoseconds t = transmission_time(size, hop.rate);
    train.transmissions += t;
    train.latency += hop.latency;
    train.spacing = std::max(train.spacing, t);
  }
  return train;
}

/// A message cut into packets on a path: all full but perhaps the last.
struct Cut {
  Cut(Bytes size, const Framing& framing)
      : packets((size.count() + framing.payload.count() - 1) / framing.payload.count()),
        full(framing.payload + framing.header),
        last(size - (packets - 1) * framing.payload + framing.header) {
    assert(size.count() >= 1 && framing.payload.count() >= 1);
    assert(framing.ack_every >= 1);
  }

  Count packets;
  Bytes full;  ///< on the wire
  Bytes last;  ///< on the wire
};

/// When the last byte arrives if the sender never waits. Two or more packets.
///
/// The path is a flow shop: FIFO machines in a row with delays between them. The last full packet
/// leaves link j at X_j = sum_{i<=j} t_i + (P-2) max_{i<=j} t_i; the last packet can follow it at
/// once through the rest, which gives the critical path max_j [X_j + sum_{i>=j} t'_i].
Picoseconds delivery(const Cut& cut, std::span<const PathHop> path) {
  Picoseconds rest_last;  // from hop j
  Picoseconds latency;
  for (const PathHop& hop : path) {
    rest_last += transmission_time(cut.last, hop.rate);
    latency += hop.latency;
  }
  Picoseconds end;
  Picoseconds head_full;  // to hop j
  Picoseconds slowest;
  for (const PathHop& hop : path) {
    const Picoseconds t = transmission_time(cut.full, hop.rate);
    head_full += t;
    slowest = std::max(slowest, t);
    end = std::max(end, head_full + (cut.packets - 2) * slowest + rest_last);
    rest_last -= transmission_time(cut.last, hop.rate);
  }
  return end + latency;
}

/// When the ACK of the last packet is back if the sender never waits. ACKs are identical, so the
/// last of n released at r_1 <= ... <= r_n is back at max_k [r_k + (n-k) spacing] + one ACK's way;
/// the releases before the last are evenly spaced, which leaves the first, the last but one and the
/// last to compare.
Picoseconds completion(const Cut& cut, const Framing& framing, const Train& data, const Train& acks,
                       Picoseconds delivered) {
  Picoseconds release = delivered;
  const Count every = framing.ack_every;
  const Count earlier = (cut.packets - 1) / every;
  if (earlier > 0) {
    const Picoseconds first = data.single() + (every - 1) * data.spacing;
    const Picoseconds late = data.single() + (earlier * every - 1) * data.spacing;
    release = std::max({release, first + earlier * acks.spacing, late + acks.spacing});
  }
  return release + acks.single();
}

/// Whether a sender that never waited would exceed the window. The packet that needs the n-th ACK
/// could start at (W + (n-1) m) t_1; the ACK is back at a time linear in n as well, so the first
/// and the last n decide.
bool window_binds(const Cut& cut, const Framing& framing, std::span<const PathHop> forward,
                  const Train& data, const Train& acks) {
  const Count window = framing.window;
  const Count every = framing.ack_every;
  if (window == 0 || cut.packets <= window) return false;
  assert(window >= every);
  const Picoseconds t1 = transmission_time(cut.full, forward.front().rate);
  const Picoseconds ack_spacing = std::max(every * data.spacing, acks.spacing);
  const auto waits_for = [&](Count n) {
    const Picoseconds back =
        data.single() + (every - 1) * data.spacing + (n - 1) * ack_spacing + acks.single();
    return back > (window + (n - 1) * every) * t1;
  };
  return waits_for(1) || waits_for((cut.packets - 1 - window) / every + 1);
}

/// A row of links, or of bundles of them, each free again at a time of its own.
class Tandem {
 public:
  Tandem(std::span<const PathHop> path, Bytes cut_through)
      : path_(path), cut_through_(cut_through), free_(path.size()) {
    for (std::size_t i = 0; i < path.size(); ++i) free_[i].resize(path[i].links);
  }

  /// Sends `size` into the first link at `ready`, or when that is free; returns the arrival.
  Picoseconds send(Picoseconds ready, Bytes size) {
    const std::size_t number = sent_++;
    const Bytes first = cut_through_ > 0_B ? std::min(cut_through_, size) : size;
    Picoseconds head = ready;  // enough is there to continue
    Picoseconds tail = ready;  // all is there
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const Picoseconds t = transmission_time(size, path_[i].rate);
      Picoseconds& free = free_[i][number % path_[i].links];
      Picoseconds start = std::max(head, free);
      // A faster link would run dry: it waits until all of the packet is here.
      const bool runs_dry = i > 0 && path_[i].rate > path_[i - 1].rate;
      if (runs_dry || path_[i].takes_whole) start = std::max(start, tail);
      free = start + t;
      head = start + transmission_time(first, path_[i].rate) + path_[i].latency;
      tail = start + t + path_[i].latency;
    }
    return tail;
  }
  /// When the next packet can enter the first link.
  [[nodiscard]] Picoseconds first_free() const {
    return free_.front()[sent_ % path_.front().links];
  }

 private:
  std::span<const PathHop> path_;
  Bytes cut_through_;
  std::vector<std::vector<Picoseconds>> free_;  ///< by hop and link
  std::size_t sent_ = 0;
};

bool is_spread(std::span<const PathHop> path) {
  return std::ranges::any_of(path, [](const PathHop& hop) { return hop.links > 1; });
}

}  // namespace

ZeroLoad zero_load_by_packets(Bytes size, const Framing& framing, std::span<const PathHop> forward,
                              std::span<const PathHop> reverse) {
  if (forward.empty()) return {};
  const Cut cut(size, framing);
  const bool has_acks = framing.ack_size.count() > 0;
  const Count window = has_acks ? framing.window : 0;
  const Count every = framing.ack_every;
  assert(window == 0 || window >= every || cut.packets <= window);
  Tandem data(forward, framing.cut_through);
  Tandem acks(reverse, framing.cut_through);
  // ACK n answers packets up to n * every. A sender looks back at most `window` packets.
  std::vector<Picoseconds> ack_back(static_cast<std::size_t>(window / every + 2));
  const auto slot = [&](Count n) { return static_cast<std::size_t>(n) % ack_back.size(); };

  Picoseconds full_delivered;
  for (Count k = 1; k < cut.packets; ++k) {
    Picoseconds ready;
    if (window > 0 && k > window) ready = ack_back[slot((k - window + every - 1) / every)];
    full_delivered = data.send(ready, cut.full);
    if (has_acks && k % every == 0) {
      ack_back[slot(k / every)] = acks.send(full_delivered, framing.ack_size);
    }
  }
  Picoseconds ready;
  if (window > 0 && cut.packets > window) {
    ready = ack_back[slot((cut.packets - window + every - 1) / every)];
  }
  const bool may_overtake = is_spread(forward) && cut.last != cut.full && cut.packets > 1;
  if (!may_overtake) {
    const Picoseconds delivered = data.send(ready, cut.last);
    return {delivered, has_acks ? acks.send(delivered, framing.ack_size) : delivered};
  }
  const Picoseconds alone =
      Tandem(forward, framing.cut_through).send(std::max(ready, data.first_free()), cut.last);
  const Picoseconds delivered = std::max(full_delivered, alone);
  if (!has_acks) return {delivered, delivered};
  return {delivered, Tandem(reverse, framing.cut_through).send(delivered, framing.ack_size)};
}

ZeroLoad zero_load(Bytes size, const Framing& framing, std::span<const PathHop> forward,
                   std::span<const PathHop> reverse) {
  if (forward.empty()) return {};
  if (is_spread(forward) || is_spread(reverse)) {
    const std::optional<ZeroLoad> time = spread_load(size, framing, forward, reverse);
    return time ? *time : zero_load_by_packets(size, framing, forward, reverse);
  }
  if (framing.cut_through > 0_B) return zero_load_by_packets(size, framing, forward, reverse);
  const Cut cut(size, framing);
  const Train data = train_of(cut.full, forward);
  const bool has_acks = framing.ack_size.count() > 0;
  const Train acks = has_acks ? train_of(framing.ack_size, reverse) : Train{};
  if (has_acks && window_binds(cut, framing, forward, data, acks)) {
    return zero_load_by_packets(size, framing, forward, reverse);
  }
  const Picoseconds delivered =
      cut.packets == 1 ? train_of(cut.last, forward).single() : delivery(cut, forward);
  if (!has_acks) return {delivered, delivered};
  return {delivered, completion(cut, framing, data, acks, delivered)};
}

}  // namespace weft
