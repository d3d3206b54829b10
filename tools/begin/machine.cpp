#include "tools/begin/machine.hpp"

#include <cstdlib>
#include <utility>
#include <variant>

#include "scenarios/language/catalogue_report.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::begin {
namespace {

void take(const scenarios::PartFigure& figure, Machine& machine) {
  const auto count = static_cast<std::uint32_t>(std::strtoul(figure.value.c_str(), nullptr, 10));
  if (figure.path == "gpus") machine.gpus = count;
  if (figure.path == "nics") machine.nics = count;
  if (figure.path == "rails") machine.rails = count;
  if (figure.path == "nic.ports") machine.ports = count;
  // Its source begins with the name of the GPU that has it.
  if (figure.path == "gpu.memory_bandwidth") {
    machine.gpu = figure.source.substr(0, figure.source.find(':'));
  }
  if (figure.path == "nic.rate") {
    const auto rate = parse_quantity(figure.value, dimension_of<BitsPerSecond>());
    if (const auto* bits = std::get_if<std::int64_t>(&rate)) machine.rate = BitsPerSecond(*bits);
  }
}

}  // namespace

Result<Machine> find_machine(const std::string& name) {
  const auto parts = scenarios::find_parts("servers/" + name);
  if (!parts.ok()) {
    const auto others = scenarios::find_parts(name);
    if (!others.ok()) return others.errors();
    return Error{"`" + name + "` is no server; `weft list servers` has all"};
  }
  const scenarios::PartReport& part = parts.value().front();
  if (!part.refused.empty()) {
    return Error{"`" + name + "` cannot be simulated yet: " + part.refused};
  }
  Machine machine;
  machine.name = name;
  for (const scenarios::PartFigure& figure : part.figures) take(figure, machine);
  return machine;
}

}  // namespace weft::begin
