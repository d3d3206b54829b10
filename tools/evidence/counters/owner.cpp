#include "tools/evidence/counters/owner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::evidence {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<CounterOwner> owner_of_line(std::string_view line) {
  const auto words = words_of_line(line);
  if (words.size() >= 2 && words.size() <= 3 && words[0] == "#" && is_name(words[1])) {
    const bool has_port = words.size() == 3 && is_name(words[2]);
    return CounterOwner{std::string(words[1]), has_port ? std::string(words[2]) : ""};
  }
  if (words.empty()) return std::nullopt;
  const std::size_t at = words[0].find('@');
  const std::size_t colon = words[0].find(':', at == std::string_view::npos ? 0 : at);
  if (at == std::string_view::npos || colon == std::string_view::npos) return std::nullopt;
  if (!words[0].ends_with('#') && !words[0].ends_with('$')) return std::nullopt;
  CounterOwner owner{std::string(words[0].substr(at + 1, colon - at - 1)), ""};
  const bool names_port = std::ranges::find(words, "-S") != words.end() ||
                          std::ranges::find(words, "-i") != words.end();
  if (names_port && is_name(words.back())) owner.port = std::string(words.back());
  return owner;
}

CounterOwner owner_of_name(std::string_view file_name, bool has_port) {
  const std::size_t slash = file_name.rfind('/');
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  file_name = file_name.substr(0, file_name.rfind('.'));
  CounterOwner owner;
  std::size_t dash = file_name.rfind('-');
  if (has_port && dash != std::string_view::npos) {
    owner.port = std::string(file_name.substr(dash + 1));
    file_name = file_name.substr(0, dash);
    dash = file_name.rfind('-');
  }
  if (dash == std::string_view::npos) return {};
  owner.device = std::string(file_name.substr(dash + 1));
  return is_name(owner.device) && (!has_port || is_name(owner.port)) ? owner : CounterOwner{};
}

std::optional<std::uint64_t> counter_value(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return parse_unsigned(text);
  std::string digits;
  bool is_first = true;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view group = text.substr(0, comma);
    if (is_first ? group.empty() || group.size() > 3 : group.size() != 3) return std::nullopt;
    digits += group;
    is_first = false;
    if (comma == std::string_view::npos) return parse_unsigned(digits);
    text.remove_prefix(comma + 1);
  }
}

void add_counters(const import::InputFile& file, std::string_view form,
                  std::vector<Counter> counters, Remarks remarks, Measurements& measurements) {
  if (counters.empty() && !import::has_errors(remarks)) {
    import::add_error(remarks, {.file = file.name()}, "holds no counter: was it cut?");
  }
  if (file.ends_inside_line()) {
    import::add_warning(remarks, file.line(file.lines().size()),
                        "the text ends without a line end: is its last line whole?");
  }
  const bool failed = import::has_errors(remarks);
  std::move(remarks.begin(), remarks.end(), std::back_inserter(measurements.remarks));
  if (failed) return;
  std::set<std::pair<std::string, std::string>> owners;
  for (const Counter& counter : counters) owners.emplace(counter.device, counter.port);
  const std::string whose =
      owners.begin()->first.empty() ? "a device without a name" : escaped(owners.begin()->first);
  measurements.recognised.push_back(fmt::format("{}: {} of {}: {} counters of {} ports",
                                                escaped(file.name()), form, whose, counters.size(),
                                                owners.size()));
  std::move(counters.begin(), counters.end(), std::back_inserter(measurements.counters));
}

}  // namespace weft::evidence
