#include "scenarios/results/measure/collect_tables.hpp"

#include "scenarios/results/measure/tables/collect_classes.hpp"
#include "scenarios/results/measure/tables/collect_ports.hpp"
#include "scenarios/results/measure/tables/collect_training.hpp"

namespace weft::scenarios {

void collect_tables(const EndedRun& run, Results& results) {
  collect_ports(run, results);
  collect_classes(run, results);
  collect_training(run.experiment, results);
}

}  // namespace weft::scenarios
