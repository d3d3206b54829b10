#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft::cli {

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
};

inline const std::vector<std::string> kFirstFabrics{"rail-optimised", "leaf-spine"};
inline const std::vector<std::string> kFirstJobs{"all-reduce",  "all-gather", "reduce-scatter",
                                                 "all-to-all",  "broadcast",  "incast",
                                                 "permutation", "training"};

inline constexpr int kMaxMachines = 65'536;
inline constexpr double kMaxOversubscription = 64;

/// GPUs of a machine, or its NICs where it has no GPUs: each is a host that ranks can be on.
[[nodiscard]] Result<std::uint32_t> hosts_of_machine(const std::string& machine);

/// Machines of this kind that a fabric can join: 1 where none has a NIC.
[[nodiscard]] Result<std::uint32_t> max_of_machine(const std::string& machine);

/// The fabric that a machine gets if nobody says which.
[[nodiscard]] Result<std::string> usual_fabric(const std::string& machine);

/// A commented scenario, which is valid: the jobs share the hosts, each with as many that follow
/// one another.
[[nodiscard]] Result<std::string> first_scenario(const FirstScenario& wanted);

}  // namespace weft::cli
