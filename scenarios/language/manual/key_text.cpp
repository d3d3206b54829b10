#include "scenarios/language/manual/key_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "scenarios/language/yaml/scalar_text.hpp"
#include "simcore/text/quantity_text.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

using schema::AnyObject;
using schema::Field;
using schema::Kind;

constexpr std::size_t kWidth = 100;
/// Different keys of one name are described in full up to that many.
constexpr std::size_t kMaxInFull = 6;

/// `text` behind `start`, in lines of the width of a terminal below each other.
std::string wrapped(const std::string& start, std::string_view text) {
  std::string out = start;
  std::size_t column = start.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > start.size() && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(start.size(), ' ');
      column = start.size();
    } else if (column > start.size()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string choices_text(const Field& f) {
  std::string text;
  for (const schema::Choice& choice : f.choices) {
    text += (text.empty() ? "" : "; ") + choice.spelling +
            (choice.doc.empty() ? "" : " (" + choice.doc + ")");
    if (!choice.former.empty()) text += ", formerly " + backquoted(choice.former);
  }
  return text;
}

/// What may stand behind the key, with its limits.
std::string accepted_text(const Field& f) {
  if (f.kind == Kind::kChoice) return choices_text(f);
  std::string text = expectation(f);
  if (f.kind != Kind::kQuantity) return text;
  if (f.minimum > 0) text += ", at least " + quantity_text(f.minimum, *f.dimension);
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 4;
  if (f.maximum < kNone) text += ", at most " + quantity_text(f.maximum, *f.dimension);
  return text;
}

std::string default_text(const KeyNode& key) {
  if (key.field->is_required) return "none: it must be given";
  const std::string& source = key.field->source;
  if (key.value.empty()) return source.empty() ? "none" : source;
  return source.empty() ? key.value : key.value + " (" + source + ")";
}

std::vector<TextLine> key_lines(const std::vector<KeyNode>& keys) {
  std::vector<TextLine> lines;
  for (const KeyNode& key : keys) {
    std::string text = key.field->doc;
    if (key.field->is_required) text += " (needed)";
    if (!key.value.empty() && key.value != "\"\"") text += " (default " + key.value + ")";
    lines.push_back({key.field->key, std::move(text)});
  }
  return lines;
}

std::vector<TextLine> variant_lines(const KeyNode& node) {
  std::vector<TextLine> lines;
  for (const KeyVariant& v : node.variants) {
    const std::string also = v.alternative->also.empty() ? "" : ", " + v.alternative->also;
    lines.push_back({v.alternative->name + also, v.alternative->doc});
  }
  return lines;
}

/// Whoever asks about a map looks for its keys, which may be those of its types.
std::string where_keys_are(const KeyNode& node) {
  const auto with_keys =
      std::ranges::find_if(node.variants, [](const KeyVariant& v) { return !v.keys.empty(); });
  if (with_keys == node.variants.end()) return {};
  std::string path = node.path;
  for (std::size_t at = 0; (at = path.find("[0]", at)) != std::string::npos;) path.erase(at, 3);
  return "\n  keys of a type: `weft help " + (path.empty() ? "" : path + ".") +
         with_keys->alternative->name + "`\n";
}

/// The keys inside of a map.
std::string inside_text(const KeyNode& node, const AnyObject& object) {
  std::string text;
  if (!object.collection.empty()) {
    text += wrapped("  parts    ", "a name of `weft list " + object.collection +
                                       "`, or `part: NAME` beside keys that differ from it");
  }
  if (!node.keys.empty()) text += "\n  keys\n" + lines_text(key_lines(node.keys), "    ");
  if (!node.variants.empty()) {
    text += "\n  " + object.tag + ": " + object.tag_doc + "\n" +
            lines_text(variant_lines(node), "    ") + where_keys_are(node);
  }
  return text;
}

std::string place_of(const KeyTopic& topic) {
  std::string place = topic.key->path;
  if (topic.is_tag) place += "." + topic.key->field->object->tag;
  if (topic.variant != nullptr)
    place += ", " + topic.around->tag + ": " + topic.variant->alternative->name;
  return topic.of.empty() ? place : place + "  (with " + topic.of + ")";
}

std::string variant_body(const KeyTopic& topic) {
  const KeyVariant& v = *topic.variant;
  std::string text = wrapped("  ", v.alternative->doc);
  const std::string& former = v.alternative->former;
  if (!former.empty()) text += wrapped("  formerly ", backquoted(former));
  if (v.keys.empty()) return text + "\n  no keys of its own\n";
  text += "\n  keys of its own\n" + lines_text(key_lines(v.keys), "    ");
  if (topic.key->keys.empty()) return text;
  std::string others;
  for (const KeyNode& key : topic.key->keys) {
    others += (others.empty() ? "" : ", ") + key.field->key;
  }
  return text + "\n  keys of all\n" + wrapped("    ", others);
}

/// Of the key that says which of several things a map is.
std::string tag_body(const KeyNode& node, const AnyObject& object) {
  std::string text = wrapped("  ", object.tag_doc) + "  value    one of\n" +
                     lines_text(variant_lines(node), "    ");
  const auto& standard = object.default_alternative;
  text += wrapped("  default  ",
                  standard ? object.alternatives[*standard].name : "none: it must be given");
  return text + where_keys_are(node);
}

std::string body_text(const KeyTopic& topic) {
  if (topic.is_tag) return tag_body(*topic.key, *topic.key->field->object);
  if (topic.variant != nullptr) return variant_body(topic);
  const Field& f = *topic.key->field;
  std::string text = wrapped("  ", f.doc);
  text += wrapped("  value    ", accepted_text(f));
  text += wrapped("  default  ", default_text(*topic.key));
  if (!f.applies_where.empty()) text += wrapped("  only     ", f.applies_where);
  if (!f.former_key.empty()) text += wrapped("  formerly ", backquoted(f.former_key));
  if (f.matters) text += wrapped("  matters  ", "only " + f.matters_where);
  if (f.effect != schema::Effect::kResult) {
    text += wrapped("  changes  ", f.effect == schema::Effect::kOutput
                                       ? "what is written; what is simulated is the same"
                                       : "nothing of what is written");
  }
  if (f.object) text += inside_text(*topic.key, *f.object);
  return text;
}

struct Group {
  std::string body;
  std::vector<std::string> places;
};

std::vector<Group> grouped(const std::vector<KeyTopic>& topics) {
  std::vector<Group> groups;
  for (const KeyTopic& topic : topics) {
    std::string body = body_text(topic);
    auto group = std::ranges::find(groups, body, &Group::body);
    if (group == groups.end()) {
      group = groups.insert(group, {.body = std::move(body), .places = {}});
    }
    if (std::ranges::find(group->places, place_of(topic)) == group->places.end()) {
      group->places.push_back(place_of(topic));
    }
  }
  return groups;
}

}  // namespace

std::string lines_text(const std::vector<TextLine>& lines, const std::string& indent) {
  std::size_t width = 0;
  for (const TextLine& line : lines) {
    if (!line.text.empty()) width = std::max(width, line.name.size());
  }
  std::string text;
  for (const TextLine& line : lines) {
    text += line.text.empty()
                ? indent + line.name + "\n"
                : wrapped(fmt::format("{}{:<{}}  ", indent, line.name, width), line.text);
  }
  return text;
}

std::string topics_text(const std::vector<KeyTopic>& topics) {
  const std::vector<Group> groups = grouped(topics);
  std::string text;
  if (groups.size() > kMaxInFull) {
    std::vector<TextLine> lines;
    lines.reserve(topics.size());
    for (const KeyTopic& topic : topics) {
      lines.push_back({place_of(topic), topic.variant != nullptr ? topic.variant->alternative->doc
                                                                 : topic.key->field->doc});
    }
    return lines_text(lines, "");
  }
  for (const Group& group : groups) {
    if (!text.empty()) text += "\n";
    for (const std::string& place : group.places) text += place + "\n";
    text += group.body;
  }
  return text;
}

std::string overview_text(const std::string& title, const AnyObject& object, const KeyNode& root) {
  return "keys of a " + title + ": " + object.doc + "\n" + lines_text(key_lines(root.keys), "  ");
}

}  // namespace weft::scenarios::language
