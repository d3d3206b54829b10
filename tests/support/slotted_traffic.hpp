#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "simcore/base/random.hpp"
#include "simcore/messages/message_network.hpp"

/// Sources that draw a destination per packet, for switches and queues whose theory assumes it.
namespace weft::testing {

/// `sources` processes post one packet each to a uniformly random one of `sinks` processes: in
/// every slot with probability `load` (Bernoulli), or with exponential gaps of the mean slot / load
/// (Poisson). Connection s * sinks + d leads from source s to sink d; processes are the sources,
/// then the sinks. Deliveries of a connection come in the order of posting.
class RandomSenders final : public ProcessHandler {
 public:
  struct Traffic {
    std::uint32_t sources = 1;
    std::uint32_t sinks = 1;
    Picoseconds slot;
    double load = 1;
    bool is_poisson = false;
    Bytes size;
    Picoseconds stop;     ///< nothing is posted from then on
    Picoseconds measure;  ///< what is posted before does not count
    std::uint64_t seed = 1;
  };

  explicit RandomSenders(const Traffic& traffic)
      : t_(traffic),
        drawn_(traffic.sources),
        posted_(std::size_t{traffic.sources} * traffic.sinks) {}

  [[nodiscard]] std::vector<HostId> hosts() const {
    std::vector<HostId> hosts;
    for (std::uint32_t i = 0; i < t_.sources + t_.sinks; ++i) hosts.emplace_back(i);
    return hosts;
  }
  [[nodiscard]] std::vector<Connection> connections() const {
    std::vector<Connection> all;
    for (std::uint32_t s = 0; s < t_.sources; ++s) {
      for (std::uint32_t d = 0; d < t_.sinks; ++d) {
        all.push_back({ProcessId(s), ProcessId(t_.sources + d), 0});
      }
    }
    return all;
  }

  void on_start(ProcessContext& context, ProcessId self) override {
    if (self.value() < t_.sources) context.wake_at(gap(self.value()), 0);
  }
  void on_wake(ProcessContext& context, ProcessId self, std::uint64_t) override {
    if (context.now() >= t_.stop) return;
    const std::uint32_t s = self.value();
    const RandomStream random(t_.seed, Purpose::kTestScenario, s);
    const bool sends =
        t_.is_poisson || static_cast<double>(random.bits(drawn_[s]++)) < t_.load * 0x1p64;
    if (sends) {
      const auto d = static_cast<std::uint32_t>(random.below(drawn_[s]++, t_.sinks));
      const std::uint32_t connection = s * t_.sinks + d;
      posted_[connection].push_back(context.now());
      context.post(ConnectionId(connection), t_.size);
    }
    context.wake_at(context.now() + gap(s), 0);
  }
  void on_delivered(ProcessContext& context, ProcessId, ConnectionId connection) override {
    std::deque<Picoseconds>& waiting = posted_[connection.value()];
    const Picoseconds posted = waiting.front();
    waiting.pop_front();
    if (context.now() >= t_.measure && context.now() < t_.stop) ++delivered_in_time;
    if (posted < t_.measure) return;
    ++count;
    sum += static_cast<double>((context.now() - posted).count());
    longest = std::max(longest, context.now() - posted);
  }
  void on_acknowledged(ProcessContext&, ProcessId, ConnectionId) override {}
  void on_control_event(ProcessContext&, ProcessId, ProcessId, std::uint64_t) override {}

  std::int64_t count = 0;              ///< delivered of those posted in the measurement
  std::int64_t delivered_in_time = 0;  ///< deliveries between its beginning and the stop
  double sum = 0;                      ///< picoseconds from posting to delivery
  Picoseconds longest;

 private:
  Picoseconds gap(std::uint32_t source) {
    if (!t_.is_poisson) return t_.slot;
    const RandomStream random(t_.seed, Purpose::kTestScenario, source);
    const double u = (static_cast<double>(random.bits(drawn_[source]++)) + 1) * 0x1p-64;
    const double mean = static_cast<double>(t_.slot.count()) / t_.load;
    return Picoseconds(static_cast<std::int64_t>(std::llround(-std::log(u) * mean)));
  }

  Traffic t_;
  std::vector<std::uint64_t> drawn_;
  std::vector<std::deque<Picoseconds>> posted_;
};

}  // namespace weft::testing
