#include "scenarios/blame/counterfactual/late_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "scenarios/blame/counterfactual/said_keys.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::scenarios {
namespace {

std::string list_text(const language::Node& list) {
  std::string text;
  for (const language::Node& item : list.items) text += (text.empty() ? "" : ", ") + item.text;
  return list.kind == language::Node::Kind::kScalar ? list.text : text;
}

/// `rank 3`, `ranks 3, 8-15`, `server 2`, `all ranks`.
std::string who_text(const language::Node& element) {
  for (const char* of : {"rank", "server"}) {
    const language::Node* list = element.find(std::string(of) + "s");
    if (list == nullptr) continue;
    const std::string names = list_text(*list);
    if (names.empty()) continue;
    const bool is_one = names.find_first_of(",-") == std::string::npos;
    return of + std::string(is_one ? " " : "s ") + names;
  }
  return "all ranks";
}

/// `late by 1 ms`, `computing x 1.5`; empty: they are as planned.
std::string how_text(const language::Node& element) {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (const language::Node* late = element.find("late")) {
    const auto time = parse_quantity(late->text, dimension_of<Picoseconds>());
    const auto* count = std::get_if<std::int64_t>(&time);
    if (count != nullptr && *count > 0) add("late by " + format_time(Picoseconds(*count)));
  }
  constexpr std::pair<const char*, const char*> kFactors[] = {
      {"compute", "computing"}, {"factor", "computing"}, {"reduce", "adding and copying"}};
  for (const auto& [key, what] : kFactors) {
    const language::Node* factor = element.find(key);
    if (factor != nullptr && factor->text != "1") add(fmt::format("{} x {}", what, factor->text));
  }
  if (element.find("pause") != nullptr) add("with pauses");
  const language::Node* throttles = element.find("throttles");
  if (throttles != nullptr && !throttles->items.empty()) add("throttled for a while");
  return text;
}

}  // namespace

std::vector<LateRanks> late_ranks(const LoadedScenario& scenario) {
  constexpr std::size_t kMax = 2;
  const SaidKeys keys(scenario);
  std::vector<LateRanks> all;
  for (const SaidKey& job : keys.find({"jobs[]"})) {
    const language::Node* name = job.node->find("name");
    const language::Node* off = job.node->find("skip");
    if (name == nullptr || (off != nullptr && off->text == "true")) continue;
    std::vector<std::string> texts;
    for (const char* key : {"stragglers", "noise"}) {
      const language::Node* list = job.node->find(key);
      if (list == nullptr) continue;
      for (const language::Node& element : list->items) {
        const std::string how = how_text(element);
        if (!how.empty()) texts.push_back(fmt::format("{} ({})", who_text(element), how));
      }
    }
    if (texts.empty()) continue;
    std::string text = texts.front();
    for (std::size_t i = 1; i < std::min(kMax, texts.size()); ++i) text += ", " + texts[i];
    if (texts.size() > kMax) text += fmt::format(" and {} more", texts.size() - kMax);
    all.push_back({name->text, std::move(text)});
  }
  return all;
}

}  // namespace weft::scenarios
