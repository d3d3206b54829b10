#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"

namespace weft {

/// A rate of copying or adding up that is the GPU's; of a GPU, that it is not known.
inline constexpr BitsPerSecond kAsGpu = BitsPerSecond(-1);

/// Bytes per time that a GPU copies, or adds up, for a collective. 0: at once.
struct GpuRates {
  BitsPerSecond copy = kAsGpu;
  BitsPerSecond reduce = kAsGpu;
  /// Of one block of threads, between buffers of the network. A block is a channel of NCCL.
  BitsPerSecond block = kAsGpu;

  /// What the memory allows: a copy reads every byte and writes it, a sum reads two and writes one.
  /// In steps of 10 Gbps, which is what data sheets' bandwidths are good to. A prediction: nothing
  /// is taken off the data sheet's peak.
  [[nodiscard]] static constexpr GpuRates of_memory(BitsPerSecond bandwidth) {
    return {share(bandwidth, 2), share(bandwidth, 3), kAsGpu};
  }

  /// A100 (80 GB, 2,039 GB/s), H100 (3.35 TB/s) and B200 (8 TB/s), of NVIDIA's data sheets. What a
  /// block moves is the cap per channel of trees in Simple inside a node, 24, 38.7 and 70 GB/s of
  /// NCCL 2.30's src/graph/tuning.cc, which NCCL's authors measured.
  [[nodiscard]] static constexpr GpuRates of(GpuGeneration generation) {
    switch (generation) {
      case GpuGeneration::kAmpere:
        return of_memory(16'312_Gbps).or_else({kAsGpu, kAsGpu, 192_Gbps});
      case GpuGeneration::kHopper:
        return of_memory(26'800_Gbps).or_else({kAsGpu, kAsGpu, BitsPerSecond(309'600'000'000)});
      case GpuGeneration::kBlackwell:
        break;
    }
    return of_memory(64'000_Gbps).or_else({kAsGpu, kAsGpu, 560_Gbps});
  }

  /// With what is not known as `other` has it.
  [[nodiscard]] constexpr GpuRates or_else(const GpuRates& other) const {
    return {known(copy, other.copy), known(reduce, other.reduce), known(block, other.block)};
  }
  /// What ranks of two kinds do in step. Not known if it is not of both.
  [[nodiscard]] constexpr GpuRates slower(const GpuRates& other) const {
    return {slower(copy, other.copy), slower(reduce, other.reduce), slower(block, other.block)};
  }
  bool operator==(const GpuRates&) const = default;

 private:
  static constexpr BitsPerSecond share(BitsPerSecond bandwidth, std::int64_t passes) {
    const std::int64_t step = (10_Gbps).count();
    const std::int64_t rate = bandwidth.count() / passes;
    return BitsPerSecond(rate < step ? std::max<std::int64_t>(rate, 1) : rate / step * step);
  }
  static constexpr BitsPerSecond known(BitsPerSecond rate, BitsPerSecond other) {
    return rate == kAsGpu ? other : rate;
  }
  static constexpr BitsPerSecond slower(BitsPerSecond a, BitsPerSecond b) {
    if (a == kAsGpu || b == kAsGpu) return kAsGpu;
    if (a == BitsPerSecond(0) || b == BitsPerSecond(0)) return std::max(a, b);
    return std::min(a, b);
  }
};

}  // namespace weft
