#include "tools/begin/leaves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"

namespace weft::begin {
namespace {

/// NICs that a leaf takes: what a switch with 64 ports leaves for uplinks is the other half.
constexpr std::uint32_t kMaxDown = 32;
/// Digits to which an oversubscription is as asked for: nobody writes 8/3 out.
constexpr int kDigits = 3;
/// Ports of Ethernet and InfiniBand, for uplinks slower than the NICs.
constexpr std::array kPortRates{800_Gbps, 400_Gbps, 200_Gbps, 100_Gbps, 50_Gbps, 25_Gbps, 10_Gbps};

struct Uplinks {
  std::uint32_t links = 1;
  BitsPerSecond rate;
};

std::string in_digits(double ratio) { return scenarios::plain_number(ratio, kDigits); }

/// Leaves that some machines can be divided into, and what their ports come to.
class Divisions {
 public:
  Divisions(const LeavesWanted& wanted, const Machine& machine)
      : machine_(machine), nics_(wanted.is_rail ? machine.nics_per_rail() : machine.nics) {
    // Two leaves at least, or no traffic but that between rails would leave them.
    const std::uint32_t max = std::max(kMaxDown / std::max(nics_, 1U), 1U);
    for (std::uint32_t d = std::clamp(wanted.machines / 2, 1U, max); d > 0; --d) {
      if (wanted.machines % d == 0) sizes_.push_back(d);
    }
    rates_.push_back(machine.rate);
    std::ranges::copy_if(kPortRates, std::back_inserter(rates_),
                         [&](BitsPerSecond rate) { return rate < machine.rate; });
  }

  /// In servers, the largest first.
  [[nodiscard]] const std::vector<std::uint32_t>& sizes() const { return sizes_; }
  /// Of uplinks, the fastest first: as the NICs', and slower ones for leaves of few NICs.
  [[nodiscard]] const std::vector<BitsPerSecond>& rates() const { return rates_; }
  [[nodiscard]] std::uint32_t ports_of(std::uint32_t size) const {
    return size * nics_ * machine_.ports;
  }
  [[nodiscard]] double ratio(std::uint32_t size, const Uplinks& up) const {
    return static_cast<double>((ports_of(size) * machine_.rate).count()) /
           static_cast<double>((up.links * up.rate).count());
  }
  /// More uplinks than that would be a bundle of slow cables that nobody lays.
  [[nodiscard]] std::uint32_t max_links(std::uint32_t size, BitsPerSecond rate) const {
    return ports_of(size) * (rate < machine_.rate ? 2 : 1);
  }

  /// Uplinks with which a leaf of `size` servers has this oversubscription.
  [[nodiscard]] std::optional<Uplinks> uplinks(std::uint32_t size, BitsPerSecond rate,
                                               double wanted) const {
    const double links = std::round(ratio(size, {1, rate}) / wanted);
    if (links < 1 || links > max_links(size, rate)) return std::nullopt;
    const Uplinks up{static_cast<std::uint32_t>(links), rate};
    if (in_digits(ratio(size, up)) != in_digits(wanted)) return std::nullopt;
    return up;
  }

 private:
  const Machine& machine_;
  std::uint32_t nics_;
  std::vector<std::uint32_t> sizes_;
  std::vector<BitsPerSecond> rates_;
};

/// Uplinks as fast as NICs if any leaf allows it, and then the largest leaf.
std::optional<Leaves> fitting(const LeavesWanted& wanted, const Machine& machine) {
  const Divisions divisions(wanted, machine);
  for (const BitsPerSecond rate : divisions.rates()) {
    for (const std::uint32_t size : divisions.sizes()) {
      const auto up = divisions.uplinks(size, rate, wanted.oversubscription);
      if (!up) continue;
      Leaves leaves{.is_rail = wanted.is_rail,
                    .racks = wanted.machines,
                    .spines = up->links,
                    .uplink = rate,
                    .oversubscription = divisions.ratio(size, *up)};
      if (wanted.is_rail) {
        leaves.group = size;
      } else {
        leaves.servers = size;
        leaves.racks = wanted.machines / size;
      }
      return leaves;
    }
  }
  return std::nullopt;
}

/// The possible oversubscriptions next to the wanted one.
std::vector<std::string> nearest_ratios(const LeavesWanted& wanted, const Machine& machine) {
  std::optional<double> below;
  std::optional<double> above;
  const Divisions divisions(wanted, machine);
  for (const BitsPerSecond rate : divisions.rates()) {
    for (const std::uint32_t size : divisions.sizes()) {
      for (std::uint32_t links = 1; links <= divisions.max_links(size, rate); ++links) {
        const double ratio = divisions.ratio(size, {links, rate});
        if (ratio < 1) continue;
        if (ratio < wanted.oversubscription && (!below || ratio > *below)) below = ratio;
        if (ratio > wanted.oversubscription && (!above || ratio < *above)) above = ratio;
      }
    }
  }
  std::vector<std::string> texts;
  if (below) texts.push_back(in_digits(*below));
  if (above) texts.push_back(in_digits(*above));
  return texts;
}

/// The numbers of machines next to the wanted one with which its oversubscription is possible.
std::vector<std::string> nearest_counts(const LeavesWanted& wanted, const Machine& machine) {
  const auto is_possible = [&](std::uint32_t count) {
    LeavesWanted other = wanted;
    other.machines = count;
    return fitting(other, machine).has_value();
  };
  constexpr std::uint32_t kReach = 64;
  std::vector<std::string> texts;
  for (std::uint32_t d = 1; d < wanted.machines && d <= kReach; ++d) {
    if (!is_possible(wanted.machines - d)) continue;
    texts.push_back(scenarios::format_count(wanted.machines - d));
    break;
  }
  for (std::uint32_t d = 1; d <= kReach; ++d) {
    if (!is_possible(wanted.machines + d)) continue;
    texts.push_back(scenarios::format_count(wanted.machines + d));
    break;
  }
  return texts;
}

Error impossible(const LeavesWanted& wanted, const Machine& machine) {
  const Divisions divisions(wanted, machine);
  std::vector<std::string> ports;
  for (const std::uint32_t size : divisions.sizes()) {
    ports.push_back(std::to_string(divisions.ports_of(size)));
  }
  std::string text = fmt::format(
      "--oversubscription: {} is not possible with {}: they divide into leaves with {} ports of {} "
      "towards hosts, and no whole number of uplinks of that rate or of a slower port fits",
      in_digits(wanted.oversubscription), scenarios::counted(wanted.machines, "machine"),
      fmt::join(ports, " or "), scenarios::format_rate(static_cast<double>(machine.rate.count())));
  const auto ratios = nearest_ratios(wanted, machine);
  if (!ratios.empty()) text += fmt::format("; possible: {}", fmt::join(ratios, " or "));
  const auto counts = nearest_counts(wanted, machine);
  if (!counts.empty()) {
    text += fmt::format("; or {} with {} machines", in_digits(wanted.oversubscription),
                        fmt::join(counts, " or "));
  }
  return Error{text};
}

}  // namespace

Result<Leaves> find_leaves(const LeavesWanted& wanted, const Machine& machine) {
  const auto leaves = fitting(wanted, machine);
  if (!leaves) return impossible(wanted, machine);
  return *leaves;
}

std::optional<Leaves> with_oversubscription(const Leaves& leaves, double ratio,
                                            const Machine& machine) {
  const std::uint32_t size = leaves.is_rail ? leaves.group : leaves.servers;
  const LeavesWanted wanted{.machines = leaves.is_rail ? leaves.racks : leaves.racks * size,
                            .is_rail = leaves.is_rail,
                            .oversubscription = ratio};
  const Divisions divisions(wanted, machine);
  for (const BitsPerSecond rate : divisions.rates()) {
    const auto up = divisions.uplinks(size, rate, ratio);
    if (!up || up->links < std::min(leaves.spines, 2U)) continue;
    Leaves other = leaves;
    other.spines = up->links;
    other.uplink = rate;
    other.oversubscription = divisions.ratio(size, *up);
    return other;
  }
  return std::nullopt;
}

std::uint32_t count_with_larger_leaves(const LeavesWanted& wanted, const Machine& machine) {
  const auto largest = [&](std::uint32_t count) {
    LeavesWanted other = wanted;
    other.machines = count;
    return Divisions(other, machine).sizes().front();
  };
  const std::uint32_t here = largest(wanted.machines);
  constexpr std::uint32_t kReach = 64;
  std::uint32_t best = 0;
  std::uint32_t size = 2 * here;  // which is worth a change
  for (std::uint32_t d = 1; d <= kReach; ++d) {
    if (const std::uint32_t other = largest(wanted.machines + d); other >= size) {
      best = wanted.machines + d;
      break;
    }
  }
  return best;
}

}  // namespace weft::begin
