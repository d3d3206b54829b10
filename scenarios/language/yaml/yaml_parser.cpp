#include "scenarios/language/yaml/yaml_parser.hpp"

#include <regex.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxHintLine = 1000;
/// Values of a document after aliases are expanded; far above any written scenario, low enough that
/// an alias bomb ends at once.
constexpr std::size_t kMaxNodes = 250'000;

/// Leaves the parser from within its callbacks; caught in this file.
struct Refused : std::exception {
  Error error;
  explicit Refused(Error e) : error(std::move(e)) {}
};

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  for (const Node::Entry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

std::size_t depth_of(const Node& node) {
  std::size_t depth = 0;
  for (const Node& item : node.items) depth = std::max(depth, depth_of(item));
  for (const Node::Entry& entry : node.entries) depth = std::max(depth, depth_of(entry.value));
  return depth + 1;
}

/// Builds the tree from the parser's events. yaml-cpp's own tree is not used: it expands aliases
/// into shared nodes, which may be cyclic, and keeps the last of duplicate keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string file, int override_index)
      : file_(std::move(file)), override_index_(override_index) {}

  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override { root_.mark = convert(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.mark = convert(mark);
    finish(std::move(node), mark, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (value.find('\0') != std::string::npos) {
      refuse(mark, "holds the character U+0000, at which programs and file systems end a text");
    }
    check_tag(mark, tag);
    Node node;
    node.kind = Node::Kind::kScalar;
    node.mark = convert(mark);
    // A text of a scenario is a line: what a terminal or a parser would obey, ends of lines as
    // well, is part of no name from here on, wherever that is printed or written.
    node.text = escaped(value);
    finish(std::move(node), mark, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    for (const Open& open : open_) {
      if (open.anchor == anchor) refuse(mark, "this alias stands inside of what it refers to");
    }
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(mark, "this alias refers to nothing");
    const Anchored& anchored = found->second;
    count(anchored.nodes, mark);
    if (open_.size() + anchored.depth > kMaxDepth) refuse_depth(mark);
    Node copy = anchored.node;
    copy.mark = convert(mark);
    place(std::move(copy));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Node::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Node::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end has not been seen.
  struct Open {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool expects_value = false;
    std::unordered_set<std::string> keys;
  };
  struct Anchored {
    Node node;
    std::size_t nodes;
    std::size_t depth;
  };

  [[nodiscard]] Mark convert(const YAML::Mark& mark) const {
    return {mark.line + 1, mark.column + 1, override_index_};
  }
  [[noreturn]] void refuse(const Mark& mark, std::string message) const {
    throw Refused({std::move(message), {file_, mark.line, mark.column, {}}});
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    refuse(convert(mark), std::move(message));
  }
  [[noreturn]] void refuse_depth(const YAML::Mark& mark) const {
    refuse(mark, "nested more than " + std::to_string(kMaxDepth) + " levels deep");
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, "the YAML tag " + backquoted(tag) + " has no meaning in a scenario");
  }

  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ > kMaxNodes) {
      refuse(mark, "the document has more than " + std::to_string(kMaxNodes) +
                       " values once its aliases are expanded; long lists of messages belong into "
                       "a CSV file");
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= kMaxDepth) refuse_depth(mark);
    count(1, mark);
    Open& opened = open_.emplace_back();
    opened.node.kind = kind;
    opened.node.mark = convert(mark);
    opened.anchor = anchor;
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    remember(closed.node, closed.anchor);
    place(std::move(closed.node));
  }

  void finish(Node node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(1, mark);
    remember(node, anchor);
    place(std::move(node));
  }

  void remember(const Node& node, YAML::anchor_t anchor) {
    if (anchor == YAML::NullAnchor) return;
    anchors_.insert_or_assign(anchor, Anchored{node, count_nodes(node), depth_of(node)});
  }

  void place(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.expects_value) {
      parent.node.entries.back().value = std::move(node);
      parent.expects_value = false;
    } else {
      place_key(parent, std::move(node));
    }
  }

  void place_key(Open& parent, Node key) {
    if (key.kind != Node::Kind::kScalar || key.text.empty()) {
      refuse(key.mark, "a key must be a word; found " +
                           (key.text.empty() ? std::string("none") : key.description()));
    }
    if (key.text == "<<") {
      refuse(key.mark, "merge keys (`<<`) are not supported; aliases (`*name`) are");
    }
    if (!parent.keys.insert(key.text).second) {
      const auto first = std::ranges::find(parent.node.entries, key.text, &Node::Entry::key);
      refuse(key.mark, "the key " + backquoted(key.text) + " appears twice; first on line " +
                           std::to_string(first->key_mark.line));
    }
    parent.node.entries.push_back({std::move(key.text), key.mark, {}});
    parent.expects_value = true;
  }

  std::string file_;
  int override_index_;
  Node root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
};

/// `{path: jobs[0].size}`: braces end a text at a bracket. Empty: the line has no such key.
std::string bracket_hint(std::string_view text, const YAML::Mark& mark) {
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int i = 0; i <= mark.line; ++i) std::getline(lines, line);
  if (line.size() > kMaxHintLine) return {};
  // That of POSIX: what std::regex needs takes four seconds to compile.
  regex_t key{};
  const char* pattern =
      R"re((^|[^]"'[:alnum:]_.])([[:alnum:]_]+(\.[[:alnum:]_]+)*\[[0-9]+\][][:alnum:]_.[]*))re";
  if (regcomp(&key, pattern, REG_EXTENDED) != 0) return {};
  std::array<regmatch_t, 3> found{};
  const bool is_found = regexec(&key, line.c_str(), found.size(), found.data(), 0) == 0;
  regfree(&key);
  if (!is_found) return {};
  const auto first = static_cast<std::size_t>(found[2].rm_so);
  const auto last = static_cast<std::size_t>(found[2].rm_eo);
  return "; between braces a key with brackets is quoted: \"" +
         escaped(line.substr(first, last - first)) + "\"";
}

}  // namespace

Result<Node> parse_yaml(std::string_view text, const std::string& file, int override_index) {
  TreeBuilder builder(file, override_index);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      return Error{"holds no YAML document", {file, 0, 0, {}}};
    Node root = builder.take_root();
    TreeBuilder second(file, override_index);
    if (parser.HandleNextDocument(second)) {
      const Mark mark = second.take_root().mark;
      return Error{"a second YAML document begins here; a file holds one scenario",
                   {file, mark.line, mark.column, {}}};
    }
    return root;
  } catch (const Refused& refused) {
    return refused.error;
  } catch (const YAML::Exception& e) {
    return Error{"is not valid YAML: " + e.msg + bracket_hint(text, e.mark),
                 {file, e.mark.line + 1, e.mark.column + 1, {}}};
  } catch (const std::exception&) {
    return Error{"cannot be parsed as YAML", {file, 0, 0, {}}};
  }
}

}  // namespace weft::scenarios::language
