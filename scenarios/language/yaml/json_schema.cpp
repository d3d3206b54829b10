#include "scenarios/language/yaml/json_schema.hpp"

#include <cstdint>
#include <limits>
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

class Generator {
 public:
  explicit Generator(const Catalogue& catalogue) : catalogue_(catalogue) {}

  Json object(const AnyObject& object) const {
    Json maps = Json::array();
    if (object.tag.empty()) {
      maps.push_back(map(object, nullptr, false));
    } else {
      for (std::size_t i = 0; i < object.alternatives.size(); ++i) {
        const Alternative& a = object.alternatives[i];
        maps.push_back(map(object, &a, object.default_alternative != i && !a.is_implied));
      }
    }
    add_shorthand(object, maps);
    if (maps.size() == 1) return maps.front();
    return {{"anyOf", std::move(maps)}};
  }

 private:
  /// The map that an alternative (or an object without tag) is written as.
  Json map(const AnyObject& object, const Alternative* alternative, bool needs_tag) const {
    Json properties = Json::object();
    Json required = Json::array();
    if (alternative != nullptr) {
      properties[object.tag] = tag(*alternative, object.tag_doc);
      if (needs_tag) required.push_back(object.tag);
    }
    if (!object.collection.empty()) {
      properties[schema::kPartKey] = {{"description", "a part of the catalogue to start from"},
                                      {"enum", catalogue_.spellings(object.collection)}};
    }
    add_fields(object, properties, required);
    if (alternative != nullptr) add_fields(*alternative->object, properties, required);
    Json schema{{"type", "object"},
                {"description", alternative == nullptr ? object.doc : alternative->doc},
                {"properties", std::move(properties)},
                {"additionalProperties", false}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
  }

  static Json tag(const Alternative& alternative, const std::string& doc) {
    Json names = Json::array({alternative.name});
    if (!alternative.also.empty()) names.push_back(alternative.also);
    return {{"description", doc}, {"enum", std::move(names)}};
  }

  void add_fields(const AnyObject& object, Json& properties, Json& required) const {
    for (const Field& f : object.fields) {
      properties[f.key] = field(f);
      if (f.is_required) required.push_back(f.key);
    }
  }

  void add_shorthand(const AnyObject& object, Json& maps) const {
    if (object.shorthand.empty()) return;
    if (!object.collection.empty()) {
      maps.push_back({{"enum", catalogue_.spellings(object.collection)}});
    } else if (object.shorthand == object.tag) {
      Json names = Json::array();
      for (const Alternative& a : object.alternatives) {
        names.push_back(a.name);
        if (!a.also.empty()) names.push_back(a.also);
      }
      maps.push_back({{"enum", std::move(names)}});
    } else {
      maps.push_back(field(*object.find(object.shorthand)));
    }
  }

  Json field(const Field& f) const {
    Json schema = value(f);
    if (!f.specials.empty()) {
      Json any = Json::array({std::move(schema)});
      for (const schema::Special& s : f.specials) any.push_back({{"const", s.spelling}});
      schema = {{"anyOf", std::move(any)}};
    }
    schema["description"] = f.doc + (f.source.empty() ? "" : " (default: " + f.source + ")");
    return schema;
  }

  Json value(const Field& f) const {
    switch (f.kind) {
      case Kind::kQuantity:
        return quantity(*f.dimension);
      case Kind::kInteger:
        return integer(f);
      case Kind::kFraction:
        return {{"type", "number"},
                {f.interval.includes_low ? "minimum" : "exclusiveMinimum", f.interval.low},
                {"maximum", f.interval.high}};
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
        return {{"anyOf", Json::array({number, Json{{"type", "array"}, {"items", number}}})}};
      }
      case Kind::kObject:
        return object(*f.object);
      case Kind::kObjects: {
        Json schema{{"type", "array"}, {"items", object(*f.object)}};
        if (f.least > 0) schema["minItems"] = f.least;
        if (f.accepts_one) {
          return {{"anyOf", Json::array({object(*f.object), std::move(schema)})}};
        }
        return schema;
      }
    }
    return {};
  }

  static Json integer(const Field& f) {
    Json schema{{"type", "integer"}, {"minimum", f.integer_minimum}};
    if (f.integer_maximum != std::numeric_limits<std::uint64_t>::max()) {
      schema["maximum"] = f.integer_maximum;
    }
    return schema;
  }

  static Json quantity(const Dimension& dimension) {
    std::string units;
    for (const auto& group : {dimension.units, dimension.synonyms}) {
      for (const Unit& unit : group) units += (units.empty() ? "" : "|") + std::string(unit.name);
    }
    Json text{{"type", "string"}, {"pattern", "^ *[0-9]+(\\.[0-9]+)? *(" + units + ") *$"}};
    if (!dimension.plain_zero) return text;
    return {{"anyOf", Json::array({std::move(text), Json{{"const", 0}}})}};
  }

  static Json choice(const Field& f) {
    Json names = Json::array();
    for (const schema::Choice& c : f.choices) {
      // YAML reads an unquoted number as one.
      if (c.spelling == "1") names.push_back(1);
      names.push_back(c.spelling);
    }
    return {{"enum", std::move(names)}};
  }

  static Json words() {
    const Json word{{"type", Json::array({"string", "integer"})}};
    return {{"anyOf", Json::array({word, Json{{"type", "array"}, {"items", word}}})}};
  }

  const Catalogue& catalogue_;
};

}  // namespace

nlohmann::ordered_json json_schema(const AnyObject& object, const Catalogue& catalogue) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", object.title}};
  schema.update(Generator(catalogue).object(object));
  return schema;
}

}  // namespace weft::scenarios::language
