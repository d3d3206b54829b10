#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "simcore/units.hpp"

namespace weft {

/// Flows over links that share the links max-min fairly, solved by SimGrid's kernel.
///
/// A flow has a rate the moment it starts, on all links of its route at once. No latency, no header
/// and no protocol is in here; they are the business of `FluidNetwork`.
///
/// SimGrid keeps one engine and one clock per process: make one solver in the life of a process.
class FlowSolver {
 public:
  /// What happens while `run` goes on. Both may start flows and set the alarm.
  class Listener {
   public:
    /// The last byte of a flow is through. `at` is rounded up to a whole picosecond.
    virtual void on_drained(std::uint32_t flow, Picoseconds at) = 0;
    /// The time that `set_alarm` named has come.
    virtual void on_alarm(Picoseconds time) = 0;

   protected:
    ~Listener() = default;
  };

  /// Links 0 .. n-1 with these capacities (> 0), and room for `routes` routes.
  FlowSolver(std::span<const BitsPerSecond> capacities, std::size_t routes);
  ~FlowSolver();
  FlowSolver(const FlowSolver&) = delete;
  FlowSolver& operator=(const FlowSolver&) = delete;

  /// A new route over these links, each at most once and at least one; numbered from 0.
  [[nodiscard]] std::uint32_t add_route(std::span<const std::uint32_t> links);
  /// Starts `flow` now. A number may be used again once its flow has drained.
  void start(std::uint32_t flow, std::uint32_t route, Bytes bytes);
  /// What a flow that has not drained has left.
  [[nodiscard]] double remaining_bytes(std::uint32_t flow) const;
  /// Changes what a link has to give (> 0) from now on.
  void set_capacity(std::uint32_t link, BitsPerSecond capacity);
  /// Calls `on_alarm` at `time`, or now if that has passed. Earlier alarms stay.
  void set_alarm(Picoseconds time);
  /// Runs until nothing flows and no alarm is set.
  void run(Listener& listener);
  /// Makes `run` return soon: drops all flows. The listener hears nothing any more.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft
