#include "scenarios/run/build_loaded.hpp"

#include "scenarios/checks/given_key_checks.hpp"
#include "scenarios/language/given_keys.hpp"
#include "scenarios/run/build_experiment.hpp"

namespace weft::scenarios {

Result<Experiment> build_loaded(const LoadedScenario& loaded) {
  Result<Experiment> experiment = build_experiment(loaded.scenario);
  if (!experiment.ok()) return experiment;
  const GivenKeys& given = given_keys(loaded);
  std::vector<std::string>& warnings = experiment.value().warnings;
  warnings.insert(warnings.begin(), given.remarks.begin(), given.remarks.end());
  check_given_keys(experiment.value(), given, warnings);
  return experiment;
}

}  // namespace weft::scenarios
