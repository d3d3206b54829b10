#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "protocols/network/packet_model.hpp"
#include "protocols/network/path_runner.hpp"

namespace weft::protocols {

/// A packet path and its loop over the logical processes of a window.
template <class Path>
class PathRunnerOf final : public PathRunner {
 public:
  explicit PathRunnerOf(NetworkState& state) : model_(state) {}

  void start_process(const Here& here, ProcessId process) override {
    model_.start_process(here, process);
  }
  void schedule_faults(LogicalProcess& lp, const PortState& port) override {
    model_.schedule_faults(lp, port);
  }

  /// Each stage asks for what the one before it has brought: a logical process, its first ports,
  /// their packets, the flows of hosts; of ports that nothing comes to, for nothing. Most logical
  /// processes are hosts, with one port. Logical processes beyond `rest` may be at work
  /// elsewhere and are not looked into.
  void run_window(const WindowShare& share) override {
    Worker& worker = share.worker;
    const std::size_t count = share.last - share.first;
    const auto lp_at = [&](std::size_t i) -> LogicalProcess& {
      return share.lps[share.runs_backwards ? share.last - 1 - i : share.first + i];
    };
    for (std::size_t i = 0; i < count; ++i) {
      if (i + 4 < share.rest) fetch_lines<3>(&lp_at(i + 4));
      if (i + 3 < share.rest) {
        const LogicalProcess& lp = lp_at(i + 3);
        ActivityBitmap::for_each_in(
            first_activity(lp, worker), [&](std::size_t p) __attribute__((always_inline)) {
              model_.fetch_state(lp, lp.external_in[p]);
            });
      }
      if (i + 2 < share.rest) {
        const LogicalProcess& lp = lp_at(i + 2);
        ActivityBitmap::for_each_in(
            first_activity(lp, worker), [&](std::size_t p) __attribute__((always_inline)) {
              model_.fetch_packets(lp, lp.external_in[p]);
            });
      }
      if (i + 1 < share.rest) {
        const LogicalProcess& lp = lp_at(i + 1);
        if ((first_activity(lp, worker) & 1U) != 0) model_.fetch_flows(lp, lp.external_in[0]);
      }
      weft::run_window(lp_at(i), worker, model_, share.start, share.end);
    }
  }

 private:
  /// Which of a logical process's first four ports something may come to, as ActivityBitmap have
  /// it.
  [[nodiscard]] static std::uint64_t first_activity(const LogicalProcess& lp,
                                                    const Worker& worker) {
    if (worker.activity.is_read())
      return worker.activity.read(lp.first_activity_word) & 0xffff'ffffU;
    constexpr std::array<std::uint64_t, 5> kAll = {0, 0x1, 0x101, 0x1'0101, 0x101'0101};
    return kAll[std::min(lp.external_in.size(), kAll.size() - 1)];
  }

  PacketModel<Path> model_;
};

template <class Path>
std::unique_ptr<PathRunner> make_path(NetworkState& state) {
  return std::make_unique<PathRunnerOf<Path>>(state);
}

}  // namespace weft::protocols
