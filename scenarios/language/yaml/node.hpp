#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The tree of a scenario file before anything is known about its meaning.
namespace weft::scenarios::language {

/// Where a node was read: in the file, or in one of the `--set` arguments.
struct Mark {
  int line = 0;  ///< 1-based
  int column = 0;
  int override_index = -1;  ///< among the overrides; -1: in the file
  /// A resolved scenario writes it out as a default (default_lines): nobody chose it.
  bool is_default = false;
};

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;            ///< kScalar
  std::string source;          ///< of a default that a resolved scenario writes out
  std::vector<Node> items;     ///< kList
  std::vector<Entry> entries;  ///< kMap, in the order of the file

  [[nodiscard]] Node* find(std::string_view key);
  [[nodiscard]] const Node* find(std::string_view key) const;
  /// `a map`, `a list`, ``the value `x` `` ...: for messages.
  [[nodiscard]] std::string description() const;
};

struct Node::Entry {
  std::string key;
  Mark key_mark;
  Node value;
};

/// The key under which an override that goes into a bare value keeps that value: what is `roce` in
/// `transport: roce` when `transport.mtu` is set. No key of a file is empty.
inline constexpr const char* kBareValue = "";

/// `name` as a key below `path`, and the `index`-th element of it.
[[nodiscard]] std::string child_path(const std::string& path, const std::string& name);
[[nodiscard]] std::string element_path(const std::string& path, std::size_t index);

/// One step of a path such as `jobs[0].size`: a key or an index.
struct PathStep {
  std::string key;
  bool is_index = false;
  std::size_t index = 0;
};

/// The steps of a path; empty if it is malformed.
[[nodiscard]] std::vector<PathStep> parse_path(std::string_view path);

/// The mark of the deepest node on `path` that exists, and whether the whole path does.
struct Located {
  Mark mark;
  bool is_exact = false;
};
[[nodiscard]] Located locate(const Node& root, std::string_view path);

}  // namespace weft::scenarios::language
