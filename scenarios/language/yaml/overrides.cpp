#include "scenarios/language/yaml/overrides.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"

namespace weft::scenarios::language {
namespace {

/// A map in the place of `node`: what it is, or an empty one around a bare value.
void make_map(Node& node, const Mark& mark) {
  if (node.kind == Node::Kind::kMap) return;
  Node map;
  map.kind = Node::Kind::kMap;
  map.mark = mark;
  if (node.kind != Node::Kind::kNull) {
    map.entries.push_back({kBareValue, node.mark, std::move(node)});
  }
  node = std::move(map);
}

std::optional<std::string> descend(Node*& node, const PathStep& step, const Mark& mark) {
  if (!step.is_index) {
    make_map(*node, mark);
    Node* child = node->find(step.key);
    if (child == nullptr) {
      Node fresh;
      fresh.mark = mark;
      child = &node->entries.emplace_back(Node::Entry{step.key, mark, std::move(fresh)}).value;
    }
    node = child;
    return std::nullopt;
  }
  if (node->kind == Node::Kind::kNull) node->kind = Node::Kind::kList;
  if (node->kind != Node::Kind::kList) return "there is no list for the index";
  if (step.index > node->items.size()) {
    return "there is no element " + std::to_string(step.index) + "; the list has " +
           std::to_string(node->items.size());
  }
  if (step.index == node->items.size()) node->items.emplace_back().mark = mark;
  node = &node->items[step.index];
  return std::nullopt;
}

std::optional<Error> apply(Node& root, const std::string& text, int index) {
  const SourceLocation where{override_name(text), 0, 0, {}};
  const std::size_t equals = text.find('=');
  const std::vector<PathStep> steps =
      equals == std::string::npos ? std::vector<PathStep>{} : parse_path(text.substr(0, equals));
  if (steps.empty()) {
    return Error{"expected path=value, such as fabric.ecn.kmin=400KB or jobs[0].size=1MiB", where};
  }
  const std::string value_text = text.substr(equals + 1);
  if (const Errors bad = check_text(value_text, where.file); !bad.empty()) return bad.front();
  Result<Node> value = parse_yaml(value_text, where.file, index);
  if (!value.ok()) return Error{value.errors().front().message, where};
  Node* node = &root;
  for (const PathStep& step : steps) {
    if (const auto problem = descend(node, step, value.value().mark)) {
      return Error{*problem, {where.file, 0, 0, text.substr(0, equals)}};
    }
  }
  *node = std::move(value).value();
  return std::nullopt;
}

}  // namespace

std::string override_name(const std::string& override_text) { return "--set " + override_text; }

Errors apply_overrides(Node& root, const std::vector<std::string>& overrides) {
  Errors errors;
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    if (auto error = apply(root, overrides[i], static_cast<int>(i))) {
      errors.push_back(std::move(*error));
    }
  }
  return errors;
}

}  // namespace weft::scenarios::language
