#include "collectives/memo/shortened_steps.hpp"

#include <utility>

namespace weft::collectives {
namespace {

class ShortenedSteps final : public StepSource {
 public:
  ShortenedSteps(std::unique_ptr<StepSource> program, const Shortening& shortening)
      : program_(std::move(program)), s_(shortening), stream_(steps()) {}
  bool next(Step& step) override { return stream_.next(step); }
  void omit_task() override { program_->omit_task(); }

 private:
  [[nodiscard]] StepStream steps();
  void begin_call(const Step& step) {
    iteration_ = step.count();
    rounds_ = s_.rounds != nullptr && s_.rounds->steps > 0 ? 0 : -1;
    steps_ = 0;
  }
  /// Whether a round is over before this step, or the first one begins.
  [[nodiscard]] bool is_between_rounds(const Step& step) const {
    if (rounds_ < 0 || rounds_ > s_.whole_rounds) return false;
    if (!is_counted(step)) return false;
    return steps_ == rounds_ * s_.rounds->steps;
  }
  [[nodiscard]] bool cuts_here() const {
    return s_.lane.iteration == iteration_ && s_.lane.first == rounds_;
  }
  /// From the first step that is skipped to the first one after them.
  void skip(Step& step);

  std::unique_ptr<StepSource> program_;
  Shortening s_;
  // Of the running call:
  std::int64_t iteration_ = -1;
  std::int64_t rounds_ = -1;  ///< told so far; -1: there are none
  std::int64_t steps_ = 0;    ///< that are counted
  StepStream stream_;
};

void ShortenedSteps::skip(Step& step) {
  const std::int64_t end = steps_ + s_.lane.count * s_.rounds->steps;
  for (;; static_cast<void>(program_->next(step))) {
    if (!is_counted(step)) continue;
    if (steps_ == end) break;
    ++steps_;
    if (!step.sends()) continue;
    ++s_.skipped.messages;
    s_.skipped.bytes += s_.program.transfers().wire_size(s_.place, step.bytes());
  }
  rounds_ += s_.lane.count;
}

StepStream ShortenedSteps::steps() {
  Step extra;  // one place for all of them
  for (Step step; program_->next(step);) {
    if (step.kind == Step::Kind::kBegin) {
      begin_call(step);
      co_yield step;
      continue;
    }
    if (is_between_rounds(step)) {
      if (cuts_here()) skip(step);
      extra = Step::round(static_cast<std::uint32_t>(iteration_), rounds_);
      ++rounds_;
      co_yield extra;
    }
    if (step.kind != Step::Kind::kEnd) {
      if (is_counted(step)) ++steps_;
      co_yield step;
      continue;
    }
    if (s_.lane.iteration == iteration_) {
      extra = Step::delay(s_.lane.time, Step::Work::kLeftOut);
      co_yield extra;
    }
    rounds_ = -1;
    co_yield step;
    if (s_.job.last != step.count()) continue;
    // One lane is enough: the job is not over before.
    if (s_.place.lane > 0) co_return;
    extra = Step::delay(s_.job.time, Step::Work::kLeftOut);
    co_yield extra;
    co_return;
  }
}

}  // namespace

std::unique_ptr<StepSource> shortened(std::unique_ptr<StepSource> program,
                                      const Shortening& shortening) {
  return std::make_unique<ShortenedSteps>(std::move(program), shortening);
}

}  // namespace weft::collectives
