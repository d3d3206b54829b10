#include "scenarios/language/yaml/node.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

/// The first step of `path`, which is removed from it; false if there is none.
bool take_step(std::string_view& path, PathStep& step) {
  if (path.front() == '[') {
    const std::size_t end = path.find(']');
    if (end == std::string_view::npos) return false;
    const char* last = path.data() + end;
    const auto [stop, error] = std::from_chars(path.data() + 1, last, step.index);
    if (error != std::errc() || stop != last) return false;
    step.is_index = true;
    path.remove_prefix(end + 1);
  } else {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end == 0) return false;
    step.key = path.substr(0, end);
    path.remove_prefix(end);
  }
  if (path.empty() || path.front() == '[') return true;
  if (path.front() != '.' || path.size() == 1 || path[1] == '[') return false;
  path.remove_prefix(1);
  return true;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

std::string Node::description() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return backquoted(text);
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return {};
}

std::string child_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string element_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

std::vector<PathStep> parse_path(std::string_view path) {
  std::vector<PathStep> steps;
  if (path.empty() || path.front() == '[') return {};
  while (!path.empty()) {
    PathStep step;
    if (!take_step(path, step)) return {};
    steps.push_back(std::move(step));
  }
  return steps;
}

Located locate(const Node& root, std::string_view path) {
  const Node* node = &root;
  Located result{root.mark, path.empty()};
  for (const PathStep& step : parse_path(path)) {
    if (step.is_index) {
      node = step.index < node->items.size() ? &node->items[step.index] : nullptr;
    } else {
      node = node->find(step.key);
    }
    if (node == nullptr) return {result.mark, false};
    result = {node->mark, true};
  }
  return result;
}

}  // namespace weft::scenarios::language
