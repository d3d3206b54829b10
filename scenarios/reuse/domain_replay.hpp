#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/reuse/components.hpp"
#include "collectives/reuse/phase_program.hpp"
#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/reuse/domain_fabric.hpp"
#include "scenarios/reuse/phase.hpp"

namespace weft::scenarios {

[[nodiscard]] const collectives::PartsProgram& program_of(const Experiment& experiment,
                                                          const collectives::Component& component);

/// The calls of one communicator, as its members number them: those of the job's program.
[[nodiscard]] std::vector<std::uint32_t> calls_of(const collectives::PartsProgram& program,
                                                  std::uint32_t communicator);

/// Simulates phases of a component by packets, with nothing around it: its domain, its
/// communicators, and the network's own rules. One phase after the other, each of which begins on a
/// quiet network.
class DomainReplay final : private collectives::TaskObserver {
 public:
  /// `options`: those of the whole run. All arguments must outlive it.
  DomainReplay(const Experiment& experiment, const protocols::PacketNetwork::Options& options,
               const collectives::Component& component);

  /// What happens before `until`, or all of it.
  [[nodiscard]] Phase run(const PhaseBegins& begins, std::optional<Picoseconds> until);
  /// Whether the last phase left nothing behind, so that another can be run.
  [[nodiscard]] bool is_quiet() const { return is_quiet_; }
  /// Conservation laws that did not hold.
  [[nodiscard]] std::vector<std::string> violations() const;

  [[nodiscard]] const collectives::Workload& workload() const { return workload_; }
  [[nodiscard]] const DomainFabric& domain() const { return domain_; }

 private:
  void begun(ProcessId process, std::uint32_t stream, std::uint32_t call, Picoseconds now) override;
  void ended(ProcessId process, std::uint32_t stream, Picoseconds now,
             Picoseconds posted_at) override;
  void make_workload(const Experiment& e, const collectives::Component& component);
  [[nodiscard]] std::uint32_t call_number(const PhaseBegin& begin) const;
  void collect_messages(Phase& phase);

  const collectives::PartsProgram& whole_;
  const collectives::Component& component_;
  DomainFabric domain_;
  collectives::PhaseProgram* program_ = nullptr;  ///< of the workload
  collectives::Workload workload_;
  std::unique_ptr<collectives::Executor> executor_;
  std::unique_ptr<protocols::PacketNetwork> network_;
  Picoseconds start_;  ///< of the phase, in the network's time
  /// By rank and stream: numbers of begins that have not come, and of the one that goes on.
  struct Queue {
    std::vector<std::uint32_t> coming;
    std::size_t next = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Queue> queues_;
  std::span<const PhaseBegin> begins_;
  std::vector<PhaseEnd> ends_;
  bool is_quiet_ = true;
};

}  // namespace weft::scenarios
