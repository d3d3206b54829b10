// The one place that sees SimGrid (3.32, Debian 12): a module of its own, which only runs of the
// fluid engine load.
//
// Style: no actors. Flows are host-to-host `Comm`s started from callbacks, delays are kernel
// timers, and `Engine::run` drives both. SimGrid aborts on what it does not like, so everything is
// right before it is called.

#include "simcore/fluid/flow_solver.hpp"

#include <unistd.h>
#include <xbt/log.h>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

namespace s4u = simgrid::s4u;

constexpr std::int64_t kNoTimer = std::numeric_limits<std::int64_t>::max();

/// SimGrid installs handlers for these when its engine is made; the program's own are kept.
class KeepSignals {
 public:
  KeepSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &old_[i]);
  }
  ~KeepSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
  }
  KeepSignals(const KeepSignals&) = delete;
  KeepSignals& operator=(const KeepSignals&) = delete;

 private:
  static constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGSEGV, SIGFPE};
  std::array<struct sigaction, kSignals.size()> old_{};
};

/// SimGrid as an ideal fluid: no TCP, nothing but links and bytes.
void configure() {
  xbt_log_control_set("root.thres:critical");  // it reports every setting otherwise
  // The default, LV08, multiplies latencies by 13.01 and bandwidths by 0.97 to look like TCP.
  s4u::Engine::set_config("network/model:CM02");
  // Otherwise every flow takes 5 % of its rate on the way back; ACKs are counted by the caller.
  s4u::Engine::set_config("network/crosstraffic:0");
  // A flow's rate is at most gamma / (2 x latency). Latencies are 0 here, which also gives every
  // flow the same weight: SimGrid's is 1 / latency of the route.
  s4u::Engine::set_config("network/TCP-gamma:1e18");
  // Completions closer than this are one; the default of 1 ns would move results.
  s4u::Engine::set_config("surf/precision:1e-12");
}

double bytes_per_second(BitsPerSecond rate) { return static_cast<double>(rate.count()) / 8; }

/// Up to the next picosecond; what lies less than a hundredth above one is rounding noise of
/// SimGrid's clock in double seconds.
Picoseconds rounded_up(double seconds) {
  return Picoseconds(static_cast<std::int64_t>(std::ceil(seconds * 1e12 - 0.01)));
}

/// Leaves SimGrid's loop from within one of its timers. SimGrid itself ends only when nothing
/// flows, and cancelling a flow looks through all that flow.
struct Stopped {};

/// When a process exits, SimGrid takes its engine apart, and stumbles over what still flows. An
/// engine that was left is not taken apart.
extern "C" void exit_at_once(int status, void* /*unused*/) {
  std::fflush(nullptr);
  ::_exit(status);
}

class SimgridSolver final : public FlowSolver {
 public:
  SimgridSolver(std::span<const BitsPerSecond> capacities, std::size_t routes);

  [[nodiscard]] std::uint32_t add_route(std::span<const std::uint32_t> links) override;
  void start(std::uint32_t flow, std::uint32_t route, Bytes bytes) override;
  [[nodiscard]] double remaining_bytes(std::uint32_t flow) const override;
  void set_capacity(std::uint32_t link, BitsPerSecond capacity) override;
  void set_timer(Picoseconds time) override;
  void run(Listener& listener) override;
  void stop() override;

 private:
  s4u::Engine* engine_;  ///< lives as long as the process: there cannot be another
  s4u::NetZone* zone_ = nullptr;
  std::vector<s4u::Link*> links_;
  std::vector<BitsPerSecond> nominal_;  ///< by link
  /// Links that offer less than that now, and how much.
  std::map<std::uint32_t, BitsPerSecond> degraded_;
  /// SimGrid knows one route per ordered pair of hosts. So a pair of hosts is not a pair of
  /// machines here but the name of a route: n sources and n sinks name n x n of them.
  std::vector<s4u::Host*> sources_;
  std::vector<s4u::Host*> sinks_;
  std::uint32_t route_count_ = 0;
  std::vector<s4u::CommPtr> flows_;  ///< by number; a Comm must be held until its completion
  Listener* listener_ = nullptr;
  std::int64_t timer_ = kNoTimer;
  bool is_stopped_ = false;
};

SimgridSolver::SimgridSolver(std::span<const BitsPerSecond> capacities, std::size_t routes) {
  assert(!s4u::Engine::has_instance() && "one fluid run per process");
  const KeepSignals keep;
  xbt_log_control_set("root.thres:critical");
  engine_ = new s4u::Engine("weft");
  configure();
  zone_ = s4u::create_star_zone("fabric");
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    assert(capacities[i] > BitsPerSecond(0));
    s4u::Link* link = zone_->create_link("l" + std::to_string(i), bytes_per_second(capacities[i]));
    links_.push_back(link);
    nominal_.push_back(capacities[i]);
    link->seal();
  }
  const auto side = static_cast<std::size_t>(
      std::ceil(std::sqrt(static_cast<double>(std::max<std::size_t>(routes, 1)))));
  for (std::size_t i = 0; i < side; ++i) {
    sources_.push_back(zone_->create_host("s" + std::to_string(i), 1.0));
    sources_.back()->seal();
    sinks_.push_back(zone_->create_host("d" + std::to_string(i), 1.0));
    sinks_.back()->seal();
  }
  zone_->seal();
  s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) {
    if (is_stopped_) return;
    const auto number = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
    listener_->on_drained(static_cast<std::uint32_t>(number), rounded_up(s4u::Engine::get_clock()));
  });
}

std::uint32_t SimgridSolver::add_route(std::span<const std::uint32_t> links) {
  const std::size_t side = sources_.size();
  assert(!links.empty() && route_count_ < side * side);
  std::vector<s4u::LinkInRoute> hops;
  hops.reserve(links.size());
  for (const std::uint32_t link : links) hops.emplace_back(links_[link]);
  zone_->add_bypass_route(sources_[route_count_ / side]->get_netpoint(),
                          sinks_[route_count_ % side]->get_netpoint(), nullptr, nullptr, hops);
  return route_count_++;
}

void SimgridSolver::start(std::uint32_t flow, std::uint32_t route, Bytes bytes) {
  assert(bytes > Bytes(0) && "SimGrid never starts an empty flow");
  if (is_stopped_) return;
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  const std::size_t side = sources_.size();
  s4u::CommPtr comm = s4u::Comm::sendto_init();
  // A number, where SimGrid keeps a pointer for its user.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(flow)));
  comm->set_payload_size(static_cast<std::uint64_t>(bytes.count()));
  comm->set_source(sources_[route / side]);
  // SimGrid bounds a flow for life by what its links offer when it starts: let it see them healthy.
  for (const auto& [link, capacity] : degraded_) {
    links_[link]->set_bandwidth(bytes_per_second(nominal_[link]));
  }
  comm->set_destination(sinks_[route % side]);  // which starts it
  for (const auto& [link, capacity] : degraded_) {
    links_[link]->set_bandwidth(bytes_per_second(capacity));
  }
  flows_[flow] = std::move(comm);
}

double SimgridSolver::remaining_bytes(std::uint32_t flow) const {
  return flows_[flow]->get_remaining();
}

void SimgridSolver::set_capacity(std::uint32_t link, BitsPerSecond capacity) {
  assert(capacity > BitsPerSecond(0));
  if (capacity < nominal_[link]) {
    degraded_[link] = capacity;
  } else {
    degraded_.erase(link);
  }
  if (!is_stopped_) links_[link]->set_bandwidth(bytes_per_second(capacity));
}

void SimgridSolver::set_timer(Picoseconds time) {
  if (is_stopped_ || time.count() >= timer_) return;
  timer_ = time.count();
  // Never in the past, not even by a rounding error: SimGrid aborts.
  const double date = std::max(to_seconds(time), s4u::Engine::get_clock());
  simgrid::kernel::timer::Timer::set(date, [this, time] {
    if (is_stopped_ || timer_ != time.count()) return;  // an earlier one has seen to it
    timer_ = kNoTimer;
    listener_->on_timer(time);
    if (is_stopped_) throw Stopped();
  });
}

void SimgridSolver::run(Listener& listener) {
  listener_ = &listener;
  try {
    engine_->run();
  } catch (const Stopped&) {
    // The engine is in the middle of its work and stays so until the process ends, with all that
    // flows. Nobody calls it again.
    ::on_exit(exit_at_once, nullptr);
    static_cast<void>(new std::vector<s4u::CommPtr>(std::move(flows_)));
  }
}

void SimgridSolver::stop() { is_stopped_ = true; }

}  // namespace
}  // namespace weft

extern "C" __attribute__((visibility("default"))) weft::FlowSolver* weft_make_flow_solver(
    std::span<const weft::BitsPerSecond> capacities, std::size_t routes) {
  return new weft::SimgridSolver(capacities, routes);  // NOLINT: the caller owns it
}
