#include "scenarios/run/memo/shortcuts.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/blame/memo/epoch_detours.hpp"
#include "scenarios/memo/obstacles.hpp"
#include "scenarios/run/memo/memoised_epochs.hpp"
#include "scenarios/run/network_options.hpp"
#include "scenarios/run/parts/invariants.hpp"

namespace weft::scenarios {
namespace {

using protocols::PacketNetwork;

/// An oracle answers for some calls of the network.
void keep_whole(const RunReuse& reuse, PacketNetwork::Options& options) {
  options.keeps_domains_whole = true;
  if (reuse.has_rails()) options.cut = LpPlan::Cut::kOne;
}

void take_over(RunReuse& reuse, PacketNetwork& network, collectives::Executor& executor) {
  executor.delegate_calls(reuse);
  network.set_external_deliveries(
      [&reuse](Picoseconds since, Picoseconds until) { return reuse.was_delivered(since, until); });
}

/// Epochs that were taken may last longer than all else, and to the limit of the run.
void close_epochs(RunReuse& reuse, std::optional<Picoseconds> until, RunEnd& end) {
  const bool has_ended = end.status == PacketNetwork::Status::kQuiescent;
  const bool was_cut = reuse.close(has_ended ? until : end.stopped);
  if (has_ended && was_cut) {
    end.status = PacketNetwork::Status::kTimeLimit;
    end.stopped = *until;
  }
  end.last_event = std::max(end.last_event, reuse.last_event());
}

/// Statistics begin again when that was planned, or where the run quiesced before: returns when
/// that is.
Picoseconds end_warmup(RunReuse& reuse, const PacketNetwork& network,
                       const MeasurementBegin& begin) {
  // Epochs that are memoised may continue where all else is at rest.
  const bool is_quiescent = begin.status == PacketNetwork::Status::kQuiescent;
  const bool continues = reuse.begin_measurement(is_quiescent ? begin.planned : network.now());
  if (!is_quiescent) return network.now();
  return continues ? begin.planned : std::max(network.last_event(), reuse.last_event());
}

}  // namespace

/// One attempt.
class Shortcuts::Part final : public RunPart {
 public:
  Part(Shortcuts& shortcuts, RunRecorder& recorder, PathFinder* paths)
      : s_(shortcuts),
        e_(shortcuts.e_),
        reuse_(shortcuts.reuse_ ? &*shortcuts.reuse_ : nullptr),
        memoises_(reuse_ != nullptr && shortcuts.mode_ == Reuse::kOn),
        skips_(shortcuts.trial_of_skips_.has_value()),
        is_on_trial_(skips_ && !memoises_) {
    if (reuse_ != nullptr || skips_) recorder.keep_rows();
    if (!memoises_) return;
    epochs_.emplace(e_, *reuse_, recorder.messages(), recorder.activities());
    recorder.on_last_message([this] { epochs_->finish(); });
    if (paths != nullptr) paths->follow(detours_.emplace(e_, *reuse_));
  }

  void configure(PacketNetwork::Options& options) override {
    if (reuse_ != nullptr) {
      keep_whole(*reuse_, options);
      add_on_period(options, [this] {
        if (memoises_ && reuse_->is_full()) epochs_->take(*network_, *executor_);
      });
    }
    if (skips_) options.cut = LpPlan::Cut::kOne;
    options.skips = skips_;
  }

  void start(PacketNetwork& network, collectives::Executor& executor) override {
    network_ = &network;
    executor_ = &executor;
    if (memoises_) {
      take_over(*reuse_, network, executor);
    } else if (reuse_ != nullptr) {
      executor.set_observer(*reuse_);
    }
  }

  void note_progress(std::uint64_t packet_hops) override {
    // Of a step that is memoised in part, what has long messages, its gradients, comes last.
    if (!is_on_trial_ || packet_hops < *s_.trial_of_skips_) return;
    is_on_trial_ = false;
    if (network_->skips().packet_hops < packet_hops / 2) s_.trial_of_skips_.reset();
  }

  [[nodiscard]] bool is_abandoned() const override {
    return (skips_ && !s_.trial_of_skips_) || (reuse_ != nullptr && reuse_->is_abandoned());
  }

  [[nodiscard]] std::optional<std::uint64_t> uncounted_hops() const override {
    return memoises_ ? std::optional(reuse_->untaken_hops()) : std::nullopt;
  }

  void begin_measurement(MeasurementBegin& begin) override {
    if (memoises_ && !reuse_->is_abandoned()) {
      begin.from = end_warmup(*reuse_, *network_, begin);
      epochs_->take(*network_, *executor_);
      epochs_->begin_measurement();
    }
    hops_before_ = network_->packet_hops();
  }

  void note_standstill() override {
    if (memoises_) reuse_->note_standstill();
  }

  /// What was memoised and skipped counts as if it had been simulated.
  void end(RunEnd& end, Results& results) override {
    ReuseReport& report = results.reuse;
    if (reuse_ != nullptr) {
      close_epochs(*reuse_, e_.scenario.run.until, end);
      if (memoises_) epochs_->take(*network_, *executor_);
      require_invariants(reuse_->violations());
      report = reuse_->report(s_.reusable_);
      report.simulated_hops += hops_before_ + network_->packet_hops() - reuse_->hops_taken();
    } else {
      report.mode = s_.mode_;
      report.simulated_hops = hops_before_ + network_->packet_hops();
      report.refusals = s_.reusable_.refusals();
    }
    if (!s_.obstacle_.empty()) report.refusals = {"nothing is reused: " + s_.obstacle_};
    report.skips += network_->skips();
    report.simulated_hops -= network_->skips().packet_hops;
  }

 private:
  Shortcuts& s_;
  const Experiment& e_;
  RunReuse* const reuse_;  ///< null: nothing is memoised or verified
  const bool memoises_;
  const bool skips_;
  bool is_on_trial_;  ///< skips are, and have not yet shown what they spare
  std::optional<MemoisedEpochs> epochs_;
  std::optional<EpochDetours> detours_;
  PacketNetwork* network_ = nullptr;
  collectives::Executor* executor_ = nullptr;
  std::uint64_t hops_before_ = 0;  ///< the measurement began
};

/// Counts nothing of what it takes over.
class Shortcuts::SecondPart final : public RunPart {
 public:
  explicit SecondPart(const Shortcuts& shortcuts)
      : reuse_(shortcuts.e_, network_options(shortcuts.e_, shortcuts.run_mode_),
               shortcuts.reusable_, Reuse::kOn) {}

  void configure(PacketNetwork::Options& options) override {
    keep_whole(reuse_, options);
    add_on_period(options, [this] {
      if (reuse_.is_full()) reuse_.take([](const MemoisedEpoch&) {}, [] {});
    });
  }
  void start(PacketNetwork& network, collectives::Executor& executor) override {
    take_over(reuse_, network, executor);
  }
  [[nodiscard]] std::optional<std::uint64_t> uncounted_hops() const override {
    return reuse_.hops_taken() + reuse_.untaken_hops();
  }

 private:
  RunReuse reuse_;
};

Shortcuts::Shortcuts(const Experiment& e, const RunMode& mode,
                     const protocols::Parallelism& parallelism)
    : e_(e), run_mode_(mode), mode_(e.scenario.run.reuse.mode) {
  // Periods are of the whole network, so that it has to be on one thread.
  if (mode_ == Reuse::kOn && parallelism.threads <= 1) trial_of_skips_ = trial_of_skips(e);
  if (mode_ == Reuse::kOff || !has_calls(e.workload)) return;
  obstacle_ = mode.lone_job ? "a job that runs alone is simulated whole" : obstacle_to_reuse(e);
  if (obstacle_.empty()) reusable_ = find_reusable(e);
}

std::unique_ptr<RunPart> Shortcuts::part(RunRecorder& recorder, PathFinder* paths) {
  reuse_.reset();
  if (!reusable_.is_empty()) reuse_.emplace(e_, network_options(e_, run_mode_), reusable_, mode_);
  return std::make_unique<Part>(*this, recorder, paths);
}

std::unique_ptr<RunPart> Shortcuts::part_of_second_run() const {
  if (reusable_.is_empty() || mode_ != Reuse::kOn) return nullptr;
  return std::make_unique<SecondPart>(*this);
}

void Shortcuts::exclude() {
  if (reuse_) reuse_->exclude(reusable_);
}

}  // namespace weft::scenarios
