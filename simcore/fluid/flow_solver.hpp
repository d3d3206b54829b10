#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"

namespace weft {

/// Flows over links that share the links max-min fairly.
///
/// A flow has a rate the moment it starts, on all links of its route at once. No latency, no header
/// and no protocol is in here; they are the business of `FluidNetwork`.
///
/// SimGrid's kernel solves it. It takes longer to load than most runs of the packet engine take to
/// start, so it is in a module of its own (`simgrid/`), loaded when it is needed.
class FlowSolver {
 public:
  /// What happens during `run`. Both may start flows and set the timer.
  class Listener {
   public:
    /// The last byte of a flow is through. `at` is rounded up to a whole picosecond.
    virtual void on_drained(std::uint32_t flow, Picoseconds at) = 0;
    /// The time that `set_timer` named has come.
    virtual void on_timer(Picoseconds time) = 0;

   protected:
    ~Listener() = default;
  };

  FlowSolver() = default;
  virtual ~FlowSolver() = default;
  FlowSolver(const FlowSolver&) = delete;
  FlowSolver& operator=(const FlowSolver&) = delete;

  /// A new route over these links, at least one; numbered from 0. One that stands twice in it
  /// carries every byte twice.
  [[nodiscard]] virtual std::uint32_t add_route(std::span<const std::uint32_t> links) = 0;
  /// Starts `flow` now. A number may be used again once its flow has drained.
  virtual void start(std::uint32_t flow, std::uint32_t route, Bytes bytes) = 0;
  /// What a flow that has not drained has left.
  [[nodiscard]] virtual double remaining_bytes(std::uint32_t flow) const = 0;
  /// Changes what a link has to give (> 0) from now on.
  virtual void set_capacity(std::uint32_t link, BitsPerSecond capacity) = 0;
  /// Calls `on_timer` at `time`, or now if that has passed. Earlier timers stay.
  virtual void set_timer(Picoseconds time) = 0;
  /// Runs until nothing flows and no timer is set.
  virtual void run(Listener& listener) = 0;
  /// From within `on_timer`: makes `run` return as soon as that returns, whatever flows. The
  /// listener hears nothing any more.
  virtual void stop() = 0;
};

/// What the module exports under `weft_make_flow_solver`. The caller owns what it gets.
using MakeFlowSolver = FlowSolver* (*)(std::span<const BitsPerSecond> capacities,
                                       std::size_t routes);

/// Loads the module, unless it is loaded. Errors say what is missing.
[[nodiscard]] Errors load_flow_solver();

/// A solver with links 0 .. n-1 of these capacities (> 0), and room for `routes` routes. Only where
/// `load_flow_solver` found nothing wrong, and once in the life of a process: SimGrid keeps one
/// engine and one clock.
[[nodiscard]] std::unique_ptr<FlowSolver> make_flow_solver(
    std::span<const BitsPerSecond> capacities, std::size_t routes);

}  // namespace weft
