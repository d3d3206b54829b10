#include "tools/import/cables/cable_words.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

using Words = std::vector<std::string>;
using KnownWords = std::span<const std::string_view>;

constexpr std::string_view kNearSides[] = {"from", "source", "src", "a", "1", "local", "near"};
constexpr std::string_view kFarSides[] = {"to", "destination", "dest",   "dst", "target",
                                          "b",  "z",           "remote", "far", "2"};
constexpr std::string_view kDeviceWords[] = {"device", "host",   "hostname", "node",
                                             "system", "server", "switch"};
constexpr std::string_view kPortWords[] = {"port", "interface", "intf", "iface", "nic"};
constexpr std::string_view kEmptyWords[] = {"side", "end", "name"};
constexpr std::string_view kServerWords[] = {"server", "host", "hostname"};
constexpr std::string_view kRateWords[] = {"rate", "speed", "bandwidth", "link",
                                           "port", "cable", "data",      "line"};
constexpr std::string_view kLengthWords[] = {"length", "len", "cable", "link", "in"};
constexpr std::string_view kMediumWords[] = {"medium", "media", "cable", "type", "transceiver"};

bool is_among(KnownWords known, std::string_view word) {
  return std::ranges::find(known, word) != known.end();
}

bool are_among(KnownWords known, const Words& words) {
  return !words.empty() && std::ranges::all_of(words, [known](const std::string& word) {
    return is_among(known, word);
  });
}

bool holds(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// In small letters: `Source Device`, `source_device`, `SourceDevice` and `Device1` have two each.
/// The slash of `Gb/s` belongs to its word.
Words words_of_title(std::string_view title) {
  Words words;
  char before = ' ';
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_part = std::isalnum(byte) != 0 || c == '/' || byte >= 0x80;
    const auto was = static_cast<unsigned char>(before);
    const bool begins = (std::islower(was) != 0 && std::isupper(byte) != 0) ||
                        (std::isalpha(was) != 0 && std::isdigit(byte) != 0);
    const bool is_behind = std::isalnum(was) != 0 || before == '/' || was >= 0x80;
    if (is_part && (!is_behind || begins)) words.emplace_back();
    if (is_part) words.back() += c;
    before = c;
  }
  for (std::string& word : words) word = lower_case(word);
  return words;
}

/// The unit in parentheses or brackets at the end of a title, which is cut off.
std::string take_unit(std::string_view& title) {
  if (!title.ends_with(')') && !title.ends_with(']')) return {};
  const std::size_t open = title.find_last_of("([");
  if (open == std::string_view::npos) return {};
  const std::string_view unit = trimmed(title.substr(open + 1, title.size() - open - 2));
  title = trimmed(title.substr(0, open));
  return std::string(unit);
}

/// `Server Port` and `Switch`: what is below is the near end.
std::string_view end_of_servers(const Words& words) {
  if (words.size() > 2 || words.empty()) return {};
  const bool is_server = is_among(kServerWords, words[0]);
  if (!is_server && words[0] != "switch") return {};
  if (words.size() == 1) return is_server ? "from" : "to";
  if (!is_among(kPortWords, words[1])) return {};
  return is_server ? "from_port" : "to_port";
}

std::string_view end_of_title(Words words) {
  std::erase_if(words, [](const std::string& word) { return is_among(kEmptyWords, word); });
  if (const std::string_view end = end_of_servers(words); !end.empty()) return end;
  const auto side = std::ranges::find_if(words, [](const std::string& word) {
    return is_among(kNearSides, word) || is_among(kFarSides, word);
  });
  if (side == words.end()) return {};
  const bool is_near = is_among(kNearSides, *side);
  words.erase(side);
  if (words.empty() || (words.size() == 1 && is_among(kDeviceWords, words[0]))) {
    return is_near ? "from" : "to";
  }
  if (words.size() == 1 && is_among(kPortWords, words[0])) return is_near ? "from_port" : "to_port";
  return {};
}

/// A quantity by its words, whose unit is in brackets or the last word; empty: none.
CableTitle quantity_of_title(Words words, std::string unit) {
  if (unit.empty() && words.size() > 1 &&
      (is_length_unit(words.back()) || is_rate_unit(words.back()))) {
    unit = words.back();
    words.pop_back();
  }
  const bool is_rate = are_among(kRateWords, words) &&
                       (holds(words, "rate") || holds(words, "speed") || holds(words, "bandwidth"));
  const bool is_length =
      are_among(kLengthWords, words) && (holds(words, "length") || holds(words, "len"));
  // `GB/s` counts bytes, which is for the reader of rates to say.
  if (is_rate && (unit.empty() || is_rate_unit(unit))) return {"rate", unit};
  if (is_length && (unit.empty() || is_length_unit(unit))) return {"length", unit};
  return {};
}

bool begins_with_type(std::string_view word, std::string_view type) {
  return word.starts_with(type) && word.size() > type.size() && word.size() <= type.size() + 2 &&
         word.find_first_not_of("0123456789", type.size()) == std::string_view::npos;
}

}  // namespace

CableTitle cable_title(std::string_view title) {
  title = trimmed(title);
  if (const std::string_view end = end_of_title(words_of_title(title)); !end.empty()) {
    return {end, {}};
  }
  const std::string unit = take_unit(title);
  const Words words = words_of_title(title);
  if (CableTitle quantity = quantity_of_title(words, unit); !quantity.column.empty()) {
    return quantity;
  }
  if (!unit.empty() || !are_among(kMediumWords, words) || words == Words{"cable"}) return {};
  return {"medium", {}, !holds(words, "medium") && !holds(words, "media")};
}

std::optional<std::string> medium_of(std::string_view text) {
  static constexpr std::string_view kCopper[] = {"copper", "dac",       "aec",  "acc",
                                                 "twinax", "twinaxial", "coax", "cu"};
  static constexpr std::string_view kFibre[] = {
      "fibre",  "fiber", "aoc",        "smf",       "mmf", "optical", "optic",
      "optics", "mode",  "singlemode", "multimode", "mpo", "mtp",     "lc"};
  static constexpr std::string_view kFibreTypes[] = {"om", "os", "sr", "dr",
                                                     "fr", "lr", "er", "vr"};
  bool is_copper = false;
  bool is_fibre = false;
  std::string word;
  const std::string lower = lower_case(text) + " ";
  for (const char c : lower) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
      continue;
    }
    // `2xFR4`
    std::string_view type = word;
    const std::size_t digits = std::min(type.find_first_not_of("0123456789"), type.size());
    if (digits > 0 && type.substr(digits).starts_with('x')) type.remove_prefix(digits + 1);
    is_copper = is_copper || is_among(kCopper, type) || begins_with_type(type, "cr") ||
                (type.starts_with("cat") && type.size() > 3 && type[3] >= '5' && type[3] <= '8');
    is_fibre = is_fibre || is_among(kFibre, type) ||
               std::ranges::any_of(kFibreTypes, [type](std::string_view known) {
                 return begins_with_type(type, known);
               });
    word.clear();
  }
  if (is_copper == is_fibre) return std::nullopt;
  return is_copper ? "copper" : "fibre";
}

}  // namespace weft::import
