#include "collectives/jitter/jitter_schema.hpp"

#include <vector>

#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

schema::Object<Jitter> jitter_schema() {
  return schema::describe<Jitter>("jitter", "random delay of every rank in every iteration")
      .choice("type", &Jitter::distribution,
              {{Jitter::Distribution::kNone, "none", "no delay"},
               {Jitter::Distribution::kNormal, "normal", "cut at 0"},
               {Jitter::Distribution::kExponential, "exponential", "its deviation is its mean"},
               {Jitter::Distribution::kLogNormal, "log-normal", "a long tail"}},
              "its distribution")
      .source("all ranks are alike")
      .field("mean", &Jitter::mean, "of the delay")
      .source("no delay")
      .at_most(Picoseconds(1'000'000'000'000'000))
      .field("deviation", &Jitter::deviation, "standard deviation; not of an exponential")
      .source("none")
      .at_most(Picoseconds(1'000'000'000'000'000))
      .check([](const Jitter& j, std::vector<schema::Problem>& problems) {
        if (j.distribution == Jitter::Distribution::kExponential && j.deviation.count() > 0) {
          problems.push_back(
              {"deviation", "given with an exponential, whose deviation is its mean"});
        }
        if (j.distribution == Jitter::Distribution::kLogNormal && j.mean.count() == 0) {
          problems.push_back({"mean", "is 0; a log-normal delay needs a mean"});
        }
        if (j.distribution == Jitter::Distribution::kLogNormal && j.mean.count() > 0 &&
            j.deviation / 100 > j.mean) {
          problems.push_back({"deviation", "is more than 100 times the mean"});
        }
        if (j.distribution == Jitter::Distribution::kNone &&
            (j.mean.count() > 0 || j.deviation.count() > 0)) {
          problems.push_back({"type", "is missing: normal, exponential or log-normal"});
        }
      });
}

}  // namespace weft::collectives
