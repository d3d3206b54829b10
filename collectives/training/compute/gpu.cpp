#include "collectives/training/compute/gpu.hpp"

#include <algorithm>
#include <cmath>

namespace weft::collectives {
namespace {

constexpr BitsPerSecond gigabytes_per_second(std::int64_t count) {
  return BitsPerSecond(count * 8'000'000'000);
}
constexpr Bytes gigabytes(std::int64_t count) { return Bytes(count * 1'000'000'000); }

// In the order of NumberFormat: FP32, TF32, BF16, FP16, FP8, MXFP8, FP4. Tables that print rates
// with sparsity are halved, but for FP32, which has none.
constexpr std::array<double, kNumberFormats> kAmpere{19.5, 156, 312, 312, 0, 0, 0};
constexpr std::array<double, kNumberFormats> kHopper{66.9, 494.7, 989.4, 989.4, 1978.9, 0, 0};

constexpr const char* kHopperSource =
    "NVIDIA H100 Tensor Core GPU Architecture, v1.04; memory: H100 datasheet";

// Multiprocessors: NVIDIA's architecture papers of A100 and H100; of the others what their driver
// reports (cudaDeviceProp::multiProcessorCount).
constexpr std::array<Gpu, 8> kGpus{{
    {.name = "a100-sxm-40",
     .source = "NVIDIA A100 datasheet, 2021, A100 40GB SXM",
     .peak = kAmpere,
     .bandwidth = gigabytes_per_second(1555),
     .memory = gigabytes(40),
     .processors = 108},
    {.name = "a100-sxm-80",
     .source = "NVIDIA A100 datasheet, 2021, A100 80GB SXM",
     .peak = kAmpere,
     .bandwidth = gigabytes_per_second(2039),
     .memory = gigabytes(80),
     .processors = 108},
    {.name = "h100-sxm",
     .source = kHopperSource,
     .peak = kHopper,
     .bandwidth = gigabytes_per_second(3350),
     .memory = gigabytes(80),
     .processors = 132},
    {.name = "h200",
     .source = "NVIDIA H200 datasheet, H200 SXM: the peaks of H100 SXM",
     .peak = kHopper,
     .bandwidth = gigabytes_per_second(4800),
     .memory = gigabytes(141),
     .processors = 132},
    {.name = "h800",
     .source = "DeepSeek-AI, arXiv 2505.09343: H100 with less FP64 and NVLink",
     .peak = kHopper,
     .bandwidth = gigabytes_per_second(3350),
     .memory = gigabytes(80),
     .processors = 132},
    {.name = "b200",
     .source = "NVIDIA Blackwell datasheet, HGX B200, individual GPU",
     .peak = {75, 1100, 2250, 2250, 4500, 4500, 9000},
     .bandwidth = gigabytes_per_second(7700),
     .memory = gigabytes(180),
     .processors = 148,
     .tile_processors = 2},
    {.name = "gb200",
     .source = "NVIDIA Blackwell datasheet, GB200 NVL72, individual GPU",
     .peak = {80, 1250, 2500, 2500, 5000, 5000, 10000},
     .bandwidth = gigabytes_per_second(8000),
     .memory = gigabytes(186),
     .processors = 152,
     .tile_processors = 2},
    {.name = "gb300",
     .source = "NVIDIA Blackwell Ultra datasheet, GB300 NVL72, individual GPU",
     .peak = {80, 1250, 2500, 2500, 5000, 5000, 15000},
     .bandwidth = gigabytes_per_second(8000),
     .memory = gigabytes(279),
     .processors = 152,
     .tile_processors = 2},
}};

}  // namespace

std::span<const Gpu> gpus() { return kGpus; }

const Gpu* find_gpu(std::string_view name) {
  const auto* found = std::ranges::find(kGpus, name, &Gpu::name);
  return found == kGpus.end() ? nullptr : found;
}

std::optional<double> peak_flops(const Gpu& gpu, NumberFormat format) {
  const double peak = gpu.peak[static_cast<std::size_t>(format)];
  if (peak == 0) return std::nullopt;
  return peak * 1e12;
}

std::string_view name_of(NumberFormat format) {
  static constexpr std::array<std::string_view, kNumberFormats> kNames{
      "fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "fp4"};
  return kNames[static_cast<std::size_t>(format)];
}

double bytes_of(NumberFormat format) {
  static constexpr std::array<double, kNumberFormats> kSizes{4, 4, 2, 2, 1, 1, 0.5};
  return kSizes[static_cast<std::size_t>(format)];
}

Bytes bytes_of_numbers(std::uint64_t numbers, NumberFormat format) {
  return Bytes(std::llround(std::ceil(static_cast<double>(numbers) * bytes_of(format))));
}

double activation_bytes(NumberFormat compute) { return std::max(2.0, bytes_of(compute)); }

}  // namespace weft::collectives
