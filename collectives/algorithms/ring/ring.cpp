#include "collectives/algorithms/ring/ring.hpp"

#include <algorithm>

#include "collectives/nccl/nccl_blocks.hpp"

namespace weft::collectives {

RingSchedule::RingSchedule(SchedulePlan p) : Schedule(std::move(p)) {
  std::uint32_t max = 1;
  for (std::uint32_t d = 0; d < plan().map.domains(); ++d) {
    max = std::max(max, plan().map.size_of(d));
  }
  for (std::uint32_t c = 0; c < std::min(plan().channels, max); ++c) {
    orders_.emplace_back(plan().map, c);
  }
}

std::uint32_t RingSchedule::distance(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = plan().ranks();
  return (order(lane).position_of(rank) + n - order(lane).position_of(plan().root)) % n;
}

std::vector<std::uint32_t> RingSchedule::send_peers(std::uint32_t rank, std::uint32_t lane) const {
  const bool is_end =
      (plan().operation == Operation::kBroadcast && distance(rank, lane) + 1 == plan().ranks()) ||
      (plan().operation == Operation::kReduce && distance(rank, lane) == 0);
  if (is_end) return {};
  return {order(lane).after(rank)};
}

StepStream RingSchedule::steps(std::uint32_t rank, std::uint32_t lane) const {
  if (plan().operation == Operation::kBroadcast) return broadcast(rank, lane);
  if (plan().operation == Operation::kReduce) return reduce(rank, lane);
  return around(rank, lane);
}

std::int64_t RingSchedule::loops(std::uint32_t lane) const {
  const SchedulePlan& p = plan();
  if (p.operation == Operation::kAllReduce) {
    return piece_count(part_of(p.whole(), p.channels, lane).size, p.chunk * p.ranks());
  }
  return piece_count(p.share(0, lane).size, p.chunk);  // no share is larger than the first rank's
}

Range RingSchedule::part(std::uint32_t lane, std::int64_t loop, std::uint32_t position) const {
  const SchedulePlan& p = plan();
  if (p.operation == Operation::kAllReduce) {
    const Range share = part_of(p.whole(), p.channels, lane);
    return part_of(piece_of(share, p.chunk * p.ranks(), loop), p.ranks(), position);
  }
  return piece_of(p.share(order(lane).rank_at(position), lane), p.chunk, loop);
}

StepStream RingSchedule::around(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t n = plan().ranks();
  const bool is_all_reduce = plan().operation == Operation::kAllReduce;
  const bool is_scatter = plan().operation == Operation::kReduceScatter;
  const std::uint32_t last = is_all_reduce ? 2 * (n - 1) : n - 1;
  const std::uint32_t reducing = plan().operation == Operation::kAllGather ? 0 : n - 1;
  const std::uint32_t next = order(lane).after(rank);
  const std::uint32_t previous = order(lane).before(rank);
  const std::uint32_t first = order(lane).position_of(rank) + (is_scatter ? n - 1 : n);
  const std::int64_t all = loops(lane);
  for (std::int64_t loop = 0; loop < all; ++loop) {
    Range range = part(lane, loop, first % n);
    for (std::uint32_t i = 0; i < slices(); ++i) {
      const Range slice = part_of(range, slices(), i);
      if (!slice.empty()) co_yield Step::send(next, 0, slice);
    }
    for (std::uint32_t s = 0; s < last; ++s) {
      range = part(lane, loop, (first + 2 * n - 1 - s) % n);
      for (std::uint32_t i = 0; i < slices(); ++i) {
        const Range slice = part_of(range, slices(), i);
        if (slice.empty()) continue;
        Step step = Step::receive(previous, 0, slice);
        step.reduces = s < reducing;
        co_yield step;
        if (s + 1 < last) co_yield Step::send(next, 0, slice);
      }
    }
  }
}

StepStream RingSchedule::broadcast(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t at = distance(rank, lane);
  const Range share = part_of(plan().whole(), plan().channels, lane);
  const std::int64_t pieces = piece_count(share.size, plan().chunk);
  for (std::int64_t i = 0; i < pieces * slices(); ++i) {
    const Range slice =
        part_of(piece_of(share, plan().chunk, i / slices()), slices(), i % slices());
    if (slice.empty()) continue;
    if (at > 0) co_yield Step::receive(order(lane).before(rank), 0, slice);
    if (at + 1 < plan().ranks()) co_yield Step::send(order(lane).after(rank), 0, slice);
  }
}

StepStream RingSchedule::reduce(std::uint32_t rank, std::uint32_t lane) const {
  const std::uint32_t at = distance(rank, lane);  // the chain begins behind the root, at 1
  const Range share = part_of(plan().whole(), plan().channels, lane);
  const std::int64_t pieces = piece_count(share.size, plan().chunk);
  for (std::int64_t i = 0; i < pieces * slices(); ++i) {
    const Range slice =
        part_of(piece_of(share, plan().chunk, i / slices()), slices(), i % slices());
    if (slice.empty()) continue;
    if (at != 1) co_yield Step::receive_and_reduce(order(lane).before(rank), 0, slice);
    if (at != 0) co_yield Step::send(order(lane).after(rank), 0, slice);
  }
}

std::unique_ptr<const Schedule> Ring::schedule(SchedulePlan plan) {
  return std::make_unique<RingSchedule>(std::move(plan));
}

namespace {

/// Every byte that goes around the ring passes the slowest kind of link. A domain's NICs share what
/// rings of different channels bring.
double ring_per_byte(const CostTerms& t) {
  if (t.domains == 1) return t.local.per_byte;
  const double nics = std::min<double>(t.channels, t.domain_size);
  return std::max(t.local.per_byte, t.net.per_byte / nics);
}

/// Of messages that go from rank to rank, one of `message` bytes per channel. Nobody else sends to
/// the neighbour that a rank sends to, so packets do not contend.
double chain_latency(const CostTerms& t, double hops, double message) {
  const double crossings = t.domains == 1 ? 0 : hops * t.domains / t.n;
  return (hops - crossings) * t.local.uncontended_packet(message, message * t.channels) +
         crossings * t.net.first_packet(message);
}

/// Steps of a ring in which a rank takes, handles and passes on `step` bytes each. A step of
/// several slices has one of them on the links while another is handled. So it takes as long as its
/// bytes on the slowest kind of link, as long as its bytes to handle, or as long as one slice from
/// rank to rank, whichever is most. Between domains a slice takes the slow links once per domain;
/// behind these its bytes wait for those before them.
class RingSteps {
 public:
  /// `pieces`: times that all steps are made, one after the other.
  RingSteps(const CostTerms& t, double step, double pieces)
      : slices_(t.spec.execution.slices),
        links_(step * ring_per_byte(t)),
        bytes_(step),
        pieces_(pieces) {
    const double hops = t.n - 1;
    const double crossings = t.domains == 1 ? 0 : t.domains / t.n;
    latency_ = chain_latency(t, hops, step / slices_ / t.channels) / hops;
    on_links_ = (1 - crossings) * step * t.local.per_byte + crossings * links_;
    last_latency_ = t.domains == 1 ? latency_ : t.net.first_packet(step / slices_ / t.channels);
  }

  /// Seconds of `steps` steps for each piece, of bytes that take `handling` each.
  [[nodiscard]] double take(double steps, double handling) const {
    return pieces_ * steps * std::max(slowest(handling), slice(handling));
  }
  /// What the last step takes longer: its other slices come after the first one.
  [[nodiscard]] double rest_of_last(double handling) const {
    const double slow = slowest(handling);
    const double rest = slice(handling) >= slow
                            ? (slices_ - 1) / slices_ * slow
                            : last_latency_ + std::min(links_, bytes_ * handling) / slices_;
    return pieces_ * rest;
  }

 private:
  [[nodiscard]] double slowest(double handling) const {
    return std::max(links_, bytes_ * handling);
  }
  [[nodiscard]] double slice(double handling) const {
    return latency_ + (on_links_ + bytes_ * handling) / slices_;
  }

  double slices_;
  double links_;
  double on_links_ = 0;  ///< of a step's bytes, on the mean link
  double latency_ = 0;
  double last_latency_ = 0;
  double bytes_;
  double pieces_;
};

/// What blocks of threads take to put in place the last of `pieces` steps of `step` bytes each.
double placing(const CostTerms& t, double step, double pieces) {
  const BitsPerSecond rate =
      t.domains == 1 ? nccl_place_rate(t.spec, t.spec.execution) : BitsPerSecond(0);
  if (rate == BitsPerSecond(0)) return 0;
  return pieces * step / t.channels * 8 / static_cast<double>(rate.count());
}

}  // namespace

double Ring::cost(const CostTerms& t) {
  const double steps = t.n - 1;
  const double per_byte = ring_per_byte(t);
  switch (t.spec.operation) {
    case Operation::kAllReduce: {
      const double pieces = t.pieces(t.size, t.chunk * t.n);
      const RingSteps ring(t, t.size / t.n / pieces, pieces);
      return ring.take(steps, t.reduce) + ring.take(steps, t.copy) + ring.rest_of_last(t.copy) +
             placing(t, t.size / t.n / pieces, pieces);
    }
    case Operation::kBroadcast:
    case Operation::kReduce: {
      // A chain: the last chunk leaves after all others, and passes every hop.
      const double count = t.pieces(t.size, t.chunk) * t.spec.execution.slices;
      const double piece = t.size / count;
      const double handling = t.spec.operation == Operation::kReduce ? t.reduce : t.copy;
      return chain_latency(t, steps, piece) + (steps + count - 1) * piece * (per_byte + handling);
    }
    default: {
      const double handling = t.spec.operation == Operation::kAllGather ? t.copy : t.reduce;
      const double pieces = t.pieces(t.size / t.n, t.chunk);
      const RingSteps ring(t, t.size / t.n / pieces, pieces);
      return ring.take(steps, handling) + ring.rest_of_last(handling) +
             placing(t, t.size / t.n / pieces, pieces);
    }
  }
}

double Ring::max_messages(const BoundTerms& terms) {
  switch (terms.operation) {
    case Operation::kBroadcast:
    case Operation::kReduce:  // along a chain
      return terms.chunks();
    case Operation::kAllReduce:
      return 2 * terms.n * terms.chunks(terms.n);
    default:
      return terms.n * terms.chunks(terms.n);
  }
}

}  // namespace weft::collectives
