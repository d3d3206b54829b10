#include "scenarios/blame/counterfactual/said_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "scenarios/language/yaml/scalar_text.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

bool is_omitted(const language::Node& node) {
  const language::Node* off = node.find("skip");
  return off != nullptr && off->text == "true";
}

void find_in(const language::Node& node, const std::string& path, std::string_view pattern,
             std::vector<SaidKey>& found) {
  if (pattern.empty()) {
    found.push_back({path, &node});
    return;
  }
  if (node.kind != language::Node::Kind::kMap || is_omitted(node)) return;
  const std::size_t point = pattern.find('.');
  const std::string_view rest =
      point == std::string_view::npos ? std::string_view() : pattern.substr(point + 1);
  std::string_view step = pattern.substr(0, point);
  const bool is_list = step.ends_with("[]");
  if (is_list) step.remove_suffix(2);
  for (const language::Node::Entry& entry : node.entries) {
    if (step != "*" && entry.key != step) continue;
    const std::string at = language::child_path(path, entry.key);
    if (!is_list || entry.value.kind != language::Node::Kind::kList) {
      find_in(entry.value, at, rest, found);
      continue;
    }
    for (std::size_t i = 0; i < entry.value.items.size(); ++i) {
      find_in(entry.value.items[i], language::element_path(at, i), rest, found);
    }
  }
}

}  // namespace

std::string SaidKey::word() const {
  if (node->kind == language::Node::Kind::kScalar) return node->text;
  const language::Node* type = node->find("type");
  return type == nullptr ? std::string() : type->text;
}

SaidKeys::SaidKeys(const LoadedScenario& scenario) {
  const std::string text = scenario.resolved_yaml("");
  auto parsed = language::parse_yaml(text, scenario.scenario.name);
  WEFT_CHECK(parsed.ok(), "what a scenario is written out as can be read");
  root_ = std::move(parsed).value();
  for (const auto& [line, said] : language::default_lines(text)) {
    if (said.keys.empty()) default_lines_.insert(line);
  }
}

std::vector<SaidKey> SaidKeys::find(std::initializer_list<std::string_view> patterns) const {
  std::vector<SaidKey> found;
  for (const std::string_view pattern : patterns) find_in(root_, "", pattern, found);
  return found;
}

const language::Node* SaidKeys::at(const std::string& path) const {
  const language::Node* node = &root_;
  for (const language::PathStep& step : language::parse_path(path)) {
    if (!step.is_index) {
      node = node->find(step.key);
    } else {
      node = step.index < node->items.size() ? &node->items[step.index] : nullptr;
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::string SaidKeys::word(const std::string& path) const {
  const language::Node* node = at(path);
  return node == nullptr ? std::string() : SaidKey{path, node}.word();
}

std::string one_line(const language::Node& node, std::span<const std::string_view> left_out) {
  std::string text;
  switch (node.kind) {
    case language::Node::Kind::kNull:
      return "null";
    case language::Node::Kind::kScalar:
      return language::yaml_text(node.text);
    case language::Node::Kind::kList:
      for (const language::Node& item : node.items)
        text += (text.empty() ? "" : ", ") + one_line(item);
      return "[" + text + "]";
    case language::Node::Kind::kMap:
      break;
  }
  for (const language::Node::Entry& entry : node.entries) {
    if (std::ranges::find(left_out, std::string_view(entry.key)) != left_out.end()) continue;
    text += (text.empty() ? "" : ", ") + entry.key + ": " + one_line(entry.value);
  }
  return "{" + text + "}";
}

}  // namespace weft::scenarios
