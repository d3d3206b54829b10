#include "tools/evidence/nccl_log/structure.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxChannels = 1024;  ///< NCCL has 64 at most

/// NCCL's topo.h, from the shortest path to the longest.
constexpr std::array<std::string_view, 11> kPaths{"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                                  "P2C", "PXN", "PHB", "SYS", "NET"};

/// `14` of `14[6]`.
std::optional<std::uint32_t> rank_in(std::string_view word) {
  return number_in<std::uint32_t>(word.substr(0, word.find('[')));
}

/// `16 coll channels, 16 collnet channels, 16 nvls channels, 32 p2p channels, 2 p2p channels per
/// peer`
bool read_channel_counts(const LogLine& line, Members& members) {
  if (line.text.find(" coll channels,") == line.text.npos) return false;
  Member& member = members.described_by(line, false);
  for (const std::string_view part : split_at(line.text, ',')) {
    const std::vector<std::string_view> words = split_words(part);
    if (words.size() < 3) continue;
    const auto number = number_in<std::uint32_t>(words[0]);
    if (!number) continue;
    if (words[1] == "coll") member.channels = *number;
    if (words[1] == "nvls" && *number > 0) member.nvls = true;
    if (words[1] == "p2p") {
      (words.back() == "peer" ? member.p2p_channels_per_peer : member.p2p_channels) = *number;
    }
  }
  return true;
}

/// `Pattern 4, crossNic 0, nChannels 8, bw 40.0/40.0, type NVL/PIX, sameChannels 1`
bool read_pattern(const LogLine& line, Members& members) {
  if (!line.text.starts_with("Pattern ")) return false;
  Member& member = members.described_by(line, true);
  const std::vector<std::string_view> words = split_words(line.text);
  std::string_view type = word_behind(words, "type");
  if (type.ends_with(',')) type.remove_suffix(1);
  const std::string_view between = type.substr(std::min(type.find('/') + 1, type.size()));
  if (is_longer_path(between, member.worst_path)) member.worst_path = between;
  return true;
}

/// `Channel 00/16 :  0  7  6  5 ...`
bool read_ring(const LogLine& line, Members& members) {
  const std::vector<std::string_view> words = split_words(line.text);
  if (words.size() < 4 || words[0] != "Channel" || words[2] != ":") return false;
  if (line.text.find("->") != line.text.npos) return false;
  const std::size_t slash = words[1].find('/');
  const auto channel = number_in<std::uint32_t>(words[1].substr(0, slash));
  if (!channel || *channel >= kMaxChannels) return false;
  std::vector<std::uint32_t> ring;
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto rank = number_in<std::uint32_t>(words[i]);
    if (!rank) break;  // `...`
    ring.push_back(*rank);
  }
  members.described_by(line, true).rings[*channel] = std::move(ring);
  return true;
}

/// `Ring 05 : 14 -> 21 -> 20`
bool read_neighbours(const LogLine& line, Members& members) {
  const std::vector<std::string_view> words = split_words(line.text);
  if (words.size() < 8 || words[0] != "Ring" || words[4] != "->" || words[6] != "->") return false;
  const auto channel = number_in<std::uint32_t>(words[1]);
  const auto before = number_in<std::uint32_t>(words[3]);
  const auto rank = number_in<std::uint32_t>(words[5]);
  const auto after = number_in<std::uint32_t>(words[7]);
  if (!channel || !before || !rank || !after) return false;
  members.described_by(line, true).neighbours.push_back({*channel, *before, *rank, *after});
  return true;
}

/// `Channel 05/0 : 22[6] -> 29[5] [send] via NET/IB/5(21)/GDRDMA`
bool read_net(const LogLine& line, const SourceLocation& where, Members& members) {
  constexpr std::string_view kVia = " via NET/";
  const std::size_t via = line.text.find(kVia);
  const std::vector<std::string_view> words = split_words(line.text.substr(0, via));
  if (via == line.text.npos || words.size() < 6 || words[0] != "Channel") return false;
  const auto channel = number_in<std::uint32_t>(words[1].substr(0, words[1].find('/')));
  const auto from = rank_in(words[3]);
  const auto to = rank_in(words[5]);
  const std::vector<std::string_view> parts = split_at(line.text.substr(via + kVia.size()), '/');
  if (!channel || !from || !to || words[4] != "->" || parts.size() < 2) return false;
  const std::size_t bracket = parts[1].find('(');
  const auto device = number_in<std::uint32_t>(parts[1].substr(0, bracket));
  if (!device) return false;
  ChannelNet net{.channel = *channel,
                 .from = *from,
                 .to = *to,
                 .is_send = words.back() == "[send]",
                 .host = safe_name(line.host),
                 .where = where};
  if (bracket != parts[1].npos && parts[1].ends_with(')')) {
    net.proxy =
        number_in<std::uint32_t>(parts[1].substr(bracket + 1, parts[1].size() - bracket - 2));
  }
  net.is_gpu_direct =
      std::ranges::any_of(parts, [](std::string_view part) { return part.starts_with("GDRDMA"); });
  Member& member = members.described_by(line, false);
  member.nets.push_back(std::move(net));
  member.net_devices.push_back(*device);
  return true;
}

/// `NVLS multicast support is available on dev 0`, `... use ring PXN 0 GDR 1`
bool read_features(const LogLine& line, Members& members) {
  if (line.text.starts_with("NVLS multicast support is ")) {
    members.described_by(line, false).nvls = line.text.find("not available") == line.text.npos;
    return true;
  }
  if (!line.text.starts_with("Connected all ")) return false;
  const std::string_view gdr = word_behind(split_words(line.text), "GDR");
  if (!gdr.empty()) members.described_by(line, false).gpu_direct = gdr != "0";
  return true;
}

}  // namespace

std::string algorithm_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames{
      {{"tree", "tree"},
       {"ring", "ring"},
       {"collnet", "collnet-direct"},
       {"collnetdirect", "collnet-direct"},
       {"collnetchain", "collnet-chain"},
       {"nvls", "nvls"},
       {"nvlstree", "nvls-tree"},
       {"pat", "pat"},
       {"coldirect", "collnet-direct"},
       {"colchain", "collnet-chain"}}};
  std::string bare = lower(name);
  std::erase(bare, '_');
  const auto* const found =
      std::ranges::find(kNames, bare, &std::pair<std::string_view, std::string_view>::first);
  return found == kNames.end() ? safe_name(bare) : std::string(found->second);
}

bool is_longer_path(std::string_view a, std::string_view b) {
  const auto* const path = std::ranges::find(kPaths, a);
  return path != kPaths.end() && (b.empty() || path > std::ranges::find(kPaths, b));
}

bool read_structure(const LogLine& line, const SourceLocation& where, Members& members) {
  return read_channel_counts(line, members) || read_pattern(line, members) ||
         read_ring(line, members) || read_neighbours(line, members) ||
         read_net(line, where, members) || read_features(line, members);
}

bool CostTable::read_names(std::string_view process, const Cells& line) {
  const std::string first = lower(line.front());
  Cells cells;
  std::copy_if(std::next(line.begin()), line.end(), std::back_inserter(cells),
               [](std::string_view cell) { return !cell.empty(); });
  std::vector<Column> columns;
  if (first == "latency/algbw") {
    for (const std::string_view cell : cells) {
      const std::size_t slash = cell.find('/');
      if (slash == cell.npos) continue;
      columns.emplace_back(algorithm_name(trimmed(cell.substr(0, slash))),
                           lower(trimmed(cell.substr(slash + 1))));
    }
  } else if (first == "algorithm") {
    std::vector<std::string>& names = algorithms_[std::string(process)];
    names.clear();
    for (const std::string_view cell : cells) names.push_back(algorithm_name(cell));
    return true;
  } else if (first == "protocol") {
    const std::vector<std::string>& names = algorithms_[std::string(process)];
    if (names.empty() || cells.size() % names.size() != 0) return true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      columns.emplace_back(names[i * names.size() / cells.size()], lower(cells[i]));
    }
  } else {
    return false;
  }
  columns_[std::string(process)] = std::move(columns);
  return true;
}

bool CostTable::read(const LogLine& line, Members& members) {
  if (line.text.find('|') == line.text.npos) return false;
  Cells cells = split_at(line.text, '|');
  if (cells.back().empty()) cells.pop_back();
  if (cells.size() < 2) return false;
  if (read_names(line.process, cells)) return true;
  const OperationFacts* operation = find_nccl_operation(cells.front());
  const std::vector<Column>& columns = columns_[std::string(line.process)];
  if (operation == nullptr || columns.size() + 1 != cells.size()) return false;
  std::vector<NcclCost> costs;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view cell = cells[i + 1];
    const std::size_t slash = cell.find('/');
    const auto latency = number_in<double>(trimmed(cell.substr(0, slash)));
    const auto rate = number_in<double>(
        trimmed(cell.substr(std::min(slash == cell.npos ? slash : slash + 1, cell.size()))));
    if (!latency || !rate) return false;
    costs.push_back(
        {std::string(operation->name), columns[i].first, columns[i].second, *latency, *rate});
  }
  std::vector<NcclCost>& all = members.described_by(line, false).costs;
  all.insert(all.end(), costs.begin(), costs.end());
  return true;
}

}  // namespace weft::evidence
