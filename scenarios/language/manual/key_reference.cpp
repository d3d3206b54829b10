#include <map>
#include <string_view>

#include "scenarios/language/manual/key_text.hpp"
#include "scenarios/language/yaml/scalar_text.hpp"

#include <fmt/format.h>

namespace weft::scenarios::language {
namespace {

using schema::AnyObject;
using schema::Field;

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + cell(text) + "`"; }

std::string accepted_cell(const Field& f) {
  if (f.kind != schema::Kind::kChoice) return cell(expectation(f));
  std::string text;
  for (const schema::Choice& choice : f.choices) {
    text += (text.empty() ? "" : "<br>") + code(choice.spelling) +
            (choice.doc.empty() ? "" : ": " + cell(choice.doc));
  }
  return text;
}

/// What tells maps from each other: those of one description stand on the page once.
std::string description_of(const KeyNode& node, const AnyObject& object) {
  std::string text = object.title + "\n" + object.doc + "\n";
  for (const KeyNode& key : node.keys) text += key.field->key + " " + key.value + "\n";
  for (const KeyVariant& v : node.variants) {
    text += v.alternative->name + ":\n";
    for (const KeyNode& key : v.keys) text += key.field->key + " " + key.value + "\n";
  }
  return text;
}

class Page {
 public:
  void add_map(const KeyNode& node, const AnyObject& object, const std::string& place) {
    text_ += "\n## " + place + "\n\n" + object.doc + "\n";
    if (!object.collection.empty()) {
      text_ += "\nA part by its name (`weft list " + object.collection +
               "`), or `part: NAME` beside what differs from it.\n";
    }
    add_table(node.keys);
    for (const KeyVariant& v : node.variants) {
      text_ += "\n### " + place + ", " + object.tag + ": " + v.alternative->name + "\n\n" +
               v.alternative->doc + "\n";
      add_table(v.keys);
    }
    for (const KeyNode& key : node.keys) add_inside(key, "");
    for (const KeyVariant& v : node.variants) {
      for (const KeyNode& key : v.keys) {
        add_inside(key, " (" + object.tag + ": " + v.alternative->name + ")");
      }
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_table(const std::vector<KeyNode>& keys) {
    if (keys.empty()) return;
    text_ += "\n| Key | Meaning | Accepts | Default |\n|---|---|---|---|\n";
    for (const KeyNode& key : keys) {
      const Field& f = *key.field;
      std::string only = f.applies_where.empty() ? "" : "; only " + cell(f.applies_where);
      if (f.matters) only += "; has an effect only " + cell(f.matters_where);
      std::string standard = f.is_required ? "needed" : code(key.value);
      if (!f.source.empty()) standard += (standard.empty() ? "" : ": ") + cell(f.source);
      text_ += fmt::format("| `{}` | {}{} | {} | {} |\n", f.key, cell(f.doc), only,
                           accepted_cell(f), standard);
    }
  }

  void add_inside(const KeyNode& key, const std::string& of) {
    if (!key.field->object) return;
    const std::string place = "`" + key.path + "`" + of;
    const auto [first, is_new] =
        described_.try_emplace(description_of(key, *key.field->object), place);
    if (is_new) {
      add_map(key, *key.field->object, place);
    } else {
      text_ += "\n" + place + " is as " + first->second + ".\n";
    }
  }

  std::map<std::string, std::string> described_;
  std::string text_;
};

}  // namespace

std::string reference_page(const std::string& title, const AnyObject& object, const KeyNode& root) {
  Page page;
  page.add_map(root, object, "Keys of a " + title);
  return page.text().substr(1);
}

}  // namespace weft::scenarios::language
