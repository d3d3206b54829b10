#include "tools/diagnose/model/gpu_names.hpp"

namespace weft::diagnose {
namespace {

struct GpuName {
  std::string_view part;
  GpuGeneration generation;
};
/// By what their names contain.
constexpr GpuName kGpus[] = {
    {"V100", GpuGeneration::kVolta},    {"A100", GpuGeneration::kAmpere},
    {"A800", GpuGeneration::kAmpere},   {"H100", GpuGeneration::kHopper},
    {"H200", GpuGeneration::kHopper},   {"H800", GpuGeneration::kHopper},
    {"H20", GpuGeneration::kHopper},    {"B200", GpuGeneration::kBlackwell},
    {"B300", GpuGeneration::kBlackwell}};

}  // namespace

std::optional<GpuGeneration> gpu_generation_of(std::string_view name) {
  for (const GpuName& gpu : kGpus) {
    if (name.find(gpu.part) != std::string_view::npos) return gpu.generation;
  }
  return {};
}

const char* generation_text(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::kVolta:
      return "Volta (V100)";
    case GpuGeneration::kAmpere:
      return "Ampere (A100)";
    case GpuGeneration::kHopper:
      return "Hopper (H100, H200)";
    case GpuGeneration::kBlackwell:
      break;
  }
  return "Blackwell (B200, GB200)";
}

}  // namespace weft::diagnose
