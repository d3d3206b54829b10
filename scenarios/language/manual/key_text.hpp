#pragma once

#include <string>
#include <vector>

#include "scenarios/language/manual/key_tree.hpp"

namespace weft::scenarios::language {

/// One line of a list: of keys, types or what else has a name.
struct TextLine {
  std::string name;
  std::string text;  ///< empty: the name stands alone
};

/// The lines below each other in two columns, no wider than a terminal.
[[nodiscard]] std::string lines_text(const std::vector<TextLine>& lines, const std::string& indent);

/// What somebody asked about: a key, with `variant` one value of the tag of a map, or with `is_tag`
/// the tag of the map that the key has.
struct KeyTopic {
  const KeyNode* key = nullptr;
  const schema::AnyObject* around = nullptr;  ///< the map that the key is in; of a variant its own
  const KeyVariant* variant = nullptr;
  std::string of;  ///< the type that the key belongs to, such as `type: incast`; empty: all
  bool is_tag = false;
};

/// What there is to say of them. Those that say the same are put together.
[[nodiscard]] std::string topics_text(const std::vector<KeyTopic>& topics);

/// The first keys of a language.
[[nodiscard]] std::string overview_text(const std::string& title, const schema::AnyObject& object,
                                        const KeyNode& root);

/// All keys as a page of Markdown.
[[nodiscard]] std::string reference_page(const std::string& title, const schema::AnyObject& object,
                                         const KeyNode& root);

}  // namespace weft::scenarios::language
