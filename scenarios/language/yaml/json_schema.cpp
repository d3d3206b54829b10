#include "scenarios/language/yaml/json_schema.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "scenarios/language/yaml/scalar_text.hpp"

namespace weft::scenarios::language {
namespace {

using Json = nlohmann::ordered_json;
using schema::Alternative;
using schema::AnyObject;
using schema::Field;
using schema::Kind;

/// What is said in many places, once: schemas by their text, referred to by name.
class Definitions {
 public:
  /// The schema itself where a reference would be no shorter.
  Json refer_to(const std::string& title, Json schema) {
    std::string text = schema.dump();
    if (text.size() <= kShort) return schema;
    const auto [known, is_new] = names_.try_emplace(std::move(text));
    if (is_new) {
      known->second = free_name(title);
      all_[known->second] = std::move(schema);
    }
    return {{"$ref", "#/$defs/" + known->second}};
  }
  Json take() { return std::move(all_); }

 private:
  static constexpr std::size_t kShort = 48;

  std::string free_name(const std::string& title) const {
    std::string name = title;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
    const std::string first = name;
    for (int n = 2; all_.contains(name); ++n) name = first + "-" + std::to_string(n);
    return name;
  }

  std::map<std::string, std::string> names_;
  Json all_ = Json::object();
};

/// Whatever can be told from a value's type or tag is asked for by `if`, so that an editor
/// complains about the one thing that is meant and not about everything that it could have been.
class Generator {
 public:
  explicit Generator(const Catalogue& catalogue) : catalogue_(catalogue) {}

  Json document(const AnyObject& object) { return whole(object); }
  Json definitions() { return definitions_.take(); }

 private:
  Json object(const AnyObject& object) {
    return definitions_.refer_to(object.title, whole(object));
  }

  Json whole(const AnyObject& object) {
    Json schema = map(object);
    if (object.shorthand.empty()) {
      schema["type"] = "object";
      return schema;
    }
    return {{"if", {{"type", "object"}}}, {"then", std::move(schema)}, {"else", bare(object)}};
  }

  /// The map, whose keys depend on its tag if it has one.
  Json map(const AnyObject& object) {
    Json properties = Json::object();
    Json required = Json::array();
    if (!object.collection.empty()) {
      properties[schema::kPartKey] = {{"description", "a part of the catalogue to start from"},
                                      {"enum", catalogue_.spellings(object.collection)}};
    }
    Json schema{{"description", object.doc}};
    if (object.tag.empty()) {
      add_fields(object, properties, required);
      close(schema, std::move(properties), std::move(required));
      return schema;
    }
    properties[object.tag] = {{"description", object.tag_doc}, {"enum", spellings(object)}};
    if (!object.default_alternative) required.push_back(object.tag);
    add_fields(object, properties, required);
    Json cases = Json::array();
    for (const Alternative& a : object.alternatives) {
      cases.push_back({{"if", has_tag(object, a)}, {"then", keys_of(object, a)}});
    }
    if (object.default_alternative) cases.push_back(without_tag(object));
    schema["properties"] = std::move(properties);
    if (!required.empty()) schema["required"] = std::move(required);
    schema["allOf"] = std::move(cases);
    return schema;
  }

  static void close(Json& schema, Json properties, Json required) {
    schema["properties"] = std::move(properties);
    schema["additionalProperties"] = false;
    if (!required.empty()) schema["required"] = std::move(required);
  }

  static Json names_of(const Alternative& a) {
    Json names = Json::array({a.name});
    if (!a.also.empty()) names.push_back(a.also);
    if (!a.former.empty()) names.push_back(a.former);
    return names;
  }

  static Json spellings(const AnyObject& object) {
    Json names = Json::array();
    for (const Alternative& a : object.alternatives) {
      for (Json& name : names_of(a)) names.push_back(std::move(name));
    }
    return names;
  }

  static Json has_tag(const AnyObject& object, const Alternative& a) {
    const Json names = names_of(a);
    const Json is = names.size() == 1 ? Json{{"const", a.name}} : Json{{"enum", names}};
    return {{"properties", {{object.tag, is}}}, {"required", Json::array({object.tag})}};
  }

  /// No keys but those of the alternative and those that all have, which the map around describes.
  Json keys_of(const AnyObject& object, const Alternative& a) {
    Json properties = Json::object();
    Json required = Json::array();
    add_fields(*a.object, properties, required);
    properties[object.tag] = true;
    if (!object.collection.empty()) properties[schema::kPartKey] = true;
    for (const Field& f : object.fields) {
      properties[f.key] = true;
      if (!f.former_key.empty()) properties[f.former_key] = true;
    }
    Json schema{{"description", a.doc}};
    close(schema, std::move(properties), std::move(required));
    return schema;
  }

  /// The default is meant, or what is so beside other values elsewhere.
  Json without_tag(const AnyObject& object) {
    Json any = Json::array();
    for (std::size_t i = 0; i < object.alternatives.size(); ++i) {
      const Alternative& a = object.alternatives[i];
      if (i == *object.default_alternative || a.is_implied) any.push_back(keys_of(object, a));
    }
    Json keys = any.size() == 1 ? any.front() : Json{{"anyOf", any}};
    return {{"if", {{"required", Json::array({object.tag})}}},
            {"then", true},
            {"else", std::move(keys)}};
  }

  /// What may stand in the place of the map.
  Json bare(const AnyObject& object) {
    if (!object.collection.empty()) return {{"enum", catalogue_.spellings(object.collection)}};
    if (object.shorthand == object.tag) return {{"enum", spellings(object)}};
    return field(*object.find(object.shorthand));
  }

  void add_fields(const AnyObject& object, Json& properties, Json& required) {
    for (const Field& f : object.fields) {
      properties[f.key] = field(f);
      if (!f.former_key.empty()) {
        properties[f.former_key] = {{"deprecated", true},
                                    {"description", "is called " + f.key + " now"}};
      }
      if (f.is_required) required.push_back(f.key);
    }
  }

  Json field(const Field& f) {
    Json schema = value(f);
    if (!f.specials.empty()) {
      Json words = Json::array();
      for (const schema::Special& s : f.specials) words.push_back(s.spelling);
      schema = {{"if", {{"enum", std::move(words)}}}, {"then", true}, {"else", std::move(schema)}};
    }
    schema["description"] = f.doc + (f.source.empty() ? "" : " (default: " + f.source + ")");
    return definitions_.refer_to(f.key, std::move(schema));
  }

  Json value(const Field& f) {
    switch (f.kind) {
      case Kind::kQuantity:
        return quantity(*f.dimension);
      case Kind::kInteger:
        return integer(f);
      case Kind::kFraction:
        return fraction(f);
      case Kind::kBoolean:
        return {{"type", "boolean"}};
      case Kind::kText:
        return {{"type", "string"}};
      case Kind::kChoice:
        return choice(f);
      case Kind::kWords:
        return words();
      case Kind::kIntegers: {
        const Json number = integer(f);
        return either_or("array", {{"items", number}}, number);
      }
      case Kind::kObject:
        return object(*f.object);
      case Kind::kObjects: {
        Json schema{{"type", "array"}, {"items", object(*f.object)}};
        if (f.min > 0) schema["minItems"] = f.min;
        if (!f.accepts_one) return schema;
        return either_or("object", object(*f.object), std::move(schema));
      }
    }
    return {};
  }

  static Json either_or(const char* type, Json then, Json otherwise) {
    return {{"if", {{"type", type}}}, {"then", std::move(then)}, {"else", std::move(otherwise)}};
  }

  static Json integer(const Field& f) {
    Json schema{{"type", "integer"}, {"minimum", f.integer_minimum}};
    if (f.integer_maximum != std::numeric_limits<std::uint64_t>::max()) {
      schema["maximum"] = f.integer_maximum;
    }
    return schema;
  }

  Json quantity(const Dimension& dimension) {
    std::string units;
    for (const auto& group : {dimension.units, dimension.synonyms}) {
      for (const Unit& unit : group) units += (units.empty() ? "" : "|") + std::string(unit.name);
    }
    Json text{{"type", "string"}, {"pattern", "^ *[0-9]+(\\.[0-9]+)? *(" + units + ") *$"}};
    if (dimension.plain_zero) {  // without a unit, as a number
      text["type"] = Json::array({"string", "integer"});
      text["minimum"] = 0;
      text["maximum"] = 0;
    }
    return definitions_.refer_to(std::string(dimension.name), std::move(text));
  }

  /// A number, or a percentage as text.
  static Json fraction(const Field& f) {
    return {{"type", Json::array({"number", "string"})},
            {f.interval.includes_low ? "minimum" : "exclusiveMinimum", f.interval.low},
            {"maximum", f.interval.high},
            {"pattern", "^ *[0-9]+(\\.[0-9]+)? ?% *$"}};
  }

  static Json choice(const Field& f) {
    Json names = Json::array();
    for (const schema::Choice& c : f.choices) {
      // YAML reads an unquoted number as one.
      if (c.spelling == "1") names.push_back(1);
      names.push_back(c.spelling);
      if (!c.former.empty()) names.push_back(c.former);
    }
    return {{"enum", std::move(names)}};
  }

  static Json words() {
    const Json word{{"type", Json::array({"string", "integer"})}};
    return either_or("array", {{"items", word}}, word);
  }

  const Catalogue& catalogue_;
  Definitions definitions_;
};

}  // namespace

nlohmann::ordered_json json_schema(const AnyObject& object, const Catalogue& catalogue) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", object.title}};
  Generator generator(catalogue);
  schema.update(generator.document(object));
  schema["$defs"] = generator.definitions();
  return schema;
}

}  // namespace weft::scenarios::language
