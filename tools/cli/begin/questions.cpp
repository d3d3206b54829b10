#include "tools/cli/begin/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>
#include <optional>
#include <string_view>
#include <system_error>

#include "simcore/text/nearest.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

std::string without_blanks_around(const std::string& line) {
  constexpr const char* kBlanks = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The word that was meant; empty: none, or one of several.
std::string word_meant(const std::string& said, const std::vector<std::string>& words) {
  std::string small = in_small_letters(said);
  if (std::ranges::find(words, small) != words.end()) return small;
  const auto begins_so = [&small](const std::string& word) { return word.starts_with(small); };
  if (std::ranges::count_if(words, begins_so) != 1) return {};
  return *std::ranges::find_if(words, begins_so);
}

}  // namespace

void Questions::ask(const std::string& question, const Check& check, std::string& answer) {
  while (!has_ended_) {
    print_error_text(fmt::format("{} [{}] ", question, answer));
    std::string line;
    if (!std::getline(std::cin, line)) {
      has_ended_ = true;
      print_error_text("\n");
      return;
    }
    line = without_blanks_around(line);
    if (line.empty()) line = answer;
    const std::string problem = check(line);
    if (problem.empty()) {
      answer = line;
      return;
    }
    complain(problem);
  }
}

void Questions::ask_number(const std::string& question, double min, double max,
                           const std::function<std::string(double)>& check, double& number) {
  std::string text = fmt::format("{}", number);
  const auto is_fine = [&](const std::string& said) {
    const auto found = number_in<double>(said);
    return found && *found >= min && *found <= max;  // which NaN is not
  };
  ask(
      question,
      [&](const std::string& said) {
        return is_fine(said) ? check(*number_in<double>(said))
                             : fmt::format("`{}` is not a number from {} to {}", said, min, max);
      },
      text);
  number = number_in<double>(text).value_or(number);
}

void Questions::ask_count(const std::string& question, std::uint32_t min, std::uint32_t max,
                          std::uint32_t& number) {
  number = std::clamp(number, min, max);
  std::string text = std::to_string(number);
  ask(
      question,
      [&](const std::string& said) {
        const auto found = number_in<std::uint32_t>(said);
        return found && *found >= min && *found <= max
                   ? std::string()
                   : fmt::format("`{}` is not a whole number from {} to {}", said, min, max);
      },
      text);
  number = number_in<std::uint32_t>(text).value_or(number);
}

void Questions::ask_word(const std::string& question, const std::vector<std::string>& words,
                         std::string& word) {
  ask(
      question + " (" + joined(words) + ")",
      [&words](const std::string& said) {
        return word_meant(said, words).empty()
                   ? "`" + said + "` is not one of them" + did_you_mean(said, words)
                   : std::string();
      },
      word);
  word = word_meant(word, words);
}

}  // namespace weft::cli
