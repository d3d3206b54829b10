#include "scenarios/results/measure/tables/collect_classes.hpp"

namespace weft::scenarios {

void collect_classes(const EndedRun& run, Results& results) {
  if (run.network == nullptr) return;
  const Experiment& e = run.experiment;
  results.class_names = class_names(e.scenario.switches);
  results.classes.reserve(e.fabric.ports.size() * results.class_names.size());
  for (std::uint32_t p = 0; p < e.fabric.ports.size(); ++p) {
    for (const ClassId c : e.scenario.switches.all_classes()) {
      results.classes.push_back(run.network->class_counters(PortId(p), c));
    }
  }
}

}  // namespace weft::scenarios
