#include <fmt/format.h>

#include "tools/topo/sections/list.hpp"
#include "topologies/analysis/buffer_dependency.hpp"
#include "topologies/analysis/roles.hpp"

namespace weft::topo {
namespace {

using topologies::BufferCycle;
using topologies::BufferDependencies;

constexpr std::size_t kMaxCycles = 5;
constexpr std::size_t kMaxCyclePorts = 8;

std::string cycle_text(const Fabric& fabric, const BufferCycle& cycle) {
  std::string text = "   ";
  for (std::size_t p = 0; p < cycle.ports.size() && p < kMaxCyclePorts; ++p) {
    text += " " + fabric.port_name(cycle.ports[p]);
  }
  return text + (cycle.ports.size() > kMaxCyclePorts ? " ...\n" : "\n");
}

std::string cycles_text(const Fabric& fabric, const BufferDependencies& dependencies) {
  const auto& cycles = dependencies.cycles;
  if (cycles.empty()) {
    return dependencies.is_complete
               ? "  no circle of buffer dependencies: no deadlock\n"
               : "  no circle of buffer dependencies found on the routes that were followed\n";
  }
  std::string text =
      fmt::format("  {}: lossless traffic can deadlock\n",
                  topologies::counted(cycles.size(), "circle") + " of buffer dependencies");
  for (std::size_t i = 0; i < cycles.size() && i < kMaxCycles; ++i) {
    text += cycle_text(fabric, cycles[i]);
  }
  if (cycles.size() > kMaxCycles) {
    text += fmt::format("    and {} more\n", cycles.size() - kMaxCycles);
  }
  return text;
}

Json cycles_json(const Fabric& fabric, const BufferDependencies& dependencies) {
  Json cycles = Json::array();
  for (const BufferCycle& cycle : dependencies.cycles) {
    Json ports = Json::array();
    for (const PortId port : cycle.ports) ports.push_back(fabric.port_name(port));
    cycles.push_back(std::move(ports));
  }
  return {{"cycles", std::move(cycles)}, {"is_complete", dependencies.is_complete}};
}

}  // namespace

Section cycles_section(const Subject& subject) {
  const BufferDependencies found = topologies::find_buffer_cycles(subject.fabric, subject.routes);
  return {.headline = {},
          .body = cycles_text(subject.fabric, found),
          .members = {{"buffer_dependencies", cycles_json(subject.fabric, found)}}};
}

}  // namespace weft::topo
