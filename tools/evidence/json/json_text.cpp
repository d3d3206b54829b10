#include "tools/evidence/json/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/base/escape.hpp"

namespace weft::evidence {
namespace {

/// Where nesting gets too deep; the end: nowhere.
std::size_t too_deep_at(std::string_view text) {
  std::size_t depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      if (c == '"') is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) return i;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return text.size();
}

const json* member(const json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

Result<json> parse_json(const import::InputFile& file) {
  const std::string_view text = file.text();
  if (text.size() > kMaxJsonTree) {
    return Error{"has more than 64 MiB, which no file of this form needs", {.file = file.name()}};
  }
  if (const std::size_t at = too_deep_at(text); at < text.size()) {
    return Error{fmt::format("is nested more than {} deep", kMaxJsonDepth), file.at(at)};
  }
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    return Error{"is no whole JSON: " + json_problem(e.what()),
                 file.at(e.byte == 0 ? 0 : e.byte - 1)};
  } catch (const json::exception& e) {
    return Error{"is no JSON: " + json_problem(e.what()), {.file = file.name()}};
  }
}

std::optional<json> parse_json_line(std::string_view line, std::string& problem) {
  constexpr std::size_t kMaxObject = std::size_t{1} << 20U;
  if (line.size() > kMaxObject || too_deep_at(line) < line.size()) {
    problem = "is longer than 1 MiB, or nested too deep";
    return {};
  }
  try {
    return json::parse(line);
  } catch (const json::exception& e) {
    problem = "is no whole JSON: " + json_problem(e.what());
    return {};
  }
}

std::string json_problem(std::string_view what) {
  for (const std::string_view start : {"] ", ": "}) {
    if (const std::size_t at = what.find(start); at != what.npos) {
      what.remove_prefix(at + start.size());
    }
  }
  constexpr std::size_t kMax = 160;
  return escaped(what.substr(0, kMax));
}

bool begins_as_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

std::string json_text(const json& object, std::string_view key) {
  const json* found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t json_whole(const json& object, std::string_view key) {
  const json* found = member(object, key);
  return found != nullptr && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

double json_number(const json& object, std::string_view key) {
  const json* found = member(object, key);
  return found != nullptr && found->is_number() ? found->get<double>() : 0;
}

}  // namespace weft::evidence
