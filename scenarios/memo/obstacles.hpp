#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "scenarios/build/experiment.hpp"

/// What stands in the way of taking calls over: of all of a run, or of those of some GPUs.
namespace weft::scenarios {

/// Whether any job makes calls of communicators, which alone are memoised.
[[nodiscard]] bool has_calls(const collectives::Workload& workload);

/// Why nothing of a run can be reused; empty: nothing stands in the way.
[[nodiscard]] std::string obstacle_to_reuse(const Experiment& experiment);

/// Why calls between servers, all of one job, are simulated each; empty: nothing stands in the way.
[[nodiscard]] std::string obstacle_to_rails(const Experiment& experiment);

/// Whether it is worth while to look for what recurs inside the messages of a whole run, as one
/// logical process: it may (protocols::can_recur), nobody checks what is skipped, and messages are
/// long beside the number of those that send them, so that not all the time one of them ends.
/// Returns after how many packet-hops half of them should have been skipped, or it was not
/// worthwhile: a small part of all.
[[nodiscard]] std::optional<std::uint64_t> trial_of_skips(const Experiment& experiment);

/// What befalls links at times of its own, and who looks at them: where that is, calls are
/// simulated in their place.
class Disturbances {
 public:
  /// The experiment must outlive it.
  explicit Disturbances(const Experiment& experiment);

  /// Why the calls of a connected GPU set are simulated each: something concerns its domain or its
  /// rail; empty: nothing does.
  [[nodiscard]] std::string at(const collectives::GpuSet& gpu_set) const;

 private:
  void disturb(PortId port, const char* reason);
  void follow_packets(ConnectionId flow);
  [[nodiscard]] const char* at_rail(const collectives::GpuSet& rail) const;
  [[nodiscard]] bool have_paths_changed(const collectives::GpuSet& gpu_set) const;
  [[nodiscard]] std::vector<HostId> hosts_of(const collectives::GpuSet& gpu_set) const;
  [[nodiscard]] std::vector<SwitchId> switches_of(const collectives::GpuSet& gpu_set) const;

  const Experiment& e_;
  std::vector<const char*> of_domain_;  ///< null: nothing
  std::vector<const char*> of_port_;    ///< between servers; null: nothing
};

}  // namespace weft::scenarios
