#include "tools/import/infiniband/lanes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

struct LaneSpeed {
  std::string_view name;    ///< of ibnetdiscover
  std::string_view figure;  ///< of iblinkinfo, as it prints Gb/s per lane
  std::int64_t mbps;        ///< as ports are called: 4 lanes of NDR carry 400 Gb/s
};
constexpr std::array<LaneSpeed, 9> kLaneSpeeds{{{"SDR", "2.5", 2'500},
                                                {"DDR", "5.0", 5'000},
                                                {"QDR", "10.0", 10'000},
                                                {"FDR10", "10.0", 10'000},
                                                {"FDR", "14.0625", 14'000},
                                                {"EDR", "25.78125", 25'000},
                                                {"HDR", "53.125", 50'000},
                                                {"NDR", "106.25", 100'000},
                                                {"XDR", "212.5", 200'000}}};

}  // namespace

std::optional<BitsPerSecond> infiniband_rate(std::string_view width, std::string_view speed) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kWidths{
      {{"1x", 1}, {"2x", 2}, {"4x", 4}, {"8x", 8}, {"12x", 12}}};
  const auto lanes = std::ranges::find(kWidths, lower_case(width),
                                       &std::pair<std::string_view, std::int64_t>::first);
  const auto lane = std::ranges::find_if(kLaneSpeeds, [speed](const LaneSpeed& known) {
    return known.name == speed || known.figure == speed;
  });
  if (lanes == kWidths.end() || lane == kLaneSpeeds.end()) return std::nullopt;
  return BitsPerSecond(lanes->second * lane->mbps * 1'000'000);
}

NodeName split_node_name(std::string_view description) {
  const std::size_t blank = description.rfind(' ');
  if (blank == std::string_view::npos) return {std::string(description), ""};
  return {std::string(trimmed(description.substr(0, blank))),
          std::string(description.substr(blank + 1))};
}

bool is_generic_description(std::string_view description) {
  return description.find("Mellanox Technologies") != std::string_view::npos ||
         description.find("Infiniscale") != std::string_view::npos ||
         description.find("NVIDIA Technologies") != std::string_view::npos;
}

}  // namespace weft::import
