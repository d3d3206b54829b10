#include "scenarios/language/catalogue.hpp"

#include <cassert>
#include <utility>

#include "scenarios/language/catalogue_text.hpp"
#include "scenarios/language/yaml_parser.hpp"
#include "simcore/result.hpp"

namespace weft::scenarios::language {
namespace {

Part make_part(Node node) {
  Part part;
  part.values.kind = Node::Kind::kMap;
  for (Node::Entry& entry : node.entries) {
    if (entry.key == "about") {
      part.about = std::move(entry.value.text);
    } else if (entry.key == "sources") {
      for (Node::Entry& source : entry.value.entries) {
        part.sources[source.key] = std::move(source.value.text);
      }
    } else {
      part.values.entries.push_back(std::move(entry));
    }
  }
  return part;
}

}  // namespace

Catalogue Catalogue::embedded() {
  Catalogue catalogue;
  for (const CatalogueText& text : catalogue_texts()) {
    Result<Node> root = parse_yaml(text.yaml, std::string(text.collection) + ".yaml");
    assert(root.ok() && "the catalogue is valid when the program is built; a test reads it");
    auto& collection = catalogue.parts_[std::string(text.collection)];
    for (Node::Entry& entry : root.value().entries) {
      collection[entry.key] = make_part(std::move(entry.value));
    }
  }
  return catalogue;
}

const Part* Catalogue::find(const std::string& collection, const std::string& name) const {
  const auto parts = parts_.find(collection);
  if (parts == parts_.end()) return nullptr;
  const auto part = parts->second.find(name);
  return part == parts->second.end() ? nullptr : &part->second;
}

std::vector<std::string> Catalogue::names(const std::string& collection) const {
  std::vector<std::string> names;
  const auto parts = parts_.find(collection);
  if (parts == parts_.end()) return names;
  for (const auto& [name, part] : parts->second) names.push_back(name);
  return names;
}

std::vector<std::string> Catalogue::collections() const {
  std::vector<std::string> names;
  for (const auto& [name, parts] : parts_) names.push_back(name);
  return names;
}

}  // namespace weft::scenarios::language
