#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <vector>

#include "simcore/base/random.hpp"
#include "tests/fuzz/dictionary.hpp"

namespace weft::testing {
namespace {

class Mutation {
 public:
  Mutation(std::string_view text, std::string_view other, std::uint64_t seed)
      : text_(text), other_(other), random_(seed, Purpose::kTestScenario, 18) {}

  std::string apply() {
    do {
      change();
    } while (below(2) == 0);
    return std::move(text_);
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::size_t below(std::size_t n) {
    return random_.below(counter_++, std::max<std::size_t>(n, 1));
  }
  const std::string& one_of(const std::vector<std::string>& words) {
    return words[below(words.size())];
  }

  void change() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return replace(value(), one_of(dictionary().values));
      case 3:
        return replace(key(), one_of(dictionary().keys));
      case 4:
      case 5:
        return change_number();
      case 6:
        return erase_lines();
      case 7:
        return insert_at_line(std::string(some_lines(text_)));
      case 8:
        return insert_at_line(std::string(some_lines(other_)));
      case 9:
        return insert_key();
      case 10:
        return set_path();
      default:
        return change_bytes();
    }
  }

  // A word begins and ends at what separates words in YAML and CSV.
  static bool separates(char c) {
    return c == ' ' || c == '\n' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']' ||
           c == '=';
  }
  Range word_at(std::size_t at) const {
    while (at < text_.size() && separates(text_[at])) ++at;
    Range word{at, at};
    while (word.begin > 0 && !separates(text_[word.begin - 1])) --word.begin;
    while (word.end < text_.size() && !separates(text_[word.end])) ++word.end;
    return word;
  }
  bool is_key(Range word) const { return word.end > word.begin && text_[word.end - 1] == ':'; }

  /// A word that is a key, or is none, if a few tries find one.
  Range word(bool wants_key) {
    Range found;
    for (int i = 0; i < 8; ++i) {
      found = word_at(below(text_.size()));
      if (is_key(found) == wants_key) break;
    }
    if (is_key(found)) --found.end;
    return found;
  }
  Range key() { return word(true); }
  Range value() { return word(false); }

  void replace(Range range, const std::string& with) {
    text_.replace(range.begin, range.end - range.begin, with);
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void change_number() {
    Range number{};
    for (int i = 0; i < 8 && number.end == number.begin; ++i) {
      number.begin = std::min(text_.find_first_of("0123456789", below(text_.size())), text_.size());
      number.end = number.begin;
      while (number.end < text_.size() && is_digit(text_[number.end])) ++number.end;
    }
    std::string digits = text_.substr(number.begin, number.end - number.begin);
    switch (below(6)) {
      case 0:
        digits = std::to_string(below(20));
        break;
      case 1:
        digits += "0";
        break;
      case 2:
        digits += "000";
        break;
      case 3:
        digits = "-" + digits;
        break;
      case 4:
        digits += ".5";
        break;
      default:
        digits = one_of(dictionary().values);
    }
    replace(number, digits);
  }

  std::size_t line_begin(std::string_view text) {
    const std::size_t before = text.rfind('\n', below(text.size()));
    return before == std::string_view::npos ? 0 : before + 1;
  }
  std::string_view some_lines(std::string_view text) {
    const std::size_t begin = line_begin(text);
    std::size_t end = begin;
    for (std::size_t lines = 1 + below(4); lines > 0 && end < text.size(); --lines) {
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    }
    return text.substr(begin, end - begin);
  }
  void insert_at_line(const std::string& lines) { text_.insert(line_begin(text_), lines); }
  void erase_lines() {
    const std::string_view lines = some_lines(text_);
    text_.erase(static_cast<std::size_t>(lines.data() - text_.data()), lines.size());
  }

  void insert_key() {
    const std::string entry = one_of(dictionary().keys) + ": " + one_of(dictionary().values);
    const std::size_t brace = text_.find('{', below(text_.size()));
    if (below(2) == 0 && brace != std::string::npos) {
      text_.insert(brace + 1, entry + ", ");
      return;
    }
    const std::size_t begin = line_begin(text_);
    const std::size_t indent = std::min(text_.find_first_not_of(' ', begin), text_.size()) - begin;
    text_.insert(begin, std::string(indent, ' ') + entry + "\n");
  }

  void set_path() {
    text_ += "\n%set\n" + one_of(dictionary().paths) + "=" + one_of(dictionary().values) + "\n";
  }

  void change_bytes() {
    const std::size_t at = below(text_.size() + 1);
    constexpr std::string_view kMarks = "\t\r\n \"'`:#[]{},-&*!%|>?\\";
    switch (below(4)) {
      case 0:
        text_.insert(at, 1, kMarks[below(kMarks.size())]);
        break;
      case 1:
        text_.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 2:
        text_.erase(at, 1 + below(8));
        break;
      default:
        text_.resize(at + below(text_.size() - at));
    }
  }

  std::string text_;
  std::string_view other_;
  RandomStream random_;
  std::uint64_t counter_ = 0;
};

}  // namespace

std::string mutated(std::string_view text, std::string_view other, std::uint64_t seed) {
  return Mutation(text, other, seed).apply();
}

}  // namespace weft::testing
