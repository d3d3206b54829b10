#include "collectives/steps/program.hpp"

namespace weft::collectives {

void JobProgram::for_each_send(std::uint32_t rank,
                               const std::function<void(const SendCount&)>& visit) const {
  for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
    const std::unique_ptr<StepSource> source = steps({rank, lane});
    for (Step step; source->next(step) && step.kind != Step::Kind::kEnd;) {
      if (step.sends()) visit({lane, step, 1});
    }
  }
}

}  // namespace weft::collectives
