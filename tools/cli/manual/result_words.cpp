#include "tools/cli/manual/result_words.hpp"

#include <cstddef>
#include <string_view>

#include "scenarios/language/manual/key_text.hpp"
#include "scenarios/results/reference.hpp"
#include "scenarios/results/summary/summary_record.hpp"

namespace weft::cli {
namespace {

using scenarios::FieldReference;
using scenarios::language::TextLine;

/// The last key of a path such as `training[].step_seconds.mean`.
std::string last_key(const std::string& path) {
  std::string key = path.substr(path.rfind('.') + 1);
  return key.substr(0, key.find('['));
}

/// The name of a result without its unit: `jct` of `jct_s` and of `jct_seconds`.
std::string_view without_unit(std::string_view name) {
  for (const std::string_view unit : {"_seconds", "_bytes", "_s"}) {
    if (name.size() > unit.size() && name.ends_with(unit)) {
      return name.substr(0, name.size() - unit.size());
    }
  }
  return name;
}

bool is_called(const std::string& name, const std::string& word) {
  const std::string key = last_key(name);
  return name == word || key == word || without_unit(key) == word;
}

TextLine line_of(const std::string& where, const FieldReference& field) {
  std::string text = field.meaning;
  if (!field.unit.empty()) text += (text.empty() ? "in " : "; in ") + field.unit;
  return {where, std::move(text)};
}

}  // namespace

std::string result_word_text(const std::string& word) {
  constexpr std::size_t kMax = 12;
  std::vector<TextLine> lines;
  for (const scenarios::TableReference& table : scenarios::result_reference()) {
    for (const FieldReference& field : table.fields) {
      if (is_called(field.name, word))
        lines.push_back(line_of(table.file + ": " + field.name, field));
    }
  }
  for (const FieldReference& field : scenarios::summary_record().reference()) {
    if (is_called(field.name, word)) lines.push_back(line_of("summary.json: " + field.name, field));
  }
  if (lines.empty()) return {};
  const std::size_t count = lines.size();
  if (count > kMax) lines.resize(kMax);
  std::string text = word + ": a result\n" + scenarios::language::lines_text(lines, "  ");
  if (count > kMax) text += "  and " + std::to_string(count - kMax) + " more\n";
  return text + "  all results: `weft schema --results`\n";
}

std::vector<std::string> result_words() {
  std::vector<std::string> words;
  for (const scenarios::TableReference& table : scenarios::result_reference()) {
    for (const FieldReference& field : table.fields) {
      words.push_back(field.name);
      words.emplace_back(without_unit(field.name));
    }
  }
  return words;
}

}  // namespace weft::cli
