#pragma once

#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/parse/data_node.hpp"

namespace weft::import {

/// Why a parser was left from within its callbacks; caught where the parser is called.
struct DataRefused : std::exception {
  Error error;
  explicit DataRefused(Error e) : error(std::move(e)) {}
};

/// Builds a tree from the events of a parser, within bounds of depth and number.
class DataBuilder {
 public:
  explicit DataBuilder(const InputFile& file) : file_(file) {}

  /// A value begins, at `line` and `column`.
  void scalar(DataNode::Kind kind, std::string text, int line, int column);
  void open(DataNode::Kind kind, int line, int column);
  void close();
  void key(std::string text, int line, int column);

  [[nodiscard]] bool is_in_map() const { return !open_.empty() && open_.back().node.is_map(); }
  [[nodiscard]] bool has_key() const { return !open_.empty() && open_.back().has_key; }
  [[nodiscard]] DataNode take() { return std::move(root_); }
  /// `a.b[2]`: the value that comes next.
  [[nodiscard]] std::string path() const;
  [[noreturn]] void refuse(int line, int column, std::string why) const;

 private:
  struct Open {
    DataNode node;
    std::set<std::string> keys;
    bool has_key = false;
  };

  void count(int line, int column);
  void finish(DataNode node);

  const InputFile& file_;
  DataNode root_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

}  // namespace weft::import
