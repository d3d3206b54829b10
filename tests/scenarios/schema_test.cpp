#include "simcore/schema/schema.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/language/yaml/reader.hpp"

namespace weft::scenarios::language {
namespace {

using nlohmann::ordered_json;
using schema::AnyObject;
using schema::Field;
using schema::Kind;

/// Calls `visit` with every field of an object and of what is inside of it.
void for_each_field(const AnyObject& object, const std::string& path, const auto& visit) {
  std::vector<const AnyObject*> objects{&object};
  for (const schema::Alternative& a : object.alternatives) objects.push_back(a.object.get());
  for (const AnyObject* o : objects) {
    for (const Field& field : o->fields) {
      const std::string inner = path + "." + field.key;
      visit(*o, field, inner);
      if (field.object) for_each_field(*field.object, inner, visit);
    }
  }
}

TEST(Schema, EveryKeyHasAMeaningAndEveryDefaultASource) {
  int fields = 0;
  for_each_field(document_schema().any(), "",
                 [&](const AnyObject& owner, const Field& f, const std::string& path) {
                   ++fields;
                   EXPECT_FALSE(f.doc.empty()) << path;
                   // A plain map has no default of its own, presets name theirs, and what is absent
                   // by default (links: filled in from the NIC and by role) has none.
                   const bool is_map =
                       f.kind == Kind::kObject && f.object->tag.empty() && f.default_part.empty();
                   const bool is_absent_by_default =
                       path.find("links") != std::string::npos || path == ".jobs.ranks.random";
                   EXPECT_TRUE(f.is_required || is_map || !owner.presets.empty() ||
                               is_absent_by_default || !f.source.empty())
                       << path;
                 });
  EXPECT_GT(fields, 80);
}

TEST(Schema, NoKeyAppearsTwiceInAMap) {
  const auto check = [](const AnyObject& object, const auto& self) -> void {
    for (std::size_t i = 0; i <= object.alternatives.size(); ++i) {
      std::map<std::string, int> uses;
      if (!object.tag.empty()) ++uses[object.tag];
      for (const Field& f : object.fields) ++uses[f.key];
      if (i < object.alternatives.size()) {
        for (const Field& f : object.alternatives[i].object->fields) ++uses[f.key];
      }
      for (const auto& [key, count] : uses) EXPECT_EQ(count, 1) << object.title << "." << key;
    }
    for (const Field& f : object.fields) {
      if (f.object) self(*f.object, self);
    }
    for (const auto& a : object.alternatives) self(*a.object, self);
  };
  check(document_schema().any(), check);
}

/// Enough of a JSON Schema validator for what the generator writes.
bool matches(const ordered_json& schema, const ordered_json& value) {
  if (schema.contains("anyOf")) {
    bool any = false;
    for (const auto& s : schema["anyOf"]) any = any || matches(s, value);
    if (!any) return false;
  }
  if (schema.contains("const") && schema["const"] != value) return false;
  if (schema.contains("enum")) {
    bool any = false;
    for (const auto& v : schema["enum"]) any = any || v == value;
    if (!any) return false;
  }
  if (schema.contains("type")) {
    const auto is = [&value](const std::string& t) {
      if (t == "object") return value.is_object();
      if (t == "array") return value.is_array();
      if (t == "string") return value.is_string();
      if (t == "boolean") return value.is_boolean();
      return t == "integer" ? value.is_number_integer() : value.is_number();
    };
    bool any = false;
    if (schema["type"].is_string()) any = is(schema["type"]);
    for (const auto& t : schema["type"]) any = any || (t.is_string() && is(t));
    if (!any) return false;
  }
  if (schema.contains("pattern") && value.is_string() &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"]))) {
    return false;
  }
  if (value.is_number()) {
    const double number = value;
    if (schema.contains("minimum") && number < schema["minimum"].get<double>()) return false;
    if (schema.contains("maximum") && number > schema["maximum"].get<double>()) return false;
    if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>()) {
      return false;
    }
  }
  if (value.is_array()) {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) return false;
    for (const auto& item : value) {
      if (schema.contains("items") && !matches(schema["items"], item)) return false;
    }
  }
  if (!value.is_object() || !schema.contains("properties")) return true;
  for (const auto& key : schema.value("required", ordered_json::array())) {
    if (!value.contains(key)) return false;
  }
  for (const auto& [key, inner] : value.items()) {
    if (!schema["properties"].contains(key) || !matches(schema["properties"][key], inner)) {
      return false;
    }
  }
  return true;
}

ordered_json to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    ordered_json map = ordered_json::object();
    for (const auto& entry : node) map[entry.first.as<std::string>()] = to_json(entry.second);
    return map;
  }
  if (node.IsSequence()) {
    ordered_json list = ordered_json::array();
    for (const auto& item : node) list.push_back(to_json(item));
    return list;
  }
  const auto text = node.as<std::string>();
  if (text == "true" || text == "false") return text == "true";
  const ordered_json number = ordered_json::parse(text, nullptr, false);
  return number.is_number() ? number : ordered_json(text);
}

TEST(JsonSchema, AcceptsWhatTheLoaderAccepts) {
  const ordered_json schema = scenario_json_schema().value();
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  const std::filesystem::path source = WEFT_SOURCE_DIR;
  for (const auto& folder : {source / "tests/scenarios/valid", source / "scenarios"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      EXPECT_TRUE(matches(schema, to_json(YAML::LoadFile(entry.path())))) << entry.path();
      const auto loaded = load_scenario(entry.path());
      ASSERT_TRUE(loaded.ok()) << entry.path();
      EXPECT_TRUE(matches(schema, to_json(YAML::Load(loaded.value().resolved_yaml("1")))))
          << entry.path() << " resolved";
    }
  }
}

TEST(JsonSchema, RefusesWhatItCanSeeIsWrong) {
  const ordered_json schema = scenario_json_schema().value();
  const std::filesystem::path folder =
      std::filesystem::path(WEFT_SOURCE_DIR) / "tests/scenarios/malformed";
  for (const char* name : {"misspelt-key",
                           "misspelt-enum",
                           "misspelt-part",
                           "misspelt-type",
                           "missing-name",
                           "missing-unit",
                           "missing-job-size",
                           "negative-count",
                           "negative-time",
                           "no-jobs",
                           "probability",
                           "scalar-for-map",
                           "several",
                           "unknown-key-of-type",
                           "wrong-unit",
                           "wrong-version",
                           "kmax-of-step",
                           "misspelt-fault",
                           "fault-without-rate",
                           "headroom-word",
                           "zero-egress-alpha",
                           "queues-without-ports",
                           "unknown-pfc-preset"}) {
    EXPECT_FALSE(matches(schema, to_json(YAML::LoadFile(folder / (std::string(name) + ".yaml")))))
        << name;
  }
}

}  // namespace
}  // namespace weft::scenarios::language
