#include "scenarios/language/yaml/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "scenarios/language/yaml/catalogue_text.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"
#include "simcore/base/check.hpp"
#include "simcore/base/result.hpp"
#include "simcore/text/nearest.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

/// What tells names apart: letters, digits and dots.
std::string essence(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') continue;
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

Part make_part(Node node) {
  Part part;
  part.values.kind = Node::Kind::kMap;
  for (Node::Entry& entry : node.entries) {
    if (entry.key == "about") {
      part.about = std::move(entry.value.text);
    } else if (entry.key == "refused") {
      part.refused = std::move(entry.value.text);
    } else if (entry.key == "aliases") {
      for (Node& alias : entry.value.items) part.aliases.push_back(std::move(alias.text));
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

/// Where the next entry of a map in block style begins, at `from` or after it: a line that begins
/// with a key. Entries are indented, and comments stand between.
std::size_t next_entry(std::string_view yaml, std::size_t from) {
  while (from < yaml.size()) {
    const char first = yaml[from];
    if (first != ' ' && first != '#' && first != '\n') return from;
    from = yaml.find('\n', from);
    if (from == std::string_view::npos) break;
    ++from;
  }
  return yaml.size();
}

bool is_list_of_texts(const Node& node) {
  return node.kind == Node::Kind::kList && std::ranges::all_of(node.items, [](const Node& n) {
           return n.kind == Node::Kind::kScalar;
         });
}

/// What keeps `root` from being a map of parts.
Errors shape_problems(const Node& root, const std::string& file) {
  Errors errors;
  const auto fail = [&](const Node& node, const std::string& key, const std::string& expected) {
    errors.push_back({"found " + node.description() + "; expected " + expected,
                      {file, node.mark.line, node.mark.column, key}});
  };
  if (root.kind != Node::Kind::kMap) {
    fail(root, {}, "a map from names of parts to their figures");
    return errors;
  }
  for (const Node::Entry& part : root.entries) {
    if (part.value.kind != Node::Kind::kMap) {
      fail(part.value, part.key, "a map of the part's figures");
      continue;
    }
    for (const char* text : {"about", "refused"}) {
      const Node* said = part.value.find(text);
      if (said && said->kind != Node::Kind::kScalar) fail(*said, part.key + "." + text, "a text");
    }
    if (const Node* aliases = part.value.find("aliases"); aliases && !is_list_of_texts(*aliases)) {
      fail(*aliases, part.key + ".aliases", "a list of names");
    }
    const Node* sources = part.value.find("sources");
    if (sources == nullptr) continue;
    if (sources->kind != Node::Kind::kMap) {
      fail(*sources, part.key + ".sources", "a map from figures to where they come from");
      continue;
    }
    for (const Node::Entry& source : sources->entries) {
      if (source.value.kind == Node::Kind::kScalar) continue;
      fail(source.value, part.key + ".sources." + source.key, "a text");
    }
  }
  return errors;
}

/// The files of a user's catalogue, plain parts before those that are made of them.
Result<std::vector<std::filesystem::path>> files_of(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    return Error{"cannot be read as a folder with a catalogue: " + error.message(),
                 {folder.string()}};
  }
  for (const std::filesystem::directory_entry& entry : entries) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (files.empty()) {
    return Error{"holds no catalogue: no file such as servers.yaml", {folder.string()}};
  }
  std::ranges::sort(files);
  std::stable_partition(files.begin(), files.end(),
                        [](const auto& f) { return f.stem() != "servers"; });
  return files;
}

}  // namespace

const Part& LazyPart::get() const {
  if (yaml_.empty()) return part_;
  std::call_once(read_, [this] {
    Result<Node> root = parse_yaml(yaml_, file_);
    WEFT_CHECK(root.ok() && root.value().entries.size() == 1,
               "the catalogue is valid when the program is built; a test reads all of it");
    part_ = make_part(std::move(root.value().entries.front().value));
  });
  return part_;
}

const Catalogue& Catalogue::embedded() {
  static const Catalogue catalogue = index_embedded();
  return catalogue;
}

Catalogue Catalogue::index_embedded() {
  Catalogue catalogue;
  for (const CatalogueText& text : catalogue_texts()) {
    const std::string file = std::string(text.collection) + ".yaml";
    Collection& parts = catalogue.parts_[std::string(text.collection)];
    for (std::size_t begin = next_entry(text.yaml, 0); begin < text.yaml.size();) {
      const std::size_t line = std::min(text.yaml.find('\n', begin), text.yaml.size());
      const std::size_t end = next_entry(text.yaml, line);
      const std::string_view entry = text.yaml.substr(begin, end - begin);
      const std::string name(entry.substr(0, entry.find(':')));
      parts[name] = std::make_shared<const LazyPart>(entry, file);
      begin = end;
    }
  }
  return catalogue;
}

Result<Catalogue> Catalogue::with_folder(const std::filesystem::path& folder) {
  Result<std::vector<std::filesystem::path>> files = files_of(folder);
  if (!files.ok()) return files.errors();
  Catalogue catalogue = embedded();
  for (const std::filesystem::path& file : files.value()) {
    if (Errors errors = catalogue.add_file(file); !errors.empty()) return errors;
  }
  return catalogue;
}

Result<std::shared_ptr<const Catalogue>> Catalogue::standard() {
  const char* folder = std::getenv(kCatalogueVariable);
  if (folder == nullptr || *folder == '\0') {
    return std::shared_ptr<const Catalogue>(std::shared_ptr<void>(), &embedded());  // owns nothing
  }
  Result<Catalogue> catalogue = with_folder(folder);
  if (!catalogue.ok()) return catalogue.errors();
  return std::make_shared<const Catalogue>(std::move(catalogue).value());
}

Errors Catalogue::add_file(const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string collection = path.stem().string();
  if (!parts_.contains(collection)) {
    const std::vector<std::string> names = collections();
    return {{"is not named after a kind of part, which are " + listing(names) +
                 did_you_mean(collection, names),
             {file}}};
  }
  Result<std::string> text = read_text_file(path, kMaxScenarioBytes);
  if (!text.ok()) return text.errors();
  if (Errors errors = check_text(text.value(), file); !errors.empty()) return errors;
  Result<Node> root = parse_yaml(text.value(), file);
  if (!root.ok()) return root.errors();
  if (Errors errors = shape_problems(root.value(), file); !errors.empty()) return errors;
  for (Node::Entry& entry : root.value().entries) {
    Part part = make_part(std::move(entry.value));
    part.file = file;
    std::shared_ptr<const LazyPart>& known = parts_[collection][entry.key];
    if (part.aliases.empty() && known) part.aliases = known->get().aliases;
    known = std::make_shared<const LazyPart>(std::move(part));
  }
  return check(collection, file);
}

Errors Catalogue::check(const std::string& collection, const std::string& file) const {
  const std::vector<topologies::PartKind> kinds = topologies::part_kinds();
  const auto kind = std::ranges::find(
      kinds, collection, [](const topologies::PartKind& k) { return k.object.collection; });
  Diagnostics diagnostics(file, {});
  const auto parts = parts_.find(collection);
  if (parts == parts_.end()) return {};  // an empty file
  for (const auto& [name, lazy] : parts->second) {
    const Part& part = lazy->get();
    if (part.file != file) continue;
    Provenance provenance;
    Node values = part.values;
    const std::shared_ptr<void> target = kind->make();
    Reader(*this, diagnostics, provenance).read(kind->object, values, target.get(), name);
  }
  return diagnostics.take();
}

const Part* Catalogue::find(const std::string& collection, const std::string& name) const {
  const auto parts = parts_.find(collection);
  if (parts == parts_.end()) return nullptr;
  const auto part = parts->second.find(name);
  return part == parts->second.end() ? nullptr : &part->second->get();
}

const std::string* Catalogue::name_meant(const std::string& collection,
                                         const std::string& said) const {
  const auto parts = parts_.find(collection);
  if (parts == parts_.end()) return nullptr;
  if (const auto part = parts->second.find(said); part != parts->second.end()) return &part->first;
  const std::string wanted = essence(said);
  for (const auto& [name, part] : parts->second) {
    if (essence(name) == wanted) return &name;
  }
  for (const auto& [name, part] : parts->second) {
    const std::vector<std::string>& aliases = part->get().aliases;
    if (std::ranges::find(aliases, wanted, essence) != aliases.end()) return &name;
  }
  return nullptr;
}

std::vector<std::string> Catalogue::spellings(const std::string& collection) const {
  std::vector<std::string> spellings;
  const auto parts = parts_.find(collection);
  if (parts == parts_.end()) return spellings;
  for (const auto& [name, lazy] : parts->second) {
    const Part& part = lazy->get();
    if (!part.refused.empty()) continue;
    spellings.push_back(name);
    spellings.insert(spellings.end(), part.aliases.begin(), part.aliases.end());
  }
  return spellings;
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

std::string did_you_mean_part(const std::string& said, const std::vector<std::string>& names) {
  constexpr std::size_t kMin = 3;  // fewer letters are part of too much
  std::string near = did_you_mean(said, names);
  const std::string wanted = essence(said);
  if (!near.empty() || wanted.size() < kMin) return near;
  for (const std::string& name : names) {
    if (essence(name).find(wanted) == std::string::npos) continue;
    near += (near.empty() ? "; did you mean `" : " or `") + name + "`";
  }
  return near.empty() ? near : near + "?";
}

}  // namespace weft::scenarios::language
