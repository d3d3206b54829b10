#include "tools/deploy/cluster_names.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace weft::deploy {
namespace {

/// `gpu` and `07` of `gpu07`; the digits are empty where it ends in none.
struct Numbered {
  std::string prefix;
  std::string digits;
};

Numbered split(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && '0' <= name[end - 1] && name[end - 1] <= '9') --end;
  // More digits than a number has are no number.
  if (name.size() - end > 9) end = name.size();
  return {name.substr(0, end), name.substr(end)};
}

std::string range_text(const std::string& first, const std::string& last) {
  return first == last ? first : first + "-" + last;
}

}  // namespace

ServerNames::ServerNames(const Fabric& fabric) {
  std::map<std::string, std::size_t> known;
  for (std::uint32_t i = 0; i < fabric.hosts.size(); ++i) {
    const Node& node = fabric.host(HostId(i));
    const std::size_t slash = node.name.find('/');
    std::string name = node.name;
    if (slash != std::string::npos) {
      name = node.name.substr(0, slash);
    } else if (node.domain >= 0) {
      name = "server" + std::to_string(node.domain);
    }
    const auto [place, is_new] = known.try_emplace(name, names_.size());
    if (is_new) {
      names_.push_back(name);
      hosts_.emplace_back();
    }
    server_of_.push_back(place->second);
    hosts_[place->second].emplace_back(i);
  }
}

std::string hostlist(std::vector<std::string> names) {
  // By prefix and width: numbers of different widths are in different ranges.
  std::map<std::tuple<std::string, std::size_t>, std::vector<std::string>> numbered;
  for (const std::string& name : names) {
    const Numbered parts = split(name);
    numbered[{parts.prefix, parts.digits.size()}].push_back(parts.digits);
  }
  std::string text;
  for (auto& [key, digits] : numbered) {
    const auto& [prefix, width] = key;
    if (!text.empty()) text += ",";
    if (width == 0 || digits.size() == 1) {
      text += prefix + digits.front();
      continue;
    }
    std::ranges::sort(digits);
    digits.erase(std::unique(digits.begin(), digits.end()), digits.end());
    std::string ranges;
    for (std::size_t i = 0; i < digits.size();) {
      std::size_t last = i;
      while (last + 1 < digits.size() &&
             std::stol(digits[last + 1]) == std::stol(digits[last]) + 1) {
        ++last;
      }
      if (!ranges.empty()) ranges += ",";
      ranges += range_text(digits[i], digits[last]);
      i = last + 1;
    }
    text += prefix + "[" + ranges + "]";
  }
  return text;
}

}  // namespace weft::deploy
