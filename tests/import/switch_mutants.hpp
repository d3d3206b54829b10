#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "switch_samples.hpp"

/// Copies of good files with one change: they are refused, read to other facts, or the change is
/// where nothing is taken from. None may crash, hang, or be misread.
namespace weft::import {

struct MutatedForm {
  std::string sample;
  /// Texts of lines, or keys before a value, from which nothing is taken.
  std::vector<std::string> unused;
};

inline const std::vector<MutatedForm>& mutated_forms() {
  static const std::vector<MutatedForm> forms{
      {"fabric/config_db-leaf01.json",
       {"\"lanes\": \"", "\"index\": \"", "\"description\": \"", "\"platform\": \"",
        "\"POLL_INTERVAL\": \""}},
      {"broken/config_db-numbers.json",
       {"\"lanes\": \"", "\"index\": \"", "\"description\": \"", "\"platform\": \"",
        "\"POLL_INTERVAL\": \""}},
      {"fabric/qos-eos.txt", {"! "}},
      {"fabric/qos-nxos.txt", {"! "}},
      {"fabric/qos-cumulus.txt", {}},
      {"fabric/qos-cumulus-show.txt", {"cumulus@"}}};
  return forms;
}

/// Whether the byte belongs to a queue, or to a row of a map, that no code point of the samples
/// reaches: these use the traffic classes 0, 3 and 6, and the priorities 0 and 3.
inline bool is_unreached(const std::string& text, std::size_t at) {
  const std::size_t table = text.rfind("\n    \"", at);
  if (table == std::string::npos) return false;
  const std::string_view name = std::string_view(text).substr(table + 6, 30);
  const std::size_t begin = text.find_last_of(",{", at);
  if (name.starts_with("BUFFER_QUEUE")) {
    const std::size_t bar = text.rfind('|', at);
    return bar != std::string::npos && bar > text.rfind('\n', at);
  }
  const bool is_priority = name.starts_with("MAP_PFC_PRIORITY");
  if (!is_priority && !name.starts_with("TC_TO_")) return false;
  const std::size_t key = text.find('"', begin) + 1;
  return std::string_view(is_priority ? "03" : "036").find(text[key]) == std::string_view::npos;
}

/// Whether the byte stands behind one of the unused texts, in the value or line that this begins.
inline bool is_unused(const std::string& text, std::size_t at, const MutatedForm& form) {
  if (form.sample.ends_with(".json") && is_unreached(text, at)) return true;
  const std::size_t line = text.rfind('\n', at);
  const std::size_t begin = line == std::string::npos ? 0 : line + 1;
  const std::string_view before = std::string_view(text).substr(begin, at - begin);
  for (const std::string& unused : form.unused) {
    const std::size_t found = before.rfind(unused);
    if (found == std::string_view::npos) continue;
    if (!unused.ends_with('"')) return true;
    if (before.substr(found + unused.size()).find('"') == std::string_view::npos) return true;
  }
  return false;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string flipped_byte(std::string text) {
    text[below(text.size())] = static_cast<char>(below(256));
    return text;
  }
  std::string cut(const std::string& text) { return text.substr(0, below(text.size())); }
  std::string without_line(std::string text) {
    const auto [begin, end] = line(text);
    return text.erase(begin, end - begin);
  }
  std::string with_line_twice(std::string text) {
    const auto [begin, end] = line(text);
    return text.insert(begin, text.substr(begin, end - begin));
  }
  /// Another digit at a place that is taken; empty: none was found.
  std::string other_digit(std::string text, const MutatedForm& form) {
    for (int tries = 0; tries < 1000; ++tries) {
      const std::size_t at = below(text.size());
      if (std::isdigit(static_cast<unsigned char>(text[at])) == 0 || is_unused(text, at, form)) {
        continue;
      }
      text[at] = static_cast<char>('0' + (text[at] - '0' + 1 + static_cast<int>(below(9))) % 10);
      changed_at = at;
      return text;
    }
    return {};
  }

  std::size_t changed_at = 0;

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return {begin, std::min(text.find('\n', begin), text.size() - 1) + 1};
  }

  std::mt19937_64 random_;
};

inline void read_mutants(const MutatedForm& form, int copies, std::uint64_t seed) {
  const std::string good = operator_sample(form.sample);
  const Description original = described({{"a", good}});
  ASSERT_FALSE(original.switches.empty()) << form.sample;
  const std::string facts = settings_text(original);
  Mutator mutator(seed);
  for (int i = 0; i < copies; ++i) {
    std::string text;
    if (i % 5 == 0) text = mutator.flipped_byte(good);
    if (i % 5 == 1) text = mutator.cut(good);
    if (i % 5 == 2) text = mutator.without_line(good);
    if (i % 5 == 3) text = mutator.with_line_twice(good);
    if (i % 5 == 4) text = mutator.other_digit(good, form);
    const Description found = described({{"a", text}});
    (void)check_settings(found);
    if (has_errors(found.remarks)) {
      EXPECT_TRUE(found.switches.empty() && found.cables.empty()) << form.sample << " copy " << i;
    } else if (i % 5 == 4) {
      EXPECT_NE(settings_text(found), facts)
          << form.sample << " copy " << i << ": a digit without effect at "
          << text.substr(mutator.changed_at < 60 ? 0 : mutator.changed_at - 60, 80);
    } else if (i % 5 == 1 && form.sample.ends_with(".json")) {
      ADD_FAILURE() << form.sample << " copy " << i << ": a cut file was read";
    }
  }
}

}  // namespace weft::import
