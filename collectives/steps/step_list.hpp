#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "collectives/steps/step.hpp"

namespace weft::collectives {

/// Steps written down beforehand, for lanes of a few steps.
class StepList final : public StepSource {
 public:
  explicit StepList(std::vector<Step> steps) : steps_(std::move(steps)) {}

  bool next(Step& step) override {
    if (position_ == steps_.size()) return false;
    step = steps_[position_++];
    return true;
  }

 private:
  std::vector<Step> steps_;
  std::size_t position_ = 0;
};

}  // namespace weft::collectives
