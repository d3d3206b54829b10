#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

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

  /// V100 (900 GB/s), A100 (80 GB, 2,039 GB/s), H100 (3.35 TB/s) and B200 (8 TB/s), of NVIDIA's
  /// data sheets. What a block moves is the cap per channel of trees in Simple inside a node, 26.5,
  /// 24, 38.7 and 70 GB/s of NCCL 2.30's src/graph/tuning.cc, which NCCL's authors measured.
  [[nodiscard]] static constexpr GpuRates of(GpuGeneration generation) {
    switch (generation) {
      case GpuGeneration::kVolta:
        return of_memory(7'200_Gbps).or_else({kAsGpu, kAsGpu, 212_Gbps});
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

/// What a collective takes on a GPU and its host beside bytes. Absent: not known.
struct GpuTimes {
  /// Of the host, until a call that nothing precedes has begun.
  std::optional<Picoseconds> launch{};
  /// Of a kernel that moves little (LL), from the end of the kernel before to its own.
  std::optional<Picoseconds> kernel{};
  /// The same of each step of its ring.
  std::optional<Picoseconds> step{};

  /// Launch: 32 KiB on eight GPUs take 42.8 (A100), 36.6 (H100, H200) and 47.8 us (B200) in
  /// published tables of single calls, of which kernels take 22.6, 15.8 and 25.5. What is left,
  /// 20.2, 20.8 and 22.3 us, is the same on all.
  ///
  /// Kernels: of n GPUs an all-reduce has 2 (n - 1) steps; calls of 512 B back to back take 10.0
  /// and 22.6 us on 2 and 8 A100, 6.2 and 15.6 on H100, 9.2 and 25.5 on B200 (medians of nccl-tests
  /// with NCCL 2.27.3 and 2.29.2, half precision; github.com/ai-dynamo/aiconfigurator, 095f58a,
  /// systems data, Apache-2.0). NCCL's tuning model has 6.6 us, and 0.6 per step, for all of them,
  /// and so has Volta here, of which no such calls are published.
  [[nodiscard]] static constexpr GpuTimes of(GpuGeneration generation) {
    switch (generation) {
      case GpuGeneration::kVolta:
        return {21_us, 6'600_ns, 600_ns};
      case GpuGeneration::kAmpere:
        return {21_us, 7'900_ns, 1'050_ns};
      case GpuGeneration::kHopper:
        return {21_us, 4'600_ns, 790_ns};
      case GpuGeneration::kBlackwell:
        break;
    }
    return {21_us, 6'500_ns, 1'360_ns};
  }

  /// With what is not known as `other` has it.
  [[nodiscard]] constexpr GpuTimes or_else(const GpuTimes& other) const {
    return {launch ? launch : other.launch, kernel ? kernel : other.kernel,
            step ? step : other.step};
  }
  /// What ranks of two kinds take in step. Not known if it is not of both.
  [[nodiscard]] constexpr GpuTimes slower(const GpuTimes& other) const {
    return {slower(launch, other.launch), slower(kernel, other.kernel), slower(step, other.step)};
  }
  bool operator==(const GpuTimes&) const = default;

 private:
  using Time = std::optional<Picoseconds>;
  static constexpr Time slower(const Time& a, const Time& b) {
    if (!a || !b) return {};
    return std::max(*a, *b);
  }
};

}  // namespace weft
