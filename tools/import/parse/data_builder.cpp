#include "tools/import/parse/data_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::import {

const DataNode* DataNode::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key);
  if (!is_map() || found == keys.end()) return nullptr;
  return &items[static_cast<std::size_t>(found - keys.begin())];
}

std::optional<std::string_view> DataNode::scalar(std::string_view key) const {
  const DataNode* const value = find(key);
  if (value == nullptr || !value->is_scalar()) return std::nullopt;
  return value->text;
}

SourceLocation DataNode::where(const InputFile& file, std::string key) const {
  return {.file = file.name(), .line = line, .column = column, .key = std::move(key)};
}

void DataBuilder::refuse(int line, int column, std::string why) const {
  throw DataRefused({std::move(why), {file_.name(), line, column, path()}});
}

std::string DataBuilder::path() const {
  std::string path;
  for (const Open& open : open_) {
    if (!open.node.is_map()) {
      path += fmt::format("[{}]", open.node.items.size());
    } else if (open.has_key) {
      path += (path.empty() ? "" : ".") + escaped(open.node.keys.back());
    }
  }
  return path;
}

void DataBuilder::count(int line, int column) {
  if (++nodes_ > kMaxDataNodes) {
    refuse(line, column,
           fmt::format("more than {} values: no file of this kind has as many", kMaxDataNodes));
  }
}

void DataBuilder::scalar(DataNode::Kind kind, std::string text, int line, int column) {
  count(line, column);
  finish({.kind = kind, .text = std::move(text), .line = line, .column = column});
}

void DataBuilder::open(DataNode::Kind kind, int line, int column) {
  if (open_.size() >= kMaxDataDepth) {
    refuse(line, column, fmt::format("nested more than {} levels deep", kMaxDataDepth));
  }
  count(line, column);
  Open& opened = open_.emplace_back();
  opened.node.kind = kind;
  opened.node.line = line;
  opened.node.column = column;
}

void DataBuilder::close() {
  DataNode closed = std::move(open_.back().node);
  open_.pop_back();
  finish(std::move(closed));
}

void DataBuilder::key(std::string text, int line, int column) {
  Open& map = open_.back();
  if (!map.keys.insert(text).second) {
    refuse(line, column, fmt::format("key {} stands twice in one map", backquoted(text)));
  }
  map.node.keys.push_back(std::move(text));
  map.has_key = true;
}

void DataBuilder::finish(DataNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  open_.back().node.items.push_back(std::move(node));
  open_.back().has_key = false;
}

}  // namespace weft::import
