#include "tools/validate/suite.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tools/validate/suite_text.hpp"

namespace weft::validate {
namespace {

using nlohmann::ordered_json;

api::Document document_of(const ordered_json& value) {
  if (value.is_object()) {
    api::Document map = api::Document::map();
    for (const auto& [key, inner] : value.items()) map[std::string_view(key)] = document_of(inner);
    return map;
  }
  if (value.is_array()) {
    api::Document list = api::Document::list();
    for (const ordered_json& inner : value) list.push_back(document_of(inner));
    return list;
  }
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::vector<std::string> texts_of(const ordered_json& value, const char* key) {
  return value.contains(key) ? value.at(key).get<std::vector<std::string>>()
                             : std::vector<std::string>();
}

Row::Of of_name(const std::string& name) {
  if (name == "max") return Row::Of::kMax;
  if (name == "min") return Row::Of::kMin;
  if (name == "mean") return Row::Of::kMean;
  if (name == "row") return Row::Of::kRow;
  throw std::invalid_argument("`of` is max, min, mean or row, not " + name);
}

Case::Kind kind_of(const std::string& name) {
  for (const Case::Kind kind :
       {Case::Kind::kClosedForm, Case::Kind::kSimulator, Case::Kind::kMeasurement}) {
    if (name == kind_name(kind)) return kind;
  }
  throw std::invalid_argument("no case is a " + name);
}

Row row_of(const ordered_json& value) {
  return {.name = value.at("name"),
          .changes = texts_of(value, "set"),
          .table = value.at("table"),
          .column = value.at("column"),
          .of = of_name(value.at("of")),
          .job = value.value("job", ""),
          .expected = value.at("expected"),
          .tolerance = value.at("tolerance"),
          .why = value.at("why"),
          .misses = value.value("misses", ""),
          .is_calibrated = value.value("calibrated", false),
          .is_full = value.value("full", false)};
}

Case case_of(const ordered_json& value) {
  Case one{.name = value.at("name"),
           .kind = kind_of(value.at("kind")),
           .source = value.at("source"),
           .file = {},
           .document = {},
           .changes = texts_of(value, "set"),
           .rows = {}};
  const ordered_json& scenario = value.at("scenario");
  if (scenario.is_string()) {
    one.file = scenario.get<std::string>();
  } else {
    one.document = document_of(scenario);
  }
  for (const ordered_json& row : value.at("rows")) one.rows.push_back(row_of(row));
  return one;
}

}  // namespace

const char* kind_name(Case::Kind kind) {
  switch (kind) {
    case Case::Kind::kClosedForm:
      return "closed form";
    case Case::Kind::kSimulator:
      return "simulator";
    case Case::Kind::kMeasurement:
      break;
  }
  return "measurement";
}

weft::Result<std::vector<Case>> read_suite(const std::string& text) {
  try {
    std::vector<Case> cases;
    const ordered_json suite = ordered_json::parse(text);
    for (const ordered_json& value : suite.at("cases")) {
      cases.push_back(case_of(value));
    }
    return cases;
  } catch (const std::exception& error) {
    return weft::Error{.message =
                           std::string("the validation suite cannot be read: ") + error.what()};
  }
}

weft::Result<std::vector<Case>> shipped_suite() { return read_suite(std::string(kSuiteText)); }

api::Result<api::Scenario> scenario_of(const Case& one, const std::vector<std::string>& changes) {
  const auto& files = shipped_scenarios();
  const auto file = std::ranges::find(files, one.file, [](const auto& f) { return f.first; });
  if (!one.file.empty() && file == files.end()) {
    return api::Errors{{.message = one.file + " does not come with the suite"}};
  }
  auto scenario = one.file.empty() ? api::Scenario::from_document(one.document)
                                   : api::Scenario::from_text(file->second, one.file);
  if (!scenario) return scenario;
  for (const auto* list : {&one.changes, &changes}) {
    for (const std::string& change : *list) scenario.value().change(change);
  }
  return scenario;
}

}  // namespace weft::validate
