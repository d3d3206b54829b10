#include "scenarios/language/yaml/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/language/yaml/scalar_text.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios::language {
namespace {

using schema::Alternative;
using schema::AnyObject;
using schema::Field;
using schema::Kind;

constexpr std::size_t kCommentColumn = 36;

/// One line of the output; a block of several is indented below a key or a list's dash.
struct Line {
  std::size_t indent = 0;
  std::string text;
  std::string comment;
};
using Lines = std::vector<Line>;

class Writer {
 public:
  Writer(const Node& root, const Provenance& provenance) : root_(root), provenance_(provenance) {}

  /// The entries of a map; `source` is where the choice of an alternative comes from by default.
  Lines object(const AnyObject& object, const void* value, const std::string& path,
               const std::string& source) {
    Lines lines;
    const Alternative* alternative = nullptr;
    if (!object.tag.empty()) {
      alternative = &object.alternatives[object.selected(value)];
      lines.push_back({0, object.tag + ": " + alternative->name,
                       comment_of(child_path(path, object.tag), source)});
    }
    fields(object, value, path, lines);
    if (alternative != nullptr) {
      fields(*alternative->object, alternative->view(value), path, lines);
    }
    return lines;
  }

 private:
  void fields(const AnyObject& object, const void* value, const std::string& path, Lines& lines) {
    const std::optional<std::string> preset = preset_source(object, value);
    for (const Field& field : object.fields) {
      if (!field.applies_to(value)) continue;
      const std::string& source = preset && field.key != object.preset_key ? *preset : field.source;
      const std::string field_path = child_path(path, field.key);
      switch (field.kind) {
        case Kind::kObject:
          nested(field, value, field_path, source, lines);
          break;
        case Kind::kObjects:
          list(field, value, field_path, lines);
          break;
        case Kind::kWords:
          words(field, value, field_path, source, lines);
          break;
        case Kind::kIntegers:
          integers(field, value, field_path, source, lines);
          break;
        default:
          scalar(field, value, field_path, source, lines);
      }
    }
  }

  static std::optional<std::string> preset_source(const AnyObject& object, const void* value) {
    if (object.presets.empty()) return std::nullopt;
    const auto index = std::get<std::int64_t>(*object.find(object.preset_key)->get(value));
    const schema::AnyPreset& preset = object.presets[static_cast<std::size_t>(index)];
    return "preset " + preset.name + ": " + preset.source;
  }

  /// Empty if the file gives the value.
  [[nodiscard]] std::string comment_of(const std::string& path, const std::string& source) const {
    const Located at = locate(root_, path);
    if (at.is_exact && !at.mark.is_default) return {};
    const auto known = provenance_.find(path);
    const std::string& reason = known == provenance_.end() ? source : known->second;
    return reason.empty() ? "default" : "default: " + reason;
  }

  void scalar(const Field& field, const void* value, const std::string& path,
              const std::string& source, Lines& lines) {
    const std::optional<schema::Scalar> scalar = field.get(value);
    if (is_unsaid(field, scalar)) return;
    lines.push_back({0, field.key + ": " + scalar_text(field, scalar), comment_of(path, source)});
  }

  /// Absent values without a word for them, and empty texts, are written by leaving the key out.
  static bool is_unsaid(const Field& field, const std::optional<schema::Scalar>& scalar) {
    if (!scalar) return field.specials.empty();
    const auto* text = std::get_if<std::string>(&*scalar);
    return text != nullptr && text->empty();
  }

  void nested(const Field& field, const void* value, const std::string& path,
              const std::string& source, Lines& lines) {
    const void* inner = field.view(value);
    if (inner == nullptr) return;
    Lines block = object(*field.object, inner, path, source);
    if (block.empty()) return;
    // An alternative without keys is written as the bare name of it.
    if (block.size() == 1 && !field.object->tag.empty() &&
        field.object->shorthand == field.object->tag) {
      const std::size_t name = block.front().text.find(": ") + 2;
      lines.push_back(
          {0, field.key + ": " + block.front().text.substr(name), comment_of(path, source)});
      return;
    }
    lines.push_back({0, field.key + ":", {}});
    append(std::move(block), 2, lines);
  }

  void words(const Field& field, const void* value, const std::string& path,
             const std::string& source, Lines& lines) {
    // Words are only read here; the schema hands out one reference for both.
    const std::vector<std::string>& list = field.words(const_cast<void*>(value));
    if (list.empty()) return;
    std::string text;
    for (const std::string& word : list) text += (text.empty() ? "" : ", ") + yaml_text(word);
    lines.push_back({0, field.key + ": [" + text + "]", comment_of(path, source)});
  }

  void integers(const Field& field, const void* value, const std::string& path,
                const std::string& source, Lines& lines) {
    const std::vector<std::uint32_t>& list = field.integers(const_cast<void*>(value));
    if (list.empty()) return;
    lines.push_back({0, field.key + ": " + integers_text(list), comment_of(path, source)});
  }

  void list(const Field& field, const void* value, const std::string& path, Lines& lines) {
    const std::size_t size = field.size(value);
    if (size == 0) return;
    lines.push_back({0, field.key + ":", {}});
    const bool is_list = size > 1 || locate(root_, element_path(path, 0)).is_exact;
    if (field.accepts_one && !is_list) {
      append(object(*field.object, field.element(value, 0), path, {}), 2, lines);
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      Lines block = object(*field.object, field.element(value, i), element_path(path, i), {});
      if (field.is_compact && is_flat(block)) {
        lines.push_back(compact(block));
        continue;
      }
      block.front().text = "- " + block.front().text;
      for (std::size_t k = 1; k < block.size(); ++k) block[k].indent += 2;
      append(std::move(block), 2, lines);
    }
  }

  /// No map or list is inside, which one line would have to put into brackets of its own.
  static bool is_flat(const Lines& block) {
    return std::ranges::all_of(
        block, [](const Line& line) { return line.indent == 0 && !line.text.ends_with(':'); });
  }

  static Line compact(const Lines& block) {
    Line line{2, "- {", {}};
    for (const Line& part : block) {
      if (line.text.back() != '{') line.text += ", ";
      line.text += part.text;
      if (part.comment.empty()) continue;
      const std::string key = part.text.substr(0, part.text.find(':'));
      line.comment += line.comment.empty() ? "default: " + key : ", " + key;
    }
    line.text += "}";
    return line;
  }

  static void append(Lines block, std::size_t indent, Lines& lines) {
    for (Line& line : block) {
      line.indent += indent;
      lines.push_back(std::move(line));
    }
  }

  const Node& root_;
  const Provenance& provenance_;
};

}  // namespace

std::string write_yaml(const AnyObject& object, const void* value, const Node& root,
                       const Provenance& provenance, const WriteStyle& style) {
  std::string text;
  for (const Line& line : Writer(root, provenance).object(object, value, {}, {})) {
    std::string row = std::string(line.indent, ' ') + line.text;
    if (style.comments && !line.comment.empty()) {
      if (row.size() < kCommentColumn) row.resize(kCommentColumn, ' ');
      row += "  # " + escaped(line.comment);
    }
    text += row + "\n";
  }
  return text;
}

}  // namespace weft::scenarios::language
