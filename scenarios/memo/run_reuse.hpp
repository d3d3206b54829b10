#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/runtime/call_oracle.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/memo/domain_reuse.hpp"
#include "scenarios/memo/rail_reuse.hpp"

namespace weft::scenarios {

/// What of a run may be memoised.
struct Reusable {
  collectives::GpuSets domains;
  collectives::GpuSets rails;

  [[nodiscard]] bool is_empty() const { return domains.all.empty() && rails.all.empty(); }
  /// Sentences: what is not, and why.
  [[nodiscard]] std::vector<std::string> refusals() const;
};

/// All of a run, as it is built.
[[nodiscard]] Reusable find_reusable(const Experiment& experiment);

/// All calls that are memoised in a run: inside domains, and between them.
class RunReuse final : public collectives::CallOracle, public collectives::TaskObserver {
 public:
  /// All arguments must outlive it. Unless calls are handed over to it, everything is simulated in
  /// its place and told to it, to be verified or audited; rails are not audited.
  RunReuse(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
           const Reusable& reusable, Reuse mode);

  [[nodiscard]] bool takes(ProcessId process, std::uint32_t stream) const override {
    return rails_.takes(process, stream) || domains_.takes(process, stream);
  }
  std::span<const End> begin(ProcessId process, std::uint32_t stream, std::uint32_t call,
                             Picoseconds now) override;
  void end(ProcessId process, std::uint32_t stream) override;
  [[nodiscard]] bool needs_poll() override { return rails_.needs_poll(); }
  std::span<const End> poll_ends(Picoseconds now, Picoseconds horizon) override {
    return rails_.poll_ends(now, horizon);
  }
  [[nodiscard]] std::optional<Picoseconds> next_poll_at() const override {
    return rails_.next_poll_at();
  }

  void begun(ProcessId process, std::uint32_t stream, std::uint32_t call, Picoseconds now) override;
  void ended(ProcessId process, std::uint32_t stream, Picoseconds now,
             Picoseconds posted_at) override;

  /// Before the run: which epochs calls were of will be asked for.
  void keep_calls();
  /// The call of a rank's stream that ended then, if it took some time, and its epoch, as far as it
  /// has gone by now.
  [[nodiscard]] std::optional<CalledEpoch> call_that_ended(ProcessId process, std::uint32_t stream,
                                                           Picoseconds time) const;
  /// Nobody will ask for calls of a job that ended before.
  void forget_calls(std::uint32_t job, Picoseconds before);
  /// Of the whole run.
  [[nodiscard]] const protocols::PacketNetwork::Options& options() const { return options_; }

  [[nodiscard]] bool has_rails() const { return rails_.is_used(); }
  /// Taking something over costs more than it spares.
  [[nodiscard]] bool is_not_worthwhile() const {
    return domains_.is_not_worthwhile() || rails_.is_not_worthwhile();
  }
  /// Whether any packet of what is memoised was delivered from `since` on and before `until`,
  /// which is now. Where that is not known, the run is discarded.
  [[nodiscard]] bool was_delivered(Picoseconds since, Picoseconds until);
  /// The network around it came to a standstill: when that shows depends on all that moves, what is
  /// memoised included.
  void note_standstill() { stood_still_ = domains_.is_used() || rails_.is_used(); }
  /// Nothing of the run counts: it restarts.
  [[nodiscard]] bool is_abandoned() const { return stood_still_ || is_not_worthwhile(); }
  /// Without what costs more, or cannot be.
  void exclude(Reusable& reusable) const;
  /// As DomainReuse.
  bool begin_measurement(Picoseconds now);
  bool close(std::optional<Picoseconds> limit);
  void take(const std::function<void(const MemoisedEpoch&)>& visit,
            const std::function<void()>& use);
  /// Packet-hops of all epochs that were.
  [[nodiscard]] std::uint64_t hops_taken() const { return hops_inside_ + hops_on_rails_; }
  /// Packet-hops of epochs that are over, but were not taken yet.
  [[nodiscard]] std::uint64_t untaken_hops() const {
    return domains_.memoised_hops() + rails_.memoised_hops() - hops_taken();
  }
  void on_closed(const DomainReuse::Closed& visit);
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] Picoseconds last_event() const;
  [[nodiscard]] ReuseReport report(const Reusable& reusable) const;
  [[nodiscard]] std::vector<std::string> violations() const;

 private:
  const Experiment& e_;
  const Reuse mode_;
  const protocols::PacketNetwork::Options options_;
  std::unique_ptr<CallLog> calls_;  ///< null: nobody will ask
  DomainReuse domains_;
  RailReuse rails_;
  // Packet-hops of epochs that were taken.
  std::uint64_t hops_inside_ = 0;
  std::uint64_t hops_on_rails_ = 0;
  bool stood_still_ = false;
  std::mutex mutex_;  ///< of what is told of rails
  std::vector<std::string> differences_;
};

}  // namespace weft::scenarios
