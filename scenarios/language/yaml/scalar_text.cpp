#include "scenarios/language/yaml/scalar_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"

namespace weft::scenarios::language {
namespace {

using schema::Field;
using schema::Kind;
using schema::Scalar;

Parsed value(Scalar scalar) { return std::optional<Scalar>(std::move(scalar)); }

std::string number_text(double number) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end};
}

std::string specials_text(const Field& field) {
  std::string text;
  for (const schema::Special& special : field.specials) text += ", or `" + special.spelling + "`";
  return text;
}

/// The words of a field, with the one that is nearest to `text`.
std::string words_for(const Field& field, const std::string& text) {
  std::vector<std::string> words;
  for (const schema::Special& special : field.specials) words.push_back(special.spelling);
  return specials_text(field) + did_you_mean(text, words);
}

Parsed parse_quantity_field(const Field& field, const std::string& text) {
  auto parsed = parse_quantity(text, *field.dimension);
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    return *problem + words_for(field, text);
  }
  const std::int64_t count = std::get<std::int64_t>(parsed);
  if (count < field.minimum) {
    const std::string min = quantity_text(field.minimum, *field.dimension);
    if (count == 0) return "is zero; at least " + min + " is needed";
    return "is too small; at least " + min + " is needed";
  }
  if (count > field.maximum) {
    return "is too large; at most " + quantity_text(field.maximum, *field.dimension) +
           " is accepted";
  }
  return value(count);
}

Parsed parse_integer(const Field& field, const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range && stop == end) {
    return "is too large; expected " + expectation(field);
  }
  if (error != std::errc() || stop != end) {
    const bool is_negative = !text.empty() && text.front() == '-';
    return std::string(is_negative ? "is negative" : "is not a whole number") + "; expected " +
           expectation(field);
  }
  if (number < field.integer_minimum || number > field.integer_maximum) {
    return "is out of range; expected " + expectation(field);
  }
  return value(number);
}

Parsed parse_fraction(const Field& field, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(stop, end);
  const bool is_percent = unit == "%" || unit == " %";
  if (error != std::errc() || !(unit.empty() || is_percent)) {
    return "is not a number; expected " + expectation(field);
  }
  if (is_percent) number /= 100;
  const schema::Interval& in = field.interval;
  // Written so that NaN, which compares with nothing, is refused.
  const bool is_high_enough = in.includes_low ? number >= in.low : number > in.low;
  if (!(is_high_enough && number <= in.high)) {
    return "is out of range; expected " + expectation(field);
  }
  return value(number);
}

std::vector<std::string> spellings(const Field& field) {
  std::vector<std::string> names;
  for (const schema::Choice& choice : field.choices) names.push_back(choice.spelling);
  return names;
}

Parsed parse_choice(const Field& field, const std::string& text) {
  const std::vector<std::string> names = spellings(field);
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return value(static_cast<std::int64_t>(found - names.begin()));
  return "is not known; expected " + expectation(field) + did_you_mean(text, names);
}

Parsed parse_boolean(const std::string& text) {
  if (text == "true") return value(true);
  if (text == "false") return value(false);
  return std::string("is neither true nor false");
}

/// Words that YAML readers take for something else than text.
bool is_reserved(const std::string& text) {
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static constexpr std::array<std::string_view, 9> kWords{"null", "true", "false", "yes", "no",
                                                          "on",   "off",  "y",     "n"};
  return std::ranges::find(kWords, lower) != kWords.end();
}

}  // namespace

std::string expectation(const Field& field) {
  switch (field.kind) {
    case Kind::kQuantity:
      return std::string(field.dimension->name) + " such as " +
             std::string(field.dimension->example) + specials_text(field);
    case Kind::kInteger:
      if (field.integer_maximum == std::numeric_limits<std::uint64_t>::max()) {
        return "a whole number of at least " + std::to_string(field.integer_minimum) +
               " and below 2^64" + specials_text(field);
      }
      return "a whole number from " + std::to_string(field.integer_minimum) + " to " +
             std::to_string(field.integer_maximum) + specials_text(field);
    case Kind::kFraction:
      return "a number " + std::string(field.interval.includes_low ? "from " : "greater than ") +
             number_text(field.interval.low) +
             (field.interval.includes_low ? " to " : " and at most ") +
             number_text(field.interval.high) + specials_text(field);
    case Kind::kBoolean:
      return "true or false";
    case Kind::kText:
      return "a text";
    case Kind::kChoice:
      return field.choices.size() == 1 ? "`" + field.choices.front().spelling + "`"
                                       : "one of " + listing(spellings(field));
    case Kind::kWords:
      return "a value or a list of values";
    case Kind::kIntegers:
      return "a whole number from " + std::to_string(field.integer_minimum) + " to " +
             std::to_string(field.integer_maximum) + ", or a list of such numbers";
    case Kind::kObject:
      return "a map";
    case Kind::kObjects:
      return field.accepts_one ? "a map, or a list of maps" : "a list";
  }
  return {};
}

Parsed parse_scalar(const Field& field, const std::string& text) {
  for (const schema::Special& special : field.specials) {
    if (text == special.spelling) return special.value;
  }
  switch (field.kind) {
    case Kind::kQuantity:
      return parse_quantity_field(field, text);
    case Kind::kInteger:
    case Kind::kIntegers:
      return parse_integer(field, text);
    case Kind::kFraction:
      return parse_fraction(field, text);
    case Kind::kBoolean:
      return parse_boolean(text);
    case Kind::kChoice:
      return parse_choice(field, text);
    default:
      return value(text);
  }
}

std::string yaml_text(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '+' || c == '-';
  };
  const bool starts_well = !text.empty() && text.front() != '-' && text.front() != '.';
  if (starts_well && std::ranges::all_of(text, is_plain) && !is_reserved(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  // YAML's escapes of characters are those of `escaped` (YAML 1.2, section 5.7).
  return escaped(quoted) + "\"";
}

std::string integers_text(const std::vector<std::uint32_t>& integers) {
  if (integers.size() == 1) return std::to_string(integers.front());
  std::string text;
  for (const std::uint32_t n : integers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "[" + text + "]";
}

std::string scalar_text(const Field& field, const std::optional<Scalar>& scalar) {
  for (const schema::Special& special : field.specials) {
    if (special.value == scalar) return special.spelling;
  }
  switch (field.kind) {
    case Kind::kQuantity:
      return quantity_text(std::get<std::int64_t>(*scalar), *field.dimension);
    case Kind::kInteger:
      return std::to_string(std::get<std::uint64_t>(*scalar));
    case Kind::kFraction:
      return number_text(std::get<double>(*scalar));
    case Kind::kBoolean:
      return std::get<bool>(*scalar) ? "true" : "false";
    case Kind::kChoice:
      return field.choices[static_cast<std::size_t>(std::get<std::int64_t>(*scalar))].spelling;
    default:
      return yaml_text(std::get<std::string>(*scalar));
  }
}

}  // namespace weft::scenarios::language
