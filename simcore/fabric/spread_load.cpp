#include "simcore/fabric/spread_load.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weft {
namespace {

using Count = std::int64_t;

/// A packet under way.
struct Traveller {
  Count number = 0;  ///< in the order of sending
  Bytes size{};
  Picoseconds head{};  ///< enough of it is here to continue
  Picoseconds tail{};  ///< all of it is here
};

/// Takes packets over one stage after the other. The n-th takes link n mod links of a stage, those
/// of a link go in the order of their arrival.
void cross(std::span<const PathHop> path, Bytes cut_through, std::vector<Traveller>& packets) {
  std::vector<Picoseconds> free;
  BitsPerSecond previous = BitsPerSecond::max();
  for (const PathHop& hop : path) {
    std::ranges::stable_sort(packets, {}, &Traveller::head);
    free.assign(hop.links, Picoseconds(0));
    for (Traveller& p : packets) {
      const Picoseconds t = transmission_time(p.size, hop.rate);
      const Bytes first = cut_through > 0_B ? std::min(cut_through, p.size) : p.size;
      Picoseconds& link = free[static_cast<std::size_t>(p.number % hop.links)];
      Picoseconds start = std::max(p.head, link);
      // A faster link would run dry: it waits until all of the packet is here.
      if (hop.rate > previous || hop.takes_whole) start = std::max(start, p.tail);
      link = start + t;
      p.head = start + transmission_time(first, hop.rate) + hop.latency;
      p.tail = start + t + hop.latency;
    }
    previous = hop.rate;
  }
}

/// Whether full packets never wait for each other there: on each link of a stage, packets that are
/// links(source) apart follow each other, and those are at least a transmission at the source apart
/// at every stage.
bool is_ample(const PathHop& hop, const PathHop& source) {
  return hop.rate >= source.rate && hop.links % source.links == 0;
}

/// Of many links where nothing waits, eight times the source's do as well. A last packet that
/// overtakes meets nobody there either, as it gains less than a transmission per stage.
std::vector<PathHop> without_idle_links(std::span<const PathHop> path) {
  std::vector<PathHop> kept(path.begin(), path.end());
  const PathHop& source = path.front();
  const std::uint32_t enough = 8 * source.links;
  for (PathHop& hop : kept) {
    if (is_ample(hop, source)) hop.links = std::min(hop.links, enough);
  }
  return kept;
}

/// A stage as a limit of long messages: `packets` packets take at least `time`.
struct Stage {
  Count packets;
  Picoseconds time;
};

void add_stages(std::span<const PathHop> path, Bytes size, Count every,
                std::vector<Stage>& stages) {
  for (const PathHop& hop : path) {
    stages.push_back({every * hop.links, transmission_time(size, hop.rate)});
  }
}

/// Where a long message may be cut short. Packet k is through at max [sum_j a_j t_j], over all a
/// with sum_j a_j m_j <= k, past what packet 0 takes: every stage j is m_j links of time t_j, on
/// which packet k waits for packet k - m_j. In an optimum, of stages other than the slowest (m, t)
/// fewer than m count (any m of them hold some whose packets are a multiple of m, which the slowest
/// would take at least as long for), so from m max(m_j) packets on, m more take t longer.
struct Period {
  Count packets = 0;    ///< a multiple of every stage's; 0: too long to be of use
  Count transient = 0;  ///< packets before it holds
  Picoseconds time{};   ///< of `packets`
};

Period period_of(const std::vector<Stage>& stages, Count limit) {
  Period period;
  Count common = 1;
  Count max = 1;
  for (const Stage& stage : stages) {
    common = std::lcm(common, stage.packets);
    max = std::max(max, stage.packets);
    if (common > limit) return period;
  }
  for (const Stage& stage : stages) {
    const Picoseconds time = common / stage.packets * stage.time;
    if (time < period.time) continue;
    const bool is_tie = time == period.time && period.transient > 0;
    const Count transient = stage.packets * max;
    period.transient = is_tie ? std::min(period.transient, transient) : transient;
    period.time = time;
  }
  period.packets = common;
  return period;
}

/// Whether each packet could start when the sender's links were free: the ACK that lets it was
/// back.
bool is_within_window(const Framing& framing, const PathHop& source, Count packets, Bytes full,
                      const std::vector<Traveller>& acks) {
  const Picoseconds t = transmission_time(full, source.rate);
  for (Count k = framing.window; k < packets; ++k) {
    const Count needed = (k - framing.window + framing.ack_every) / framing.ack_every;
    if (acks[static_cast<std::size_t>(needed - 1)].tail > k / source.links * t) return false;
  }
  return true;
}

/// The ACKs of packets that have arrived: one per `ack_every`, and one of the last.
std::vector<Traveller> acks_of(std::vector<Traveller> arrived, const Framing& framing) {
  std::ranges::stable_sort(arrived, {}, &Traveller::tail);
  std::vector<Traveller> acks;
  for (std::size_t i = 1; i <= arrived.size(); ++i) {
    if (i % framing.ack_every != 0 && i != arrived.size()) continue;
    const Picoseconds at = arrived[i - 1].tail;
    acks.push_back({static_cast<Count>(acks.size()), framing.ack_size, at, at});
  }
  return acks;
}

Count packets_of(Bytes size, const Framing& framing) {
  return (size.count() + framing.payload.count() - 1) / framing.payload.count();
}

/// Identical packets, or a short last one that meets others at the last step only: it then
/// overtakes what it can, and no other order is better. At every step from the first one on that
/// spreads the packets of a link, it gains less than a transmission of the source. Where it gains
/// twice it may come before the last two: by turns only if these went by other links than its own,
/// by luck (both by one link, which is not its own) even over two.
bool is_exact(Bytes size, const Framing& framing, std::span<const PathHop> forward) {
  if (size.count() % framing.payload.count() == 0 || size < framing.payload) return true;
  const PathHop& source = forward.front();
  std::uint32_t gained = 0;
  bool by_luck = !framing.is_round_robin;
  for (const PathHop& hop : forward) {
    if (!is_ample(hop, source)) return false;
    const bool is_last = &hop == &forward.back();
    by_luck |= hop.turns_anew;
    const std::uint32_t wanted = gained > 0 && by_luck ? gained + 2 : gained + 1;
    if (!is_last && hop.links < wanted * source.links) return false;
    if (gained > 0 || hop.links > source.links) ++gained;
  }
  return true;
}

Picoseconds alone(Picoseconds ready, Bytes wire, Bytes cut_through, std::span<const PathHop> path) {
  std::vector<Traveller> one{{.number = 0, .size = wire, .head = ready, .tail = ready}};
  cross(path, cut_through, one);
  return one.front().tail;
}

/// The least that a message with a short last packet takes: its full packets, and the last as if
/// the others were not there.
std::optional<ZeroLoad> min_load(Bytes size, const Framing& framing,
                                 std::span<const PathHop> forward,
                                 std::span<const PathHop> reverse) {
  const Count full = packets_of(size, framing) - 1;
  const Bytes in_full = full * framing.payload;
  const auto before = spread_load(in_full, framing, forward, reverse);
  if (!before) return before;
  const PathHop& source = forward.front();
  const Picoseconds ready =
      full / source.links * transmission_time(framing.payload + framing.header, source.rate);
  const Bytes last = size - in_full + framing.header;
  const Picoseconds delivered =
      std::max(before->delivered, alone(ready, last, framing.cut_through, forward));
  if (framing.ack_size == 0_B) return ZeroLoad{delivered, delivered};
  return ZeroLoad{delivered, alone(delivered, framing.ack_size, framing.cut_through, reverse)};
}

}  // namespace

std::optional<ZeroLoad> spread_load(Bytes size, const Framing& framing,
                                    std::span<const PathHop> forward,
                                    std::span<const PathHop> reverse) {
  if (!is_exact(size, framing, forward)) return min_load(size, framing, forward, reverse);
  const std::vector<PathHop> there = without_idle_links(forward);
  const Bytes full = framing.payload + framing.header;
  const Count all = packets_of(size, framing);
  const bool has_acks = framing.ack_size > 0_B;
  const bool has_window = has_acks && framing.window > 0 && all > framing.window;

  std::vector<Stage> stages;
  add_stages(there, full, 1, stages);
  const Period of_data = period_of(stages, all);
  std::vector<PathHop> back;
  if (has_acks && !reverse.empty()) back = without_idle_links(reverse);
  if (all > framing.ack_every) add_stages(back, framing.ack_size, framing.ack_every, stages);
  const Period of_all = period_of(stages, all);

  Count repeated = 0;  // periods
  if (of_all.packets > 0) {
    const Count kept = std::max(of_data.transient, of_all.transient) + 2 * of_all.packets +
                       static_cast<Count>(there.size() + back.size()) +
                       (has_window ? framing.window : 0);
    repeated = std::max<Count>(0, (all - kept) / of_all.packets);
  }
  const Count packets = all - repeated * of_all.packets;
  std::vector<Traveller> data;
  for (Count k = 0; k < packets; ++k) data.push_back({.number = k, .size = full});
  data.back().size = size - (all - 1) * framing.payload + framing.header;
  cross(there, framing.cut_through, data);
  const Picoseconds delivered = std::ranges::max(data, {}, &Traveller::tail).tail;
  const Count periods = of_all.packets > 0 ? of_all.packets / of_data.packets : 0;
  const Picoseconds later = repeated * periods * of_data.time;
  if (!has_acks) return ZeroLoad{delivered + later, delivered + later};

  std::vector<Traveller> acks = acks_of(std::move(data), framing);
  cross(back, framing.cut_through, acks);
  const auto last = std::ranges::max_element(acks, {}, &Traveller::number);
  const Picoseconds completed = last->tail;
  std::ranges::sort(acks, {}, &Traveller::number);
  if (has_window && !is_within_window(framing, there.front(), packets, full, acks)) return {};
  return ZeroLoad{delivered + later, completed + repeated * of_all.time};
}

}  // namespace weft
