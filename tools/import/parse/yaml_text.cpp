#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <streambuf>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/data_builder.hpp"

namespace weft::import {
namespace {

/// A stream over a text that somebody else holds.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    // The interface takes pointers to what may be written; a get area is only read.
    char* const begin = const_cast<char*>(text.data());  // NOLINT
    setg(begin, begin, begin + text.size());
  }
};

class YamlEvents : public YAML::EventHandler {
 public:
  explicit YamlEvents(const InputFile& file) : builder(file) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, "", anchor);
    add(mark, DataNode::Kind::kNull, "");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    const bool is_null = tag != "!" && (value.empty() || value == "~" || value == "null");
    add(mark, is_null ? DataNode::Kind::kNull : DataNode::Kind::kText, value);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { refuse_anchor(mark); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    check(mark, tag, anchor);
    open(mark, DataNode::Kind::kList);
  }
  void OnSequenceEnd() override { builder.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    check(mark, tag, anchor);
    open(mark, DataNode::Kind::kMap);
  }
  void OnMapEnd() override { builder.close(); }

  DataBuilder builder;

 private:
  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) refuse_anchor(mark);
    if (tag.empty() || tag == "?" || tag == "!") return;
    builder.refuse(mark.line + 1, mark.column + 1,
                   fmt::format("the YAML tag {} is not read", backquoted(tag)));
  }
  [[noreturn]] void refuse_anchor(const YAML::Mark& mark) const {
    builder.refuse(mark.line + 1, mark.column + 1,
                   "anchors and aliases (`&a`, `*a`) are not read: write the values out");
  }
  [[nodiscard]] bool is_key() const { return builder.is_in_map() && !builder.has_key(); }
  void add(const YAML::Mark& mark, DataNode::Kind kind, const std::string& value) {
    if (is_key()) {
      builder.key(value, mark.line + 1, mark.column + 1);
    } else {
      builder.scalar(kind, value, mark.line + 1, mark.column + 1);
    }
  }
  void open(const YAML::Mark& mark, DataNode::Kind kind) {
    if (is_key()) {
      builder.refuse(mark.line + 1, mark.column + 1, "a list or a map as a key is not read");
    }
    builder.open(kind, mark.line + 1, mark.column + 1);
  }
};

}  // namespace

Result<DataNode> parse_yaml_text(const InputFile& file) {
  YamlEvents events(file);
  ViewBuffer buffer(file.text());
  std::istream in(&buffer);
  try {
    YAML::Parser parser(in);
    parser.HandleNextDocument(events);
    DataNode root = events.builder.take();
    YamlEvents rest(file);
    if (parser.HandleNextDocument(rest)) {
      return Error{.message = "holds more than one YAML document (`---`): split them",
                   .where = {.file = file.name()}};
    }
    return root;
  } catch (const DataRefused& refused) {
    return refused.error;
  } catch (const YAML::Exception& problem) {
    return Error{.message = "this is no YAML: " + problem.msg,
                 .where = {file.name(), problem.mark.line + 1, problem.mark.column + 1, {}}};
  }
}

}  // namespace weft::import
