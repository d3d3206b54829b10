#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/measure/run_recorder.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/run/parts/run_part.hpp"
#include "scenarios/run/run_mode.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {

/// Follows a run of the packet engine for the one who watches. What takes time to find out is
/// looked at a few times a second only.
class RunMonitor {
 public:
  /// All must outlive it.
  RunMonitor(const Experiment& experiment, const RunMode& mode,
             const protocols::PacketNetwork& network)
      : experiment_(experiment), mode_(mode), network_(network) {}
  /// Whoever watches may see jobs and messages, too. Both must outlive it.
  void follow(const collectives::Executor& executor, RunRecorder& recorder);
  /// Packet-hops of another network count as well, where the part knows of some. It must outlive
  /// this.
  void follow(const RunPart& part) {
    if (part.uncounted_hops()) elsewhere_ = &part;
  }
  /// Valid until the next call.
  const Progress& poll(Picoseconds now, std::uint64_t packet_hops);
  /// The run is over.
  const Progress& last();

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::optional<double> part_done(Picoseconds now);
  /// Where all of it ends by itself.
  [[nodiscard]] double part_of_traffic();
  [[nodiscard]] std::vector<RunState::Port> hottest_ports(std::size_t max);

  const Experiment& experiment_;
  const RunMode& mode_;
  const protocols::PacketNetwork& network_;
  Clock::time_point words_checked_ = Clock::now();
  const RunPart* elsewhere_ = nullptr;  ///< null: this network carries everything
  std::optional<double>
      in_all_;  ///< once counted: packets of payload, or packet-hops where `elsewhere_` is
  std::uint64_t before_warmup_ = 0;  ///< packet-hops: counters begin again then
  Progress progress_;
  std::vector<Bytes> sent_;  ///< by port, at the last look at ports
  Picoseconds ports_polled_at_;
};

/// Who was blocked when nothing was delivered: `h3 -> h7 (job a), h4 -> h7 (job a) and 12 more`.
[[nodiscard]] std::string blocked_text(const Experiment& experiment, const protocols::Stall& stall,
                                       std::size_t named);

/// A warning for every time without any delivery.
[[nodiscard]] std::vector<std::string> stall_warnings(const Experiment& experiment,
                                                      const protocols::PacketNetwork& network);

}  // namespace weft::scenarios
