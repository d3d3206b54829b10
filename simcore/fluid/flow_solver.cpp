#include "simcore/fluid/flow_solver.hpp"

#include <stdexcept>

#include "simcore/base/module.hpp"

namespace weft {
namespace {

Result<void*> find_maker() {
  Result<void*> symbol = module_symbol(WEFT_FLUID_MODULE, "weft_make_flow_solver");
  if (symbol) return symbol;
  return Error{"the fluid engine cannot be loaded: " + symbol.errors().front().message +
               " (" WEFT_FLUID_MODULE
               " belongs beside the program, and needs SimGrid: libsimgrid3.32)"};
}

}  // namespace

Errors load_flow_solver() {
  const Result<void*> maker = find_maker();
  return maker ? Errors{} : maker.errors();
}

std::unique_ptr<FlowSolver> make_flow_solver(std::span<const BitsPerSecond> capacities,
                                             std::size_t routes) {
  const Result<void*> maker = find_maker();
  if (!maker) throw std::runtime_error(maker.errors().front().message);
  return std::unique_ptr<FlowSolver>(
      reinterpret_cast<MakeFlowSolver>(maker.value())(capacities, routes));
}

}  // namespace weft
