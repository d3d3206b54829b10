#pragma once

#include <cstdint>
#include <memory>

#include "collectives/jobs/graph/graph_spec.hpp"
#include "collectives/jobs/job_type.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// Computing, collectives and messages as nodes of a graph, made into a program of tasks.
struct Graph {
  using Spec = GraphSpec;
  static constexpr bool kIsOpenLoop = false;
  static constexpr bool kHasIterations = true;
  [[nodiscard]] static const char* type_name(const Spec&) { return "graph"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);
  /// The specification is checked.
  [[nodiscard]] static Result<std::unique_ptr<const JobProgram>> make(const ProgramSetting& setting,
                                                                      const Spec& spec,
                                                                      const RankLayout& layout);
};

}  // namespace weft::collectives
