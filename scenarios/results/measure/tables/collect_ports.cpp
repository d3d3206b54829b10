#include "scenarios/results/measure/tables/collect_ports.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace weft::scenarios {
namespace {

__extension__ using WideUnsigned = unsigned __int128;

/// The rate that ports have on average over a time, where faults slow their links down: at each of
/// their changes the rate becomes that of the fault, or the link's again.
class MeanRates {
 public:
  MeanRates(const Experiment& experiment, Picoseconds from, Picoseconds to) : from_(from), to_(to) {
    for (const protocols::Fault& fault : experiment.faults) {
      if (fault.kind != protocols::Fault::Kind::kLinkRate) continue;
      const BitsPerSecond usual = experiment.fabric.port(fault.port).rate;
      std::map<Picoseconds, BitsPerSecond>& changes = changes_[fault.port];
      changes[fault.at] = fault.rate;
      changes.emplace(fault.until, usual);
    }
  }

  [[nodiscard]] BitsPerSecond of(PortId port, BitsPerSecond usual) const {
    const auto found = changes_.find(port);
    if (found == changes_.end() || to_ <= from_) return usual;
    WideUnsigned sum = 0;  // bits, times picoseconds in a second
    Picoseconds since = from_;
    BitsPerSecond rate = usual;
    const auto add = [&](Picoseconds until) {
      const Picoseconds end = std::clamp(until, since, to_);
      sum += static_cast<WideUnsigned>(rate.count()) *
             static_cast<std::uint64_t>((end - since).count());
      since = end;
    };
    for (const auto& [at, next] : found->second) {
      add(at);
      rate = next;
    }
    add(to_);
    return BitsPerSecond(
        static_cast<std::int64_t>(sum / static_cast<std::uint64_t>((to_ - from_).count())));
  }

 private:
  Picoseconds from_;
  Picoseconds to_;
  std::map<PortId, std::map<Picoseconds, BitsPerSecond>> changes_;
};

}  // namespace

void collect_ports(const EndedRun& run, Results& results) {
  const Fabric& fabric = run.experiment.fabric;
  const double seconds = to_seconds(results.counted_time());
  const MeanRates rates(run.experiment, results.measured_from, results.simulated);
  results.ports.reserve(fabric.ports.size());
  for (std::uint32_t p = 0; p < fabric.ports.size(); ++p) {
    PortResult port;
    port.port = PortId(p);
    port.name = fabric.port_name(port.port);
    port.node = fabric.node(fabric.port(port.port).node).name;
    port.peer_node = fabric.node(fabric.peer_node(port.port)).name;
    port.rate = rates.of(port.port, fabric.port(port.port).rate);
    port.counters = run.ports[p];
    if (seconds > 0) {
      port.utilisation = static_cast<double>(port.counters.bytes.count()) * 8 /
                         static_cast<double>(port.rate.count()) / seconds;
      port.mean_queue_bytes = static_cast<double>(port.counters.queue_integral) * 1e-12 / seconds;
    }
    results.ports.push_back(std::move(port));
  }
}

}  // namespace weft::scenarios
