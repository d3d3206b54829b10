#include "scenarios/language/manual/key_tree.hpp"

#include <optional>

#include "scenarios/language/yaml/scalar_text.hpp"

namespace weft::scenarios::language {
namespace {

using schema::AnyObject;
using schema::Field;
using schema::Kind;

void add_inside(KeyNode& node, const AnyObject& object, void* value);

std::string standard_text(const Field& f, void* owner) {
  switch (f.kind) {
    case Kind::kWords: {
      std::string text;
      for (const std::string& word : f.words(owner)) text += (text.empty() ? "" : ", ") + word;
      return text;
    }
    case Kind::kIntegers:
      return f.integers(owner).empty() ? std::string() : integers_text(f.integers(owner));
    case Kind::kObject:
    case Kind::kObjects:
      return f.default_part;
    default:
      break;
  }
  const std::optional<schema::Scalar> value = f.get(owner);
  if (value) return scalar_text(f, value);
  for (const schema::Special& special : f.specials) {
    if (!special.value) return special.spelling;
  }
  return {};
}

KeyNode node_of(const Field& f, void* owner, const std::string& around) {
  KeyNode node;
  node.path = around.empty() ? f.key : around + "." + f.key;
  node.field = &f;
  if (!f.is_required) node.value = standard_text(f, owner);
  if (f.kind == Kind::kObject) add_inside(node, *f.object, f.open(owner));
  if (f.kind == Kind::kObjects) {
    node.path += "[0]";
    add_inside(node, *f.object, f.append(owner));
  }
  return node;
}

void add_inside(KeyNode& node, const AnyObject& object, void* value) {
  for (const Field& f : object.fields) node.keys.push_back(node_of(f, value, node.path));
  for (const schema::Alternative& a : object.alternatives) {
    KeyVariant variant{.alternative = &a, .keys = {}};
    void* chosen = a.select(value);
    for (const Field& f : a.object->fields) {
      variant.keys.push_back(node_of(f, chosen, node.path));
    }
    node.variants.push_back(std::move(variant));
  }
}

}  // namespace

KeyNode key_tree(const AnyObject& object, void* standard, const std::string& prefix) {
  KeyNode root;
  root.path = prefix;
  add_inside(root, object, standard);
  return root;
}

}  // namespace weft::scenarios::language
