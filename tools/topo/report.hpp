#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "topologies/analysis/bisection.hpp"
#include "topologies/analysis/buffer_dependency.hpp"
#include "topologies/analysis/pair_paths.hpp"
#include "topologies/analysis/path_survey.hpp"
#include "topologies/analysis/roles.hpp"
#include "topologies/analysis/scale_up_survey.hpp"

namespace weft::topo {

/// What is known of a fabric before anything runs on it.
struct Report {
  std::string name;
  topologies::RoleTable roles;
  topologies::PathSurvey paths;
  std::optional<topologies::Bisection> scale_out_bisection;
  std::vector<topologies::DomainKind> domains;
  std::optional<topologies::RailSummary> rails;
  topologies::BufferDependencies dependencies;
};

/// `scale-up` or `scale-out`.
[[nodiscard]] const char* network_name(NetworkKind network);

[[nodiscard]] Report report_on(const Fabric& fabric, const Routes& routes, std::string name);

[[nodiscard]] std::string report_text(const Fabric& fabric, const Report& report);

/// The report, and the whole fabric: its nodes by number, its links as `[from, to, links, rate in
/// bit/s, wire latency in ps]`, parallel ones together.
[[nodiscard]] std::string report_json(const Fabric& fabric, const Report& report);

}  // namespace weft::topo
