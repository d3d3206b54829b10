#include "tools/import/cluster/anonymise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "tools/import/source/characters.hpp"

namespace weft::import {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// How many characters from `at` satisfy `is_part`.
template <class Predicate>
std::size_t run_of(std::string_view text, std::size_t at, Predicate is_part) {
  std::size_t end = at;
  while (end < text.size() && is_part(text[end])) ++end;
  return end - at;
}

bool is_ipv4(std::string_view word) {
  std::size_t parts = 0;
  for (std::size_t at = 0; at <= word.size(); ++parts) {
    const std::size_t digits = run_of(word, at, is_digit);
    if (digits == 0 || digits > 3) return false;
    at += digits;
    if (at == word.size()) return parts == 3;
    if (word[at] != '.') return false;
    ++at;
  }
  return false;
}

/// Six or eight groups of two hexadecimal digits: MAC addresses and EUI-64. A PCI address or a time
/// of day has fewer groups.
bool is_mac(std::string_view word) {
  if (word.size() != 17 && word.size() != 23) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i % 3 == 2 ? word[i] != ':' : !is_hex_digit(word[i])) return false;
  }
  return true;
}

bool is_ipv6(std::string_view word) {
  const auto colons = std::ranges::count(word, ':');
  return colons >= 2 && (word.find("::") != std::string_view::npos || colons == 7) &&
         std::ranges::all_of(word,
                             [](char c) { return is_hex_digit(c) || c == ':' || c == '.'; }) &&
         std::ranges::any_of(word, is_hex_digit);
}

/// GUIDs of InfiniBand: sixteen hexadecimal digits, with or without `0x` or one of `HSR-`.
bool is_guid(std::string_view word) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  return word.size() == 16 && std::ranges::all_of(word, is_hex_digit) &&
         std::ranges::any_of(word, is_digit);
}

}  // namespace

Anonymiser::Anonymiser(const Cluster& cluster) {
  std::set<std::size_t> leaves;
  for (const ClusterCable& cable : cluster.cables) {
    if (cable.a.is_server) leaves.insert(cable.b.device);
  }
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    names_.emplace(cluster.servers[i].name, fmt::format("server{}", i + 1));
  }
  std::size_t leaf = 0;
  std::size_t spine = 0;
  for (std::size_t i = 0; i < cluster.switches.size(); ++i) {
    names_.emplace(cluster.switches[i].name, leaves.contains(i) ? fmt::format("leaf{}", ++leaf)
                                                                : fmt::format("spine{}", ++spine));
  }
  for (std::size_t i = 0; i < cluster.excluded.size(); ++i) {
    if (!cluster.excluded[i].empty()) {
      names_.emplace(cluster.excluded[i], fmt::format("other{}", i + 1));
    }
  }
  std::set<std::size_t, std::greater<>> lengths;
  for (const auto& [name, pseudonym] : names_) lengths.insert(name.size());
  lengths_.assign(lengths.begin(), lengths.end());
}

const std::string& Anonymiser::stand_in(const std::string& original, char kind) {
  const auto [known, is_new] = stand_ins_.try_emplace(original);
  if (!is_new) return known->second;
  const std::size_t n = ++counts_[kind];
  switch (kind) {
    case '4':  // RFC 5737 has too few addresses; RFC 2544's are for tests, too
      known->second = fmt::format("198.{}.{}.{}", 18 + (n >> 16U) % 2, (n >> 8U) % 256, n % 256);
      break;
    case '6':  // RFC 3849
      known->second = fmt::format("2001:db8::{:x}", n);
      break;
    case 'm':  // locally administered
      known->second = fmt::format("02:00:{:02x}:{:02x}:{:02x}:{:02x}", (n >> 24U) % 256,
                                  (n >> 16U) % 256, (n >> 8U) % 256, n % 256);
      if (original.size() == 23) known->second += ":00:00";
      break;
    case 'g':
      known->second = fmt::format("{}02{:014x}", original.starts_with("0x") ? "0x" : "", n);
      break;
    default:
      known->second = fmt::format("SERIAL{}", n);
  }
  return known->second;
}

Anonymiser::Replacement Anonymiser::name_at(std::string_view text, std::size_t at) const {
  for (const std::size_t length : lengths_) {
    if (at + length > text.size()) continue;
    if (at + length < text.size() && is_word(text[at + length])) continue;
    const auto found = names_.find(text.substr(at, length));
    if (found != names_.end()) return {length, found->second};
  }
  return {};
}

Anonymiser::Replacement Anonymiser::number_at(std::string_view text, std::size_t at) {
  const auto take = [&](std::size_t length, char kind) {
    return Replacement{length, stand_in(std::string(text.substr(at, length)), kind)};
  };
  const std::size_t colons =
      run_of(text, at, [](char c) { return is_hex_digit(c) || c == ':' || c == '.'; });
  std::string_view word = text.substr(at, colons);
  while (!word.empty() && (word.back() == '.' || (word.back() == ':' && !word.ends_with("::")))) {
    word.remove_suffix(1);
  }
  if (is_mac(word)) return take(word.size(), 'm');
  if (is_ipv6(word)) return take(word.size(), '6');
  const std::size_t digits = run_of(text, at, [](char c) { return is_digit(c) || c == '.'; });
  std::string_view address = text.substr(at, digits);
  while (address.ends_with('.')) address.remove_suffix(1);
  if (is_ipv4(address)) return take(address.size(), '4');
  const std::size_t letters = run_of(text, at, is_word);
  if (is_guid(text.substr(at, letters))) return take(letters, 'g');
  return {};
}

/// After a key such as `Serial Number:` or `"serial": "`.
Anonymiser::Replacement Anonymiser::serial_at(std::string_view text, std::size_t at) {
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  std::string before(text.substr(line, at - line));
  std::ranges::transform(before, before.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t key = before.rfind("serial");
  if (key == std::string::npos) return {};
  const std::string_view between = std::string_view(before).substr(key + 6);
  if (between.find_first_of(":=") == std::string_view::npos) return {};
  if (between.find_first_of(",;{}") != std::string_view::npos) return {};
  if (!between.ends_with(':') && !between.ends_with('=') && !between.ends_with(' ') &&
      !between.ends_with('"')) {
    return {};
  }
  const std::size_t length = run_of(text, at, [](char c) { return is_word(c) || c == '-'; });
  if (length < 4) return {};
  return {length, stand_in(std::string(text.substr(at, length)), 's')};
}

std::string Anonymiser::apply(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = is_word(text[at]) && (at == 0 || !is_word(text[at - 1]));
    const bool begins_address = text[at] == ':' && (at == 0 || !is_word(text[at - 1]));
    Replacement found;
    if (begins) found = name_at(text, at);
    if (begins && found.length == 0) found = serial_at(text, at);
    if ((begins || begins_address) && found.length == 0) found = number_at(text, at);
    if (found.length == 0) {
      result += text[at++];
      continue;
    }
    result += found.text;
    at += found.length;
  }
  return result;
}

}  // namespace weft::import
