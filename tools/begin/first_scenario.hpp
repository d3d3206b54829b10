#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/begin/leaves.hpp"
#include "tools/begin/machine.hpp"

namespace weft::begin {

/// What a first scenario is made of.
struct FirstScenario {
  std::string name = "first";
  std::string machine = "hgx-h100";
  std::uint32_t count = 4;  ///< machines
  std::string fabric;       ///< empty: rails where machines have several NICs, else leaf-spine
  double oversubscription = 1;
  std::string switch_part = "spectrum-4";
  std::vector<std::string> jobs = {"all-reduce"};
  std::string size;                 ///< empty: one that suits the job and runs in moments
  std::string model = "llama2-7b";  ///< of training jobs
  std::string storage;              ///< one of kFirstStorage; empty: none
  std::uint32_t storage_servers = 1;
};

inline const std::vector<std::string> kFirstFabrics{"rail-optimised", "leaf-spine"};
inline const std::vector<std::string> kFirstJobs{"all-reduce",  "all-gather", "reduce-scatter",
                                                 "all-to-all",  "broadcast",  "incast",
                                                 "permutation", "training"};

inline constexpr int kMaxMachines = 65'536;
inline constexpr int kMaxStorageServers = 32;
inline constexpr double kMaxOversubscription = 64;

/// GPUs of a machine, or its NICs where it has no GPUs: each is a host that ranks can be on.
[[nodiscard]] Result<std::uint32_t> hosts_of_machine(const std::string& machine);

/// Machines of this kind that a fabric can join: 1 where none has a NIC.
[[nodiscard]] Result<std::uint32_t> max_of_machine(const std::string& machine);

/// The fabric that a machine gets if nobody says which.
[[nodiscard]] Result<std::string> usual_fabric(const std::string& machine);

/// What a job is called: as its type, and with its place where several have that.
[[nodiscard]] std::string job_name(const FirstScenario& wanted, std::size_t job);
/// Of a collective, or of each message.
[[nodiscard]] std::string size_of_job(const FirstScenario& wanted, const std::string& type);
/// `fabric.ecn` as it is by default, written out.
[[nodiscard]] std::string ecn_text();
/// A machine without NICs has none, and stands in a rack.
[[nodiscard]] Result<Leaves> leaves_of(const FirstScenario& wanted, const Machine& machine);

/// Why the machines cannot have the oversubscription, and which ones they can; empty: they can.
[[nodiscard]] std::string oversubscription_problem(const FirstScenario& wanted);

/// A commented scenario, which is valid: the jobs share the hosts, each with as many that follow
/// one another.
[[nodiscard]] Result<std::string> first_scenario(const FirstScenario& wanted);

}  // namespace weft::begin
