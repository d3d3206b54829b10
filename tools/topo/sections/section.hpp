#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/checks/odd/odd_ones.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "topologies/analysis/bisection.hpp"
#include "topologies/analysis/path_survey.hpp"
#include "topologies/routing/usable_paths.hpp"

namespace weft::topo {

using Json = nlohmann::ordered_json;

/// What a report is on.
struct Subject {
  const Fabric& fabric;
  const Routes& routes;
  topologies::PathSurvey paths;  ///< more than one section tells of them
  /// How switches choose among next hops; absent: in turn or by load, which never polarises.
  std::optional<topologies::Hashing> hashing = {};
  /// What is not as its likes are, with its places.
  std::vector<scenarios::OddOne> odd_ones = {};
};

/// What one analysis says of a fabric.
struct Section {
  std::string headline;  ///< lines below the name of the fabric; those of all sections come first
  std::string body;      ///< lines of their own
  Json members;          ///< of the report's JSON object
};

/// Rows of a table of links or paths; custom graphs may have any number.
inline constexpr std::size_t kMaxRows = 16;

/// `scale-up` or `scale-out`.
[[nodiscard]] const char* network_name(NetworkKind network);
[[nodiscard]] std::string rate_text(BitsPerSecond rate);
/// As vendors give it for scale-up links: `1.8 TB/s`.
[[nodiscard]] std::string byte_rate_text(BitsPerSecond rate);
[[nodiscard]] std::string count_text(std::uint64_t count);
/// `3 to 5`, or `3`.
[[nodiscard]] std::string range_text(std::uint64_t low, std::uint64_t high);
[[nodiscard]] std::string bisection_text(const topologies::Bisection& bisection, bool in_bytes);
/// Null where it is not known.
[[nodiscard]] Json bisection_json(const std::optional<topologies::Bisection>& bisection);

}  // namespace weft::topo
