#include "scenarios/language/manual/key_manual.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "scenarios/language/manual/key_text.hpp"
#include "scenarios/language/schemas/document.hpp"

namespace weft::scenarios::language {
namespace {

/// A word of a path; that of a type may be left out.
struct Word {
  std::string_view text;
  bool is_type = false;
  std::string_view former;  ///< of a key that had another name in the release before
};

std::string_view without_number(std::string_view word) { return word.substr(0, word.find('[')); }

std::vector<std::string_view> words_of(std::string_view path) {
  std::vector<std::string_view> words;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    words.push_back(without_number(path.substr(0, dot)));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return words;
}

/// Whether `asked` is the end of `known`, words of types left out or not; all of it if `is_whole`.
bool is_meant(const std::vector<Word>& known, const std::vector<std::string_view>& asked,
              bool is_whole) {
  std::size_t left = asked.size();
  for (std::size_t i = known.size(); i-- > 0;) {
    if (left == 0)
      return !is_whole || std::ranges::all_of(known.begin(), known.begin() + i + 1, &Word::is_type);
    const std::string_view word = asked[left - 1];
    if (known[i].text == word || (!word.empty() && known[i].former == word)) {
      --left;
    } else if (!known[i].is_type || i + 1 == known.size()) {
      return false;
    }
  }
  return left == 0;
}

/// Goes through all keys and types in the order of the language. `visit` takes the words and a
/// topic (key_text.hpp).
template <class Visit>
void walk(const KeyNode& node, const schema::AnyObject& object, std::vector<Word>& words,
          const std::string& variant, const Visit& visit) {
  const auto go_into = [&](const KeyNode& key, const std::string& of) {
    words.push_back({without_number(key.field->key), false, key.field->former_key});
    visit(words, KeyTopic{.key = &key, .around = &object, .of = of});
    if (key.field->object) walk(key, *key.field->object, words, of, visit);
    words.pop_back();
  };
  for (const KeyNode& key : node.keys) go_into(key, variant);
  for (const KeyVariant& v : node.variants) {
    for (const std::string& name : {v.alternative->name, v.alternative->also}) {
      if (name.empty()) continue;
      words.push_back({name, true, v.alternative->former});
      if (name == v.alternative->name) {
        const std::string of = object.tag + ": " + name;
        visit(words, KeyTopic{.key = &node, .around = &object, .variant = &v, .of = variant});
        for (const KeyNode& key : v.keys) go_into(key, of);
      }
      words.pop_back();
    }
  }
}

std::vector<KeyTopic> topics(const KeyNode& root, const schema::AnyObject& object,
                             const std::string& prefix, const std::string& query, bool is_whole) {
  const std::vector<std::string_view> asked = words_of(query);
  std::vector<KeyTopic> found;
  std::vector<Word> words;
  if (!prefix.empty()) words.push_back({prefix, false, {}});
  walk(root, object, words, "", [&](const std::vector<Word>& known, const KeyTopic& topic) {
    if (is_meant(known, asked, is_whole)) found.push_back(topic);
  });
  return found;
}

/// The maps whose tag `query` means: `fabric.topology`, `jobs.type`.
std::vector<KeyTopic> tag_topics(const KeyNode& root, const schema::AnyObject& object,
                                 const std::string& query) {
  const std::size_t dot = query.rfind('.');
  if (dot == query.npos) return {};
  std::vector<KeyTopic> found;
  for (const bool is_whole : {true, false}) {
    for (KeyTopic& topic : topics(root, object, root.path, query.substr(0, dot), is_whole)) {
      if (topic.variant != nullptr || !topic.key->field->object) continue;
      if (topic.key->field->object->tag != query.substr(dot + 1)) continue;
      topic.is_tag = true;
      found.push_back(std::move(topic));
    }
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

KeyManual::KeyManual(const schema::AnyObject& object, void* standard, std::string title,
                     const std::string& prefix)
    : title_(std::move(title)), object_(object), root_(key_tree(object, standard, prefix)) {}

std::optional<std::string> KeyManual::text(const std::string& query) const {
  if (query.empty()) return std::nullopt;
  if (query == title_) return overview_text(title_, object_, root_);
  for (const bool is_whole : {true, false}) {
    const std::vector<KeyTopic> found = topics(root_, object_, root_.path, query, is_whole);
    if (!found.empty()) return topics_text(found);
  }
  const std::vector<KeyTopic> tags = tag_topics(root_, object_, query);
  if (!tags.empty()) return topics_text(tags);
  return std::nullopt;
}

std::optional<std::string> KeyManual::doc(const std::string& path) const {
  const std::vector<KeyTopic> found = topics(root_, object_, root_.path, path, true);
  if (found.empty()) return std::nullopt;
  const KeyTopic& topic = found.front();
  return topic.variant != nullptr ? topic.variant->alternative->doc : topic.key->field->doc;
}

std::vector<std::string> KeyManual::paths() const {
  std::vector<std::string> all;
  std::set<std::string> known;
  const auto add = [&](const std::string& path) {
    if (known.insert(path).second) all.push_back(path);
  };
  std::vector<Word> words;
  if (!root_.path.empty()) words.push_back({root_.path, false, {}});
  walk(root_, object_, words, "", [&](const std::vector<Word>& way, const KeyTopic& topic) {
    if (topic.variant == nullptr) {
      add(topic.key->path);
      return;
    }
    std::string path;
    for (const Word& word : way) {
      path += path.empty() ? "" : ".";
      path += word.text;
    }
    add(path);
  });
  return all;
}

std::string KeyManual::reference() const { return reference_page(title_, object_, root_); }

const KeyManual& scenario_manual() {
  static Document standard = standard_document(LinkLayer::kEthernet);
  static const KeyManual manual(document_schema().any(), &standard, "scenario");
  return manual;
}

}  // namespace weft::scenarios::language
