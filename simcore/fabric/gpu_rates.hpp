#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"

namespace weft {

/// A rate of copying or adding up that is the GPU's.
inline constexpr BitsPerSecond kAsGpu = BitsPerSecond(-1);

/// Bytes per time that a GPU copies, or adds up, for a collective.
struct GpuRates {
  BitsPerSecond copy;
  BitsPerSecond reduce;
  /// Of one block of threads, between buffers of the network. A block is a channel of NCCL.
  BitsPerSecond block;

  /// What the memory allows: a copy reads every byte and writes it, a sum reads two and writes one.
  /// In steps of 10 Gbps, which is what data sheets' bandwidths are good to. A prediction: nothing
  /// is taken off the data sheet's peak.
  [[nodiscard]] static constexpr GpuRates of_memory(BitsPerSecond bandwidth, BitsPerSecond block) {
    return {share(bandwidth, 2), share(bandwidth, 3), block};
  }

  /// A100 (80 GB, 2,039 GB/s), H100 (3.35 TB/s) and B200 (8 TB/s), of NVIDIA's data sheets. What a
  /// block moves is the cap per channel of trees in Simple inside a node, 24, 38.7 and 70 GB/s of
  /// NCCL 2.30's src/graph/tuning.cc, which NCCL's authors measured.
  [[nodiscard]] static constexpr GpuRates of(GpuGeneration generation) {
    switch (generation) {
      case GpuGeneration::kAmpere:
        return of_memory(16'312_Gbps, 192_Gbps);
      case GpuGeneration::kHopper:
        return of_memory(26'800_Gbps, BitsPerSecond(309'600'000'000));
      case GpuGeneration::kBlackwell:
        break;
    }
    return of_memory(64'000_Gbps, 560_Gbps);
  }

 private:
  static constexpr BitsPerSecond share(BitsPerSecond bandwidth, std::int64_t passes) {
    const std::int64_t step = (10_Gbps).count();
    const std::int64_t rate = bandwidth.count() / passes;
    return BitsPerSecond(rate < step ? std::max<std::int64_t>(rate, 1) : rate / step * step);
  }
};

}  // namespace weft
