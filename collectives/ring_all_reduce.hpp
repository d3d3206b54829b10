#pragma once

#include "collectives/job_specs.hpp"
#include "collectives/program.hpp"

namespace weft::collectives {

/// Ring all-reduce (P. Patarasuk, X. Yuan, "Bandwidth Optimal All-reduce Algorithms for Clusters of
/// Workstations", JPDC 69, 2009, section 4): n-1 steps of reduce-scatter, n-1 of all-gather.
///
/// The vector is cut into n chunks; the first (size mod n) of them are a byte longer. In step s,
/// rank r sends chunk (r - s) mod n to rank r+1 and takes chunk (r-1 - s) mod n from rank r-1. It
/// sends in step s+1 what it took in step s, and so not before. Chunks of no bytes are left out, at
/// both ends.
class RingAllReduce final : public JobProgram {
 public:
  RingAllReduce(std::uint32_t ranks, const AllReduceSpec& spec);

  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                  std::uint32_t lane) const override;
  [[nodiscard]] Bytes chunk_size(std::uint32_t chunk) const;

 private:
  class Source;

  std::uint32_t ranks_;
  AllReduceSpec spec_;
};

}  // namespace weft::collectives
