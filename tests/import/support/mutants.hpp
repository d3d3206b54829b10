#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/import/support/samples.hpp"

namespace weft::import {

/// The good samples of each format that tells a cluster.
inline const std::multimap<std::string, std::string>& good_samples() {
  static const std::multimap<std::string, std::string> samples{
      {"nccl-topo", "server/nccl-topo-gpu01.xml"},
      {"topo-m", "server/topo-m-gpu01.txt"},
      {"topo-m", "server/topo-m-gpu01-pasted.txt"},
      {"lstopo", "server/lstopo-gpu01.xml"},
      {"netbox-csv", "fabric/netbox-cables.csv"},
      {"netbox-table", "fabric/netbox-cables-table-export.csv"},
      {"cables-csv", "fabric/cables-generic.csv"},
      {"cables-csv", "fabric/cables-semicolons.csv"},
      {"cables-csv", "fabric/cables-tabs.txt"},
      {"lldpctl", "fabric/lldpctl-gpu01.json"},
      {"lldp-table", "fabric/lldp-table-leaf01.txt"},
      {"dsx-air", "fabric/dsx-air.json"},
      {"dot", "fabric/cumulus.dot"},
      {"ibnetdiscover", "fabric/ibnetdiscover.txt"},
      {"iblinkinfo", "fabric/iblinkinfo.txt"},
      {"slurm-topology", "fabric/topology.conf"},
      {"topograph", "fabric/topograph.yaml"},
      {"infragraph", "fabric/infragraph.yaml"},
      {"simgrid", "fabric/simgrid.xml"}};
  return samples;
}

/// A small generator of its own: the same mutants on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33U) % std::max<std::size_t>(count, 1);
  }

 private:
  std::uint64_t state_;
};

inline std::vector<std::string> lines_with_ends(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    lines.back() += c;
    if (c == '\n') lines.emplace_back();
  }
  return lines;
}

inline std::string mutant_of(const std::string& text, Dice& dice) {
  std::string changed = text;
  const std::size_t at = dice.below(text.size());
  const std::size_t kind = dice.below(5);
  if (kind == 0) changed[at] = static_cast<char>(dice.below(256));
  if (kind == 1) changed.resize(at);
  if (kind >= 2) {
    std::vector<std::string> lines = lines_with_ends(text);
    const std::size_t a = dice.below(lines.size());
    const std::size_t b = dice.below(lines.size());
    if (kind == 2) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
    if (kind == 3) lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(b), lines[a]);
    if (kind == 4) std::swap(lines[a], lines[b]);
    changed.clear();
    for (const std::string& line : lines) changed += line;
  }
  return changed;
}

/// Reads `count` mutants of each good sample: none may crash, take a second, or leave facts beside
/// an error.
inline void read_mutants(int count) {
  for (const auto& [format, name] : good_samples()) {
    const std::string text = sample_text(name);
    Dice dice(7);
    for (int i = 0; i < count; ++i) {
      const std::string mutant = mutant_of(text, dice);
      const auto begin = std::chrono::steady_clock::now();
      const Description read = read_text(mutant, format);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      EXPECT_LT(time.count(), 1) << name << " mutant " << i;
      if (has_errors(read.remarks)) {
        EXPECT_EQ(facts_text(read), "") << name << " mutant " << i;
      }
    }
  }
}

}  // namespace weft::import
