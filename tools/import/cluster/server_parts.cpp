#include "tools/import/cluster/server_parts.hpp"

#include <algorithm>
#include <array>

namespace weft::import {
namespace {

/// Servers of topologies/catalogue/servers.yaml that files can be told by.
struct Known {
  std::string_view part;
  std::uint32_t compute_capability;  ///< NVIDIA's, of its GPUs
  std::uint32_t gpus;
  std::uint32_t nvlinks;  ///< per GPU
  std::uint32_t nics;
  std::string_view nic;
  BitsPerSecond nic_rate;
};

constexpr std::array<Known, 6> kKnown{{
    {"dgx-2", 70, 16, 6, 8, "connectx-5", 100_Gbps},
    {"dgx-a100", 80, 8, 12, 8, "connectx-6", 200_Gbps},
    {"hgx-h100", 90, 8, 18, 8, "connectx-7", 400_Gbps},
    {"hgx-b200", 100, 8, 18, 8, "connectx-7", 400_Gbps},
    {"hgx-b300", 103, 8, 18, 8, "connectx-8", 800_Gbps},
    {"gb200-nvl72", 100, 4, 18, 4, "connectx-7", 400_Gbps},
}};

const Known* find(std::string_view part) {
  const auto found = std::ranges::find(kKnown, part, &Known::part);
  return found == kKnown.end() ? nullptr : &*found;
}

}  // namespace

std::string_view part_of(const Server& server) {
  if (server.gpus.empty() || !server.gpus.front().compute_capability) return {};
  const std::uint32_t capability = *server.gpus.front().compute_capability;
  const std::uint32_t nvlinks = server.gpus.front().nvlinks;
  for (const Known& known : kKnown) {
    if (known.compute_capability != capability || known.gpus != server.gpus.size()) continue;
    if (nvlinks == known.nvlinks) return known.part;
  }
  return {};
}

std::string_view likely_part(const Server& server, std::optional<BitsPerSecond> rate) {
  if (server.gpus.empty() || server.gpus.front().compute_capability) return {};
  const std::uint32_t nvlinks = server.gpus.front().nvlinks;
  std::string_view likely;
  for (const Known& known : kKnown) {
    if (known.gpus != server.gpus.size() || known.nvlinks != nvlinks) continue;
    if (rate == known.nic_rate) return known.part;
    if (likely.empty()) likely = known.part;
  }
  return likely;
}

std::string_view likely_part(std::size_t nics, std::optional<BitsPerSecond> rate) {
  if (nics != 8 || !rate) return {};
  if (*rate == 200_Gbps) return "dgx-a100";
  if (*rate == 400_Gbps) return "hgx-h100";
  if (*rate == 800_Gbps) return "hgx-b300";
  return {};
}

std::uint32_t gpus_of(std::string_view part) {
  const Known* known = find(part);
  return known == nullptr ? 0 : known->gpus;
}

std::uint32_t nics_of(std::string_view part) {
  const Known* known = find(part);
  return known == nullptr ? 0 : known->nics;
}

std::string_view nic_of(std::string_view part) {
  const Known* known = find(part);
  return known == nullptr ? std::string_view() : known->nic;
}

BitsPerSecond nic_rate_of(std::string_view part) {
  const Known* known = find(part);
  return known == nullptr ? 400_Gbps : known->nic_rate;
}

BitsPerSecond nic_part_rate(std::string_view nic) {
  if (nic == "bluefield-3") return 400_Gbps;
  const auto found = std::ranges::find(kKnown, nic, &Known::nic);
  return found == kKnown.end() ? BitsPerSecond(0) : found->nic_rate;
}

std::string_view nic_of_rate(BitsPerSecond rate) {
  if (rate <= 100_Gbps) return "connectx-5";
  if (rate <= 200_Gbps) return "connectx-6";
  if (rate <= 400_Gbps) return "connectx-7";
  return "connectx-8";
}

}  // namespace weft::import
