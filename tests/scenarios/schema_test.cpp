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
#include "scenarios/text/json_text.hpp"

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
                   const bool is_absent_by_default = path.find("links") != std::string::npos ||
                                                     path.find("cables") != std::string::npos ||
                                                     path == ".jobs.ranks.random";
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

/// Enough of a JSON Schema validator for what the generator writes. It says where the first thing
/// is that is wrong, as an editor would underline it.
class Validator {
 public:
  explicit Validator(const ordered_json& root) : root_(root) {}

  /// The path of what is wrong, and which keyword says so; empty: nothing.
  std::string complaint(const ordered_json& value) { return check(root_, value, ""); }

 private:
  std::string check(const ordered_json& schema, const ordered_json& value, const std::string& at) {
    if (schema.is_boolean()) return schema.get<bool>() ? "" : at + " false";
    if (schema.contains("$ref")) {
      const auto reference = schema["$ref"].get<std::string>().substr(1);
      const auto& target = root_.at(ordered_json::json_pointer(reference));
      if (auto wrong = check(target, value, at); !wrong.empty()) return wrong;
    }
    for (const auto& part : schema.value("allOf", ordered_json::array())) {
      if (auto wrong = check(part, value, at); !wrong.empty()) return wrong;
    }
    if (schema.contains("anyOf")) {
      bool any = false;
      for (const auto& part : schema["anyOf"]) any = any || check(part, value, at).empty();
      if (!any) return at + " anyOf";
    }
    if (schema.contains("if")) {
      const char* branch = check(schema["if"], value, at).empty() ? "then" : "else";
      if (schema.contains(branch)) {
        if (auto wrong = check(schema[branch], value, at); !wrong.empty()) return wrong;
      }
    }
    if (!has_type(schema, value)) return at + " type";
    if (!is_listed(schema, value)) return at + " enum";
    if (auto wrong = check_scalar(schema, value); !wrong.empty()) return at + wrong;
    return value.is_array() ? check_list(schema, value, at) : check_map(schema, value, at);
  }

  static bool has_type(const ordered_json& schema, const ordered_json& value) {
    if (!schema.contains("type")) return true;
    const auto is = [&value](const std::string& t) {
      if (t == "object") return value.is_object();
      if (t == "array") return value.is_array();
      if (t == "string") return value.is_string();
      if (t == "boolean") return value.is_boolean();
      return t == "integer" ? value.is_number_integer() : value.is_number();
    };
    if (schema["type"].is_string()) return is(schema["type"]);
    for (const auto& t : schema["type"]) {
      if (is(t)) return true;
    }
    return false;
  }

  static bool is_listed(const ordered_json& schema, const ordered_json& value) {
    if (schema.contains("const") && schema["const"] != value) return false;
    if (!schema.contains("enum")) return true;
    for (const auto& v : schema["enum"]) {
      if (v == value) return true;
    }
    return false;
  }

  static std::string check_scalar(const ordered_json& schema, const ordered_json& value) {
    if (schema.contains("pattern") && value.is_string() &&
        !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"]))) {
      return " pattern";
    }
    if (!value.is_number()) return {};
    const double number = value;
    if (schema.contains("minimum") && number < schema["minimum"].get<double>()) return " minimum";
    if (schema.contains("maximum") && number > schema["maximum"].get<double>()) return " maximum";
    if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>()) {
      return " exclusiveMinimum";
    }
    return {};
  }

  std::string check_list(const ordered_json& schema, const ordered_json& value,
                         const std::string& at) {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) return at + " minItems";
    if (!schema.contains("items")) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string inner = at + "[" + std::to_string(i) + "]";
      if (auto wrong = check(schema["items"], value[i], inner); !wrong.empty()) return wrong;
    }
    return {};
  }

  std::string check_map(const ordered_json& schema, const ordered_json& value,
                        const std::string& at) {
    if (!value.is_object()) return {};
    for (const auto& key : schema.value("required", ordered_json::array())) {
      if (!value.contains(key)) return at + " required " + key.get<std::string>();
    }
    const ordered_json properties = schema.value("properties", ordered_json::object());
    const bool is_closed = !schema.value("additionalProperties", true);
    for (const auto& [key, inner] : value.items()) {
      std::string path = at;
      path.append(".").append(key);
      if (is_closed && !properties.contains(key)) return path + " additionalProperties";
      if (!properties.contains(key)) continue;
      if (auto wrong = check(properties[key], inner, path); !wrong.empty()) return wrong;
    }
    return {};
  }

  const ordered_json& root_;
};

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
  Validator validator(schema);
  const std::filesystem::path source = WEFT_SOURCE_DIR;
  for (const auto& folder : {source / "tests/scenarios/valid", source / "scenarios"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      EXPECT_EQ(validator.complaint(to_json(YAML::LoadFile(entry.path()))), "") << entry.path();
      const auto loaded = load_scenario(entry.path());
      ASSERT_TRUE(loaded.ok()) << entry.path();
      EXPECT_EQ(validator.complaint(to_json(YAML::Load(loaded.value().resolved_yaml("1")))), "")
          << entry.path() << " resolved";
    }
  }
}

TEST(JsonSchema, RefusesWhatItCanSeeIsWrong) {
  const ordered_json schema = scenario_json_schema().value();
  Validator validator(schema);
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
    EXPECT_NE(validator.complaint(to_json(YAML::LoadFile(folder / (std::string(name) + ".yaml")))),
              "")
        << name;
  }
}

TEST(JsonSchema, SaysWhatIsWrongAndNotWhatElseItCouldHaveBeen) {
  const ordered_json schema = scenario_json_schema().value();
  Validator validator(schema);
  const auto complaint = [&](const std::string& fabric, const std::string& job) {
    return validator.complaint(
        to_json(YAML::Load("name: x\nracks: {count: 2, servers: 2}\nfabric: {" + fabric +
                           "}\njobs: [{name: j, " + job + "}]\n")));
  };
  const std::string fabric = "topology: leaf-spine, spines: 2";
  const std::string job = "type: incast, size: 1MiB, senders: 2";
  EXPECT_EQ(complaint(fabric, job), "");
  EXPECT_EQ(complaint(fabric, "type: incast, size: 1MiB, senderss: 2"),
            ".jobs[0].senderss additionalProperties");
  EXPECT_EQ(complaint(fabric, "type: incast, size: 1 mile"), ".jobs[0].size pattern");
  EXPECT_EQ(complaint(fabric, "type: incats, size: 1MiB"), ".jobs[0].type enum");
  EXPECT_EQ(complaint(fabric, "size: 1MiB"), ".jobs[0] required type");
  // Keys of another type are as unknown as any.
  EXPECT_EQ(complaint(fabric, "type: incast, size: 1MiB, algorithm: ring"),
            ".jobs[0].algorithm additionalProperties");
  EXPECT_EQ(complaint("topology: leaf-spine, spines: x", job), ".fabric.spines type");
  EXPECT_EQ(complaint(fabric + ", ecn: {kmin: 1XB}", job), ".fabric.ecn.kmin pattern");
}

// It grows with every key: 221 kB with Ultra Ethernet, planes and the choices of frameworks, 240 kB
// with what NICs share.
TEST(JsonSchema, IsSmallEnoughForEditors) {
  EXPECT_LT(schema_text(scenario_json_schema().value()).size(), 250'000U);
}

}  // namespace
}  // namespace weft::scenarios::language