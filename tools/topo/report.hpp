#pragma once

#include <string>
#include <vector>

#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "tools/topo/sections/section.hpp"

namespace weft::topo {

/// What is known of a fabric before anything runs on it.
struct Report {
  std::string name;
  std::vector<Section> sections;
};

/// `hashing` and `odd_ones`: as Subject has them.
[[nodiscard]] Report report_on(const Fabric& fabric, const Routes& routes, std::string name,
                               std::optional<topologies::Hashing> hashing = {},
                               std::vector<scenarios::OddOne> odd_ones = {});

[[nodiscard]] std::string report_text(const Report& report);

/// The report, and the whole fabric: its nodes by number, its links as `[from, to, links, rate in
/// bit/s, wire latency in ps]`, parallel ones together.
[[nodiscard]] std::string report_json(const Fabric& fabric, const Report& report);

}  // namespace weft::topo
