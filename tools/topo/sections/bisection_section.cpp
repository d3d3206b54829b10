#include "tools/topo/sections/list.hpp"

namespace weft::topo {

Section bisection_section(const Subject& subject) {
  const Fabric& fabric = subject.fabric;
  std::vector<HostId> hosts;
  hosts.reserve(fabric.hosts.size());
  for (std::size_t i = 0; i < fabric.hosts.size(); ++i) hosts.emplace_back(i);
  const auto bisection = topologies::find_bisection(
      fabric, topologies::NetworkView(fabric, NetworkKind::kScaleOut), hosts);
  Section section{
      .headline = {}, .body = {}, .members = {{"bisection", bisection_json(bisection)}}};
  if (bisection) {
    section.body = "  " + bisection_text(*bisection, false) + "\n";
  } else if (subject.paths.diameter(NetworkKind::kScaleOut) > 0) {
    section.body =
        "  bisection bandwidth: not known, too large for a maximum flow and not regular\n";
  }
  return section;
}

}  // namespace weft::topo
