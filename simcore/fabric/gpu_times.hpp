#pragma once

#include <algorithm>
#include <optional>

#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"

namespace weft {

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
  /// systems data, Apache-2.0). NCCL's tuning model has 6.6 us, and 0.6 per step, for all of them.
  [[nodiscard]] static constexpr GpuTimes of(GpuGeneration generation) {
    switch (generation) {
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
