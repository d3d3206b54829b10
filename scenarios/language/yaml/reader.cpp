#include "scenarios/language/yaml/reader.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "scenarios/language/yaml/overrides.hpp"
#include "scenarios/language/yaml/scalar_text.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::scenarios::language {
namespace {

using schema::Alternative;
using schema::AnyObject;
using schema::Field;
using schema::Kind;
using schema::Scalar;

/// A server with the NICs that a scenario gives it: it has no data sheet that they fall short of.
bool has_any_nic(const Part* server) {
  if (server == nullptr) return false;
  const auto source = server->sources.find("nics");
  return source != server->sources.end() && source->second == "by definition";
}

using NamedParts = std::map<std::string, std::string>;

/// Of a NIC whose rate a file says, the part that the file names for it, or for its server; empty:
/// none, or a server by definition.
std::string part_of_nic(const Node& nic, const std::string& path, const NamedParts& named,
                        const Catalogue& catalogue) {
  if (const Node* part = nic.find(schema::kPartKey)) return part->text;
  const std::size_t dot = path.find_last_of('.');
  const auto server = named.find(path.substr(0, dot == std::string::npos ? 0 : dot));
  const bool is_any =
      server == named.end() || has_any_nic(catalogue.find("servers", server->second));
  return is_any ? std::string() : server->second;
}

std::string below_rate_text(const std::string& said, const std::string& part,
                            const std::string& rated, const std::string& path) {
  return "is " + backquoted(said) + ", and " + part + " has " + rated +
         ": the NICs there run below their rate; raise " + path + " to " + rated +
         ", or write the part out without `part` if that is meant";
}

/// Keeps what a part has where a file says less, unless the file says that, too.
void keep_nominal(const AnyObject& nic, const Node& node, void* target, const Scalar& rated) {
  constexpr std::string_view kKey = "nominal_rate";
  if (node.find(std::string(kKey)) != nullptr) return;
  const auto field = std::ranges::find(nic.fields, kKey, &Field::key);
  if (field != nic.fields.end()) field->set(target, rated);
}

/// Of other parts less is a choice, such as a smaller buffer; a slow NIC slows down all behind it.
bool is_less(const schema::Scalar& now, const schema::Scalar& rated) {
  return std::get<std::int64_t>(now) < std::get<std::int64_t>(rated);
}

std::vector<std::string> alternative_names(const AnyObject& object) {
  std::vector<std::string> names;
  for (const Alternative& a : object.alternatives) names.push_back(a.name);
  return names;
}

std::vector<std::string> accepted_keys(const AnyObject& object, const Alternative* alternative) {
  std::vector<std::string> keys;
  if (!object.tag.empty()) keys.push_back(object.tag);
  if (!object.collection.empty()) keys.emplace_back(schema::kPartKey);
  for (const Field& field : object.fields) keys.push_back(field.key);
  if (alternative != nullptr) {
    for (const Field& field : alternative->object->fields) keys.push_back(field.key);
  }
  return keys;
}

bool is_accepted(const std::string& key, const AnyObject& object, const Alternative* alternative) {
  if (!object.tag.empty() && key == object.tag) return true;
  if (!object.collection.empty() && key == schema::kPartKey) return true;
  if (object.find(key) != nullptr || object.find_former(key) != nullptr) return true;
  return alternative != nullptr && (alternative->object->find(key) != nullptr ||
                                    alternative->object->find_former(key) != nullptr);
}

/// A map of a language, and the value of its tag that is meant.
struct KeyPlace {
  std::string path;
  std::string type;
};

/// The maps that have a key, the outer ones first.
void find_places(const AnyObject& object, const std::string& key, const KeyPlace& place,
                 std::size_t depth, std::vector<KeyPlace>& found) {
  if (object.find(key) != nullptr) found.push_back(place);
  if (depth == 0) return;
  for (const Field& field : object.fields) {
    if (field.object == nullptr) continue;
    const std::string path = child_path(place.path, field.key);
    find_places(*field.object, key, {path + (field.kind == Kind::kObjects ? "[]" : ""), ""},
                depth - 1, found);
  }
  for (const Alternative& a : object.alternatives) {
    const std::string type = " with `" + object.tag + ": " + a.name + "`";
    find_places(*a.object, key, {place.path, type}, depth - 1, found);
  }
}

/// Where a key belongs that is unknown here: in the outermost maps that have it.
std::string belonging(const AnyObject& language, const std::string& key) {
  constexpr std::size_t kDeepest = 6;
  constexpr std::size_t kMax = 2;
  std::vector<KeyPlace> places;
  find_places(language, key, {}, kDeepest, places);
  std::ranges::stable_sort(places, {}, [](const KeyPlace& place) {
    return std::ranges::count(place.path, '.') + (place.path.empty() ? -1 : 0);
  });
  // Several alternatives may lead to one map.
  const auto same = [](const KeyPlace& a, const KeyPlace& b) {
    return a.path == b.path && a.type == b.type;
  };
  places.erase(std::unique(places.begin(), places.end(), same), places.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, places.size()); ++i) {
    const KeyPlace& place = places[i];
    text += (text.empty() ? "; it is a key of " : " or ") +
            (place.path.empty() ? std::string("the file itself") : backquoted(place.path)) +
            place.type;
  }
  return text;
}

/// What stands at a path, which may lead through several maps and lists; null: nothing.
const Node* find_below(const Node& root, std::string_view path) {
  const Node* node = &root;
  for (const PathStep& step : parse_path(path)) {
    if (step.is_index) {
      node = step.index < node->items.size() ? &node->items[step.index] : nullptr;
    } else {
      node = node->find(step.key);
    }
    if (node == nullptr) break;
  }
  return node;
}

/// Which other alternatives have a key that this one has not; and what this one follows from, if
/// nobody wrote it.
std::string others_with(const std::string& key, const AnyObject& object,
                        const Alternative* alternative, const Node& node) {
  if (alternative == nullptr) return {};
  std::vector<std::string> names;
  for (const Alternative& other : object.alternatives) {
    if (other.object->find(key) != nullptr) names.push_back(other.name);
  }
  if (names.empty()) return {};
  std::string text = "; " + backquoted(key) + " is a key of `" + object.tag + ": ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : "` and `" + object.tag + ": ") + names[i];
  }
  text += "`";
  if (node.find(object.tag) != nullptr) return text;
  return text + ", and where no `" + object.tag + "` is given it is `" + alternative->name +
         "` here";
}

/// For a bare value in the place of a map: the nearest key beside it that takes such a value, as
/// `spines` where `spine: 8` stands.
std::string meant_sibling(const AnyObject* siblings, const Node& node, const std::string& path) {
  const std::string key = path.substr(path.rfind('.') + 1);
  const bool is_field = siblings != nullptr && siblings->find(key) != nullptr;
  if (!is_field || node.kind != Node::Kind::kScalar) return {};
  std::vector<std::string> keys;
  for (const Field& field : siblings->fields) {
    const bool is_scalar = field.kind != Kind::kObject && field.kind != Kind::kObjects &&
                           field.kind != Kind::kWords && field.kind != Kind::kIntegers;
    if (!is_scalar || std::holds_alternative<std::string>(parse_scalar(field, node.text))) continue;
    keys.push_back(field.key);
  }
  return did_you_mean(key, keys);
}

/// Gives the bare value inside of a map, which an override left there, the key it stands for.
void name_bare_value(Node& node, const std::string& shorthand) {
  const auto bare = std::ranges::find(node.entries, std::string(kBareValue), &Node::Entry::key);
  if (bare == node.entries.end()) return;
  const bool is_overridden = node.find(shorthand) != nullptr;
  if (is_overridden) {
    node.entries.erase(bare);
  } else {
    bare->key = shorthand;
  }
}

}  // namespace

void Diagnostics::add(const Mark& mark, std::string path, std::string message) {
  add({std::move(message), location(mark, std::move(path))});
}

void Diagnostics::add(Error error) {
  if (!is_full()) errors_.push_back(std::move(error));
}

void Diagnostics::add_at(const Node& root, const std::string& path, std::string message) {
  add(locate(root, path).mark, path, std::move(message));
}

SourceLocation Diagnostics::location(const Mark& mark, std::string path) const {
  if (mark.override_index < 0) return {file_, mark.line, mark.column, std::move(path)};
  const auto index = static_cast<std::size_t>(mark.override_index);
  return {override_name(overrides_[index]), 0, 0, std::move(path)};
}

std::string Diagnostics::place_of(const Mark& mark) const {
  if (mark.override_index < 0) return "line " + std::to_string(mark.line);
  return override_name(overrides_[static_cast<std::size_t>(mark.override_index)]);
}

void Diagnostics::remark(const Mark& mark, const std::string& path, const std::string& message) {
  if (remarks_.size() >= kMaxRemarks) return;
  remarks_.push_back(path + " (" + place_of(mark) + ") " + message);
}

Errors Diagnostics::take() {
  std::ranges::stable_sort(errors_, {}, [](const Error& e) {
    return std::make_tuple(e.where.file, e.where.line, e.where.column);
  });
  return std::move(errors_);
}

void Reader::read(const AnyObject& object, Node& node, void* target, const std::string& path) {
  if (language_ == nullptr) language_ = &object;
  read_object(object, node, target, path, {}, {});
}

void Reader::read_named_part(const AnyObject& object, const std::string& name, void* target,
                             const std::string& path) {
  Node empty;
  empty.kind = Node::Kind::kMap;
  shows_refused_ = true;
  read_part(object, empty, target, path, name);
  shows_refused_ = false;
}

void Reader::read_object(const AnyObject& object, Node& node, void* target, const std::string& path,
                         const std::string& default_part, const Origin& origin) {
  if (!expand_shorthand(object, node, path)) return;
  if (!object.collection.empty()) read_part(object, node, target, path, default_part);
  void* chosen = nullptr;
  const Alternative* alternative = nullptr;
  if (!object.tag.empty()) {
    alternative = select(object, node, target, path, chosen);
    if (alternative == nullptr) return;
  }
  read_presets(object, node, target);
  if (alternative != nullptr) read_presets(*alternative->object, node, chosen);
  const std::size_t errors_before = errors_seen_;
  check_keys(object, alternative, node, path);
  read_fields(object, node, target, path, origin);
  if (alternative != nullptr) read_fields(*alternative->object, node, chosen, path, origin);
  if (errors_seen_ != errors_before) return;
  check_applies(object, node, target, path);
  if (alternative != nullptr) check_applies(*alternative->object, node, chosen, path);
  run_checks(object, node, target, path);
  if (alternative != nullptr) run_checks(*alternative->object, node, chosen, path);
  check_matters(object, node, target, path);
  if (alternative != nullptr) check_matters(*alternative->object, node, chosen, path);
}

bool Reader::expand_shorthand(const AnyObject& object, Node& node, const std::string& path) {
  if (node.kind == Node::Kind::kMap) {
    if (!object.shorthand.empty()) name_bare_value(node, object.shorthand);
    return true;
  }
  const Field* shorthand_field = object.shorthand.empty() ? nullptr : object.find(object.shorthand);
  const bool takes_list = shorthand_field != nullptr && shorthand_field->kind == Kind::kWords;
  const bool is_bare =
      node.kind == Node::Kind::kScalar || (takes_list && node.kind == Node::Kind::kList);
  if (object.shorthand.empty() || !is_bare) {
    fail(node.mark, path,
         "found " + node.description() + "; expected a map with the keys " +
             listing(accepted_keys(object, nullptr)) + meant_sibling(siblings_, node, path));
    return false;
  }
  Node map;
  map.kind = Node::Kind::kMap;
  map.mark = node.mark;
  map.entries.push_back({object.shorthand, node.mark, std::move(node)});
  node = std::move(map);
  return true;
}

void Reader::rename_former_keys(const AnyObject& object, Node& node, const std::string& path) {
  for (Node::Entry& entry : node.entries) {
    if (object.find(entry.key) != nullptr) continue;
    const Field* field = object.find_former(entry.key);
    if (field == nullptr) continue;
    const std::string former = child_path(path, entry.key);
    if (node.find(field->key) != nullptr) {
      fail(entry.key_mark, former,
           "is the former name of " + backquoted(field->key) + ", which is given, too");
      continue;
    }
    diagnostics_.remark(entry.key_mark, former,
                        "is called " + backquoted(field->key) +
                            " now; the next release does not know the former name");
    entry.key = field->key;
  }
}

void Reader::respell(Node& value, const std::string& former, const std::string& now,
                     const std::string& path) {
  if (former.empty() || value.text != former) return;
  diagnostics_.remark(value.mark, path,
                      "says " + backquoted(former) + ", which is spelled " + backquoted(now) +
                          " now; the next release does not know the former spelling");
  value.text = now;
}

void Reader::read_part(const AnyObject& object, Node& node, void* target, const std::string& path,
                       const std::string& default_part) {
  const Node* named = node.find(schema::kPartKey);
  std::string name = default_part;
  if (named != nullptr) {
    if (named->kind != Node::Kind::kScalar) {
      fail(named->mark, child_path(path, schema::kPartKey),
           "found " + named->description() + "; expected the name of a part");
      return;
    }
    name = named->text;
  }
  if (name.empty()) return;
  if (named != nullptr) named_parts_[path] = name;
  read_catalogue_part(object, named == nullptr ? node : *named, name, target, path);
}

void Reader::read_catalogue_part(const AnyObject& object, const Node& named,
                                 const std::string& said, void* target, const std::string& path) {
  const std::string* meant = catalogue_.name_meant(object.collection, said);
  if (meant == nullptr) {
    const std::vector<std::string> names = catalogue_.names(object.collection);
    fail(named.mark, path,
         backquoted(said) + " is not among the " + object.collection + " of the catalogue: " +
             listing(names) + did_you_mean_part(said, catalogue_.spellings(object.collection)));
    return;
  }
  const std::string& name = *meant;
  const Part* part = catalogue_.find(object.collection, name);
  if (!part->refused.empty() && !shows_refused_) {
    fail(named.mark, path, backquoted(said) + " cannot be simulated yet: " + part->refused);
    return;
  }
  if (std::ranges::find(open_parts_, part) != open_parts_.end()) {
    fail(named.mark, path, backquoted(name) + " refers to itself; a part builds on another one");
    return;
  }
  open_parts_.push_back(part);
  Node values = part->values;
  if (const Node* base = values.find(schema::kPartKey)) {
    read_catalogue_part(object, *base, base->text, target, path);
  }
  read_fields(object, values, target, path, {part, name, {}});
  open_parts_.pop_back();
}

void Reader::read_presets(const AnyObject& object, const Node& node, void* target) {
  if (object.presets.empty()) return;
  const Node* named = node.find(object.preset_key);
  if (named == nullptr || named->kind != Node::Kind::kScalar) return;
  const Parsed parsed = parse_scalar(*object.find(object.preset_key), named->text);
  // A misspelt name is reported when the key is read as a field.
  const auto* value = std::get_if<std::optional<Scalar>>(&parsed);
  if (value == nullptr) return;
  object.presets[static_cast<std::size_t>(std::get<std::int64_t>(**value))].apply(target);
}

const Alternative* Reader::select(const AnyObject& object, Node& node, void* target,
                                  const std::string& path, void*& chosen) {
  const std::vector<std::string> names = alternative_names(object);
  Node* tag = node.find(object.tag);
  const Alternative* alternative = nullptr;
  if (tag == nullptr && object.default_alternative) {
    alternative = &object.alternatives[*object.default_alternative];
  } else if (tag == nullptr) {
    fail(node.mark, child_path(path, object.tag), "is missing; expected one of " + listing(names));
  } else if (tag->kind == Node::Kind::kScalar) {
    alternative = object.alternative(tag->text);
    if (alternative == nullptr) {
      fail(tag->mark, child_path(path, object.tag),
           backquoted(tag->text) + " is not known; expected one of " + listing(names) +
               did_you_mean(tag->text, names));
    } else {
      respell(*tag, alternative->former, alternative->name, child_path(path, object.tag));
    }
  } else {
    fail(tag->mark, child_path(path, object.tag),
         "found " + tag->description() + "; expected one of " + listing(names));
  }
  if (alternative != nullptr) chosen = alternative->select(target);
  return alternative;
}

void Reader::check_keys(const AnyObject& object, const Alternative* alternative, const Node& node,
                        const std::string& path) {
  for (const Node::Entry& entry : node.entries) {
    if (is_accepted(entry.key, object, alternative)) continue;
    if (entry.key == kBareValue) {
      fail(entry.key_mark, path, "found " + entry.value.description() + " in the place of a map");
      continue;
    }
    const std::vector<std::string> keys = accepted_keys(object, alternative);
    std::string of =
        alternative == nullptr ? "" : " of `" + object.tag + ": " + alternative->name + "`";
    const std::string elsewhere = others_with(entry.key, object, alternative, node);
    const std::string belongs =
        language_ == nullptr ? std::string() : belonging(*language_, entry.key);
    fail(entry.key_mark, child_path(path, entry.key),
         "unknown key " + backquoted(entry.key) + "; the keys" + of + " are " + listing(keys) +
             did_you_mean(entry.key, keys) + (elsewhere.empty() ? belongs : elsewhere));
  }
}

void Reader::read_fields(const AnyObject& object, Node& node, void* target, const std::string& path,
                         const Origin& origin) {
  rename_former_keys(object, node, path);
  for (const Field& field : object.fields) {
    const std::string field_path = child_path(path, field.key);
    Node* value = node.find(field.key);
    if (value != nullptr) {
      const bool is_rating = origin.part == nullptr && field.is_rating;
      const std::optional<Scalar> before = is_rating ? field.get(target) : std::nullopt;
      siblings_ = &object;
      read_field(field, *value, target, field_path, origin);
      if (before) check_rating(field, *value, *before, target, field_path);
      if (!before || object.collection != "nics" || field.key != "rate") continue;
      const std::string part = part_of_nic(node, path, named_parts_, catalogue_);
      const std::optional<Scalar> now = field.get(target);
      if (part.empty() || !now || !is_less(*now, *before)) continue;
      keep_nominal(object, node, target, *before);
      const std::string rated = scalar_text(field, *before);
      diagnostics_.remark(value->mark, field_path,
                          below_rate_text(value->text, part, rated, field_path));
    } else if (origin.part == nullptr) {
      read_absent(field, target, node, field_path);
    }
  }
}

void Reader::read_absent(const Field& field, void* target, const Node& parent,
                         const std::string& path) {
  if (field.is_required) {
    fail(parent.mark, path, "is missing; expected " + expectation(field) + " (" + field.doc + ")");
  } else if (field.kind == Kind::kObject && !field.default_part.empty()) {
    Node empty;
    empty.kind = Node::Kind::kMap;
    empty.mark = parent.mark;
    read_object(*field.object, empty, field.open(target), path, field.default_part, {});
  }
}

void Reader::read_field(const Field& field, Node& node, void* target, const std::string& path,
                        const Origin& origin) {
  switch (field.kind) {
    case Kind::kObject:
      if (node.kind == Node::Kind::kNull) break;
      read_object(*field.object, node, field.open(target), path, field.default_part,
                  {origin.part, origin.name, origin.prefix + field.key + "."});
      return;
    case Kind::kObjects:
      if (field.accepts_one && node.kind != Node::Kind::kList && node.kind != Node::Kind::kNull) {
        read_object(*field.object, node, field.append(target), path, {}, {});
        return;
      }
      if (node.kind != Node::Kind::kList) break;
      read_list(field, node, target, path);
      return;
    case Kind::kWords:
      if (node.kind == Node::Kind::kNull || node.kind == Node::Kind::kMap) break;
      read_words(field, node, target, path);
      return;
    case Kind::kIntegers:
      if (node.kind == Node::Kind::kNull || node.kind == Node::Kind::kMap) break;
      read_integers(field, node, target, path, origin);
      return;
    default:
      if (node.kind != Node::Kind::kScalar) break;
      for (const schema::Choice& choice : field.choices) {
        respell(node, choice.former, choice.spelling, path);
      }
      read_scalar(field, node, target, path, origin);
      return;
  }
  fail(node.mark, path, "found " + node.description() + "; expected " + expectation(field));
}

void Reader::read_scalar(const Field& field, const Node& node, void* target,
                         const std::string& path, const Origin& origin) {
  const Parsed parsed = parse_scalar(field, node.text);
  if (const auto* problem = std::get_if<std::string>(&parsed)) {
    fail(node.mark, path, backquoted(node.text) + " " + *problem);
    return;
  }
  field.set(target, std::get<std::optional<Scalar>>(parsed));
  keep_source(field, path, origin);
}

void Reader::keep_source(const Field& field, const std::string& path, const Origin& origin) {
  if (origin.part == nullptr) return;
  const auto source = origin.part->sources.find(origin.prefix + field.key);
  provenance_[path] =
      origin.name + (source == origin.part->sources.end() ? std::string() : ": " + source->second);
}

void Reader::read_integers(const Field& field, const Node& node, void* target,
                           const std::string& path, const Origin& origin) {
  std::vector<std::uint32_t>& integers = field.integers(target);
  const bool may_be_empty = integers.empty() && !field.is_required;  // as it is by default
  integers.clear();
  const bool is_list = node.kind == Node::Kind::kList;
  const std::size_t count = is_list ? node.items.size() : 1;
  if (count == 0 && !may_be_empty) {
    fail(node.mark, path, "is an empty list; expected " + expectation(field));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Node& item = is_list ? node.items[i] : node;
    const std::string item_path = is_list ? element_path(path, i) : path;
    if (item.kind != Node::Kind::kScalar) {
      fail(item.mark, item_path,
           "found " + item.description() + "; expected " + expectation(field));
      continue;
    }
    const Parsed parsed = parse_scalar(field, item.text);
    if (const auto* problem = std::get_if<std::string>(&parsed)) {
      fail(item.mark, item_path, backquoted(item.text) + " " + *problem);
      continue;
    }
    const auto& scalar = std::get<std::optional<Scalar>>(parsed);
    integers.push_back(static_cast<std::uint32_t>(std::get<std::uint64_t>(*scalar)));
  }
  keep_source(field, path, origin);
}

void Reader::read_words(const Field& field, const Node& node, void* target,
                        const std::string& path) {
  std::vector<std::string>& words = field.words(target);
  const bool may_be_empty = words.empty() && !field.is_required;  // as it is by default
  words.clear();
  if (node.kind == Node::Kind::kScalar) {
    words.push_back(node.text);
    return;
  }
  if (node.items.empty() && !may_be_empty) {
    fail(node.mark, path, "is an empty list; expected " + expectation(field));
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    if (item.kind == Node::Kind::kScalar) {
      words.push_back(item.text);
    } else {
      fail(item.mark, element_path(path, i),
           "found " + item.description() + "; expected a single value");
    }
  }
}

void Reader::read_list(const Field& field, Node& node, void* target, const std::string& path) {
  if (node.items.size() < field.min) {
    fail(node.mark, path,
         "has " + std::to_string(node.items.size()) + " elements; at least " +
             std::to_string(field.min) + " is needed");
  }
  for (std::size_t i = 0; i < node.items.size() && !diagnostics_.is_full(); ++i) {
    read_object(*field.object, node.items[i], field.append(target), element_path(path, i), {}, {});
  }
}

void Reader::check_applies(const AnyObject& object, const Node& node, const void* target,
                           const std::string& path) {
  for (const Field& field : object.fields) {
    const Node* value = node.find(field.key);
    if (value == nullptr || field.applies_to(target)) continue;
    fail(value->mark, child_path(path, field.key), "has a meaning only " + field.applies_where);
  }
}

void Reader::check_matters(const AnyObject& object, const Node& node, const void* target,
                           const std::string& path) {
  for (const Field& field : object.fields) {
    const Node* value = node.find(field.key);
    if (value == nullptr || value->mark.is_default) continue;
    if (!field.matters || field.matters(target)) continue;
    diagnostics_.remark(value->mark, child_path(path, field.key),
                        "has no effect: it matters only " + field.matters_where);
  }
}

void Reader::check_rating(const Field& field, const Node& node, const Scalar& before,
                          const void* target, const std::string& path) {
  const std::optional<Scalar> now = field.get(target);
  // A switch counts its buffer in cells of its own, up to a hundredth off the data sheet.
  const std::int64_t rated = std::get<std::int64_t>(before);
  if (now && std::get<std::int64_t>(*now) <= rated + rated / 100) return;
  for (std::string around = path; !around.empty();) {
    around.resize(around.find_last_of('.') == std::string::npos ? 0 : around.find_last_of('.'));
    const auto part = named_parts_.find(around);
    if (part == named_parts_.end()) continue;
    return diagnostics_.remark(node.mark, path,
                               "is " + backquoted(node.text) + ", and " + part->second + " has " +
                                   scalar_text(field, before) +
                                   ": no such part can be bought; if that is meant, write " +
                                   "the part out without `part`");
  }
}

void Reader::run_checks(const AnyObject& object, const Node& node, const void* target,
                        const std::string& path) {
  std::vector<schema::Problem> problems;
  for (const auto& check : object.checks) check(target, problems);
  for (const schema::Problem& problem : problems) {
    const Node* value = find_below(node, problem.key);
    const bool is_scalar = value != nullptr && value->kind == Node::Kind::kScalar;
    fail(locate(node, problem.key).mark, child_path(path, problem.key),
         (is_scalar ? backquoted(value->text) + " " : std::string()) + problem.message);
  }
}

void Reader::fail(const Mark& mark, const std::string& path, std::string message) {
  ++errors_seen_;
  diagnostics_.add(mark, path, std::move(message));
}

}  // namespace weft::scenarios::language
