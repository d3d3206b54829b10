#include "collectives/training/estimate/short_form.hpp"

namespace weft::collectives {

ShortEstimate short_estimate(const ShortForm& form) {
  const double m = form.micro_batches;
  const double tokens = form.micro * form.sequence;
  const double ranks = form.pipeline * form.tensor;
  const auto all_reduced = [](double n) { return 2 * (n - 1) / n; };
  ShortEstimate e;
  e.compute = (form.recomputes ? 8 : 6) * m * form.parameters * tokens /
              (ranks * form.peak * form.efficiency);
  if (form.tensor > 1) {
    e.tensor = m * form.layers / form.pipeline * (form.recomputes ? 6 : 4) *
               (2 * tokens * form.hidden) * all_reduced(form.tensor) / form.tensor_rate;
  }
  if (form.data > 1) {
    e.data = 2 * form.parameters / ranks * all_reduced(form.data) / form.data_rate;
  }
  e.bubble = (form.pipeline - 1) / m * (e.compute + e.tensor);
  return e;
}

}  // namespace weft::collectives
