#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "collectives/jobs/job_type.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// Iterations of training a transformer by a plan of parallelism, made into a program of tasks.
struct Training {
  using Spec = TrainingSpec;
  static constexpr bool kIsOpenLoop = false;
  static constexpr bool kHasIterations = true;
  [[nodiscard]] static const char* type_name(const Spec&) { return "training"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  /// Takes the model from the `config.json` that it names.
  static void read_files(Spec& spec, JobFiles& files);
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static RankDemand rank_demand(const Spec& spec);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);
  /// The specification is checked.
  [[nodiscard]] static Result<std::unique_ptr<const JobProgram>> make(const ProgramSetting& setting,
                                                                      const Spec& spec,
                                                                      const RankLayout& layout);
};

}  // namespace weft::collectives
