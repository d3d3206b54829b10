// Zero-load times of messages that are split over the queue pairs of their connection.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "scenarios/zero_load/zero_load_times.hpp"
#include "simcore/messages/split_message.hpp"

namespace weft::scenarios {
namespace {

/// The packets of parts that leave by one port. The last one to leave has all others before it, and
/// the rest of its way alone: whichever it is, it is the last one of its part.
class OnePort {
 public:
  void add(Bytes part, const Framing& framing, const std::vector<PathHop>& there,
           const std::vector<PathHop>& back) {
    const std::int64_t packets = packets_of(part, framing);
    const Bytes last = part - (packets - 1) * framing.payload;
    const BitsPerSecond rate = there.front().rate;
    const Picoseconds of_last = transmission_time(last + framing.header, rate);
    leaving_ += (packets - 1) * transmission_time(framing.payload + framing.header, rate) + of_last;
    const ZeroLoad alone = zero_load(last, framing, there, back);
    rest_.delivered = std::min(rest_.delivered, alone.delivered - of_last);
    rest_.completed = std::min(rest_.completed, alone.completed - of_last);
  }
  [[nodiscard]] ZeroLoad time() const {
    return {leaving_ + rest_.delivered, leaving_ + rest_.completed};
  }

 private:
  Picoseconds leaving_;
  ZeroLoad rest_{Picoseconds::max() / 2, Picoseconds::max() / 2};
};

void raise(ZeroLoad& bound, const ZeroLoad& other) {
  bound.delivered = std::max(bound.delivered, other.delivered);
  bound.completed = std::max(bound.completed, other.completed);
}

}  // namespace

std::uint32_t ZeroLoadTimes::split_number(ConnectionId connection) {
  split_of_.resize(workload_.connections().size(), kUnasked);
  if (split_of_[connection.value()] != kUnasked) return split_of_[connection.value()];
  const ConnectionTransport transport = transports_.of(connection);
  const auto [from, to] = ends(connection);
  Split split;
  std::vector<PortId> ports;
  for (std::uint32_t i = 0; i < transport.queue_pairs; ++i) {
    split.journeys.push_back(journey_number(connection, i));
    const std::vector<PortId> first =
        first_links_of(transport, from, to, entropy_of(connection, i));
    // Of those that may take several nothing is known.
    ports.push_back(first.size() == 1 && tables_.size() == 1 ? first.front() : PortId::none());
    const auto same = std::ranges::find(ports, ports.back());
    const bool is_known = !ports.back().is_none();
    split.leaves_with.push_back(is_known ? static_cast<std::uint32_t>(same - ports.begin())
                                         : kUnasked);
  }
  const auto next = static_cast<std::uint32_t>(splits_.size());
  const auto [found, is_new] = splits_.emplace(std::move(split), next);
  if (is_new) split_by_number_.push_back(&found->first);
  return split_of_[connection.value()] = found->second;
}

ZeroLoad ZeroLoadTimes::split_time(const Split& split, Bytes size) const {
  const auto count = static_cast<std::uint32_t>(split.journeys.size());
  ZeroLoad bound;
  std::vector<OnePort> ports(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Bytes part = part_of(size, count, i);
    if (part == 0_B) continue;
    const Journey& journey = *by_number_[split.journeys[i]];
    raise(bound, min_time(journey, part));
    if (split.leaves_with[i] == kUnasked || journey.forward.front().empty()) continue;
    OnePort& port = ports[split.leaves_with[i]];
    port.add(part, journey.framing, journey.forward.front(), journey.reverse.front());
    raise(bound, port.time());
  }
  return bound;
}

ZeroLoad ZeroLoadTimes::split_message(ConnectionId connection, Bytes size) {
  const std::uint32_t number = split_number(connection);
  const auto [found, is_new] = split_messages_.try_emplace(Key{number, size.count()});
  if (is_new) found->second = split_time(*split_by_number_[number], size);
  return found->second;
}

}  // namespace weft::scenarios
