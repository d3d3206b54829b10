#include "scenarios/language/load_scenario.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "scenarios/language/given_keys.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/schemas/document.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/language/yaml/json_schema.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "scenarios/language/yaml/overrides.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/language/yaml/writer.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"

namespace weft::scenarios {

namespace {

/// Of a list; its other elements are like these.
constexpr std::size_t kMaxGiven = 256;

/// Finds what the file gives.
class KeyFinder {
 public:
  KeyFinder(const language::Diagnostics& diagnostics, std::map<std::string, std::string>& keys)
      : diagnostics_(diagnostics), keys_(keys) {}

  void add(const language::Node& node, const std::string& path) {
    for (const language::Node::Entry& entry : node.entries) {
      add_value(entry.value, language::child_path(path, entry.key));
    }
    for (std::size_t i = 0; i < std::min(node.items.size(), kMaxGiven); ++i) {
      add_value(node.items[i], language::element_path(path, i));
    }
  }

 private:
  void add_value(const language::Node& value, const std::string& path) {
    if (value.mark.is_default) return;
    keys_.emplace(path, diagnostics_.place_of(value.mark));
    add(value, path);
  }

  const language::Diagnostics& diagnostics_;
  std::map<std::string, std::string>& keys_;
};

/// Marks the values that a resolved scenario writes out as defaults, and keeps where each comes
/// from: so that what follows from the text is what followed from the scenario that was resolved.
/// `key` is that of the node, or of the list that it is in.
void mark_defaults(const language::DefaultLines& lines, const std::string& key,
                   language::Node& node) {
  for (language::Node::Entry& entry : node.entries) mark_defaults(lines, entry.key, entry.value);
  for (language::Node& item : node.items) mark_defaults(lines, key, item);
  if (!node.entries.empty() || !node.items.empty()) return;
  const auto line = lines.find(node.mark.line);
  if (line == lines.end()) return;
  const auto& [source, keys] = line->second;
  if (!keys.empty() && std::ranges::find(keys, key) == keys.end()) return;
  node.mark.is_default = true;
  node.source = source;
}

/// Once overrides are in: a map or list is a default if all of it is. Adds where they come from.
void find_defaults(const std::string& path, language::Node& node, language::Provenance& sources) {
  bool is_default = true;
  for (language::Node::Entry& entry : node.entries) {
    find_defaults(language::child_path(path, entry.key), entry.value, sources);
    is_default = is_default && entry.value.mark.is_default;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    find_defaults(language::element_path(path, i), node.items[i], sources);
    is_default = is_default && node.items[i].mark.is_default;
  }
  if (!node.entries.empty() || !node.items.empty()) node.mark.is_default = is_default;
  // A list of values stands in one line, whose comment is about all of it.
  if (!node.items.empty()) node.source = node.items.front().source;
  if (node.mark.is_default && !node.source.empty()) sources[path] = node.source;
}

}  // namespace

using language::Context;
using language::Diagnostics;
using language::Document;

/// The tree of the file and its places.
class LoadedScenario::Origin {
 public:
  Origin(language::Node root, Diagnostics diagnostics, GivenKeys given,
         std::shared_ptr<const std::string> text)
      : root_(std::move(root)),
        diagnostics_(std::move(diagnostics)),
        given_(std::move(given)),
        text_(std::move(text)) {}

  [[nodiscard]] const GivenKeys& given() const { return given_; }
  /// Of the file; null: it is not known.
  [[nodiscard]] const std::string* text() const { return text_.get(); }

  [[nodiscard]] SourceLocation location(const std::string& path) const {
    return diagnostics_.location(language::locate(root_, path).mark, path);
  }

 private:
  language::Node root_;
  Diagnostics diagnostics_;
  GivenKeys given_;
  std::shared_ptr<const std::string> text_;
};

/// The stages from text to scenario. A stage runs only if the ones before it found nothing wrong,
/// as what they leave out would be reported as wrong again.
class ScenarioLoader {
 public:
  ScenarioLoader(const std::filesystem::path& filename, const std::vector<std::string>& overrides,
                 const language::Catalogue& catalogue, LinkLayer layer,
                 std::shared_ptr<const std::string> text)
      : filename_(filename),
        overrides_(overrides),
        text_(std::move(text)),
        diagnostics_(filename.string(), overrides),
        catalogue_(catalogue),
        schema_(language::document_schema(layer)),
        reader_(catalogue_, diagnostics_, provenance_),
        document_(language::standard_document(layer)) {}

  /// Fills the document; what is wrong is kept for `finish`. Errors: nothing can be read.
  Errors read(language::Node tree) {
    if (tree.kind != language::Node::Kind::kMap) {
      return {{"holds " + tree.description() +
                   "; expected a map with keys such as name, racks, fabric and jobs",
               {filename_.string(), tree.mark.line, tree.mark.column, {}}}};
    }
    if (Errors errors = language::apply_overrides(tree, overrides_); !errors.empty()) {
      return errors;
    }
    tree_ = std::move(tree);
    if (tree_.mark.is_default) find_defaults({}, tree_, given_sources_);
    reader_.read(schema_, tree_, document_, {});
    return {};
  }

  [[nodiscard]] static const GivenKeys& given(const LoadedScenario& loaded) {
    static const GivenKeys none;
    return loaded.origin_ ? loaded.origin_->given() : none;
  }

  [[nodiscard]] LinkLayer link_layer() const { return language::link_layer_of(document_); }

  Result<LoadedScenario> finish() {
    if (!diagnostics_.is_empty()) return diagnostics_.take();
    const Context context{document_,    tree_,       reader_,
                          diagnostics_, provenance_, filename_.parent_path()};
    language::complete(context);
    if (!diagnostics_.is_empty()) return diagnostics_.take();
    LoadedScenario loaded;
    loaded.scenario = language::lower(context);
    if (!diagnostics_.is_empty()) return diagnostics_.take();
    GivenKeys given{{}, diagnostics_.take_remarks()};
    KeyFinder(diagnostics_, given.places).add(tree_, {});
    for (const auto& [path, source] : given_sources_) provenance_[path] = source;
    loaded.resolved_ = language::write_yaml(schema_, document_, tree_, provenance_, {});
    loaded.canonical_ =
        language::write_yaml(schema_, document_, tree_, provenance_, {.comments = false});
    loaded.origin_ = std::make_shared<LoadedScenario::Origin>(
        std::move(tree_), std::move(diagnostics_), std::move(given), text_);
    return loaded;
  }

 private:
  std::filesystem::path filename_;
  const std::vector<std::string>& overrides_;
  std::shared_ptr<const std::string> text_;
  Diagnostics diagnostics_;
  const language::Catalogue& catalogue_;
  const schema::Object<Document>& schema_;
  language::Provenance provenance_;
  language::Provenance given_sources_;  ///< of defaults that the file writes out
  language::Reader reader_;
  language::Node tree_;
  Document document_;
};

const GivenKeys& given_keys(const LoadedScenario& scenario) {
  return ScenarioLoader::given(scenario);
}

std::string LoadedScenario::resolved_yaml(std::string_view version) const {
  return std::string(language::kResolvedHeader) + std::string(version) +
         ": every default is written out, with its source.\n" + resolved_;
}

Errors LoadedScenario::located(Errors errors) const {
  for (Error& error : errors) {
    if (error.where.file.empty()) error.where = origin_->location(error.where.key);
  }
  return errors;
}

std::string LoadedScenario::comment_at(int line) const {
  const std::string* text = origin_ ? origin_->text() : nullptr;
  return text == nullptr ? std::string() : language::comment_of_line(*text, line);
}

Result<LoadedScenario> load_scenario(const std::filesystem::path& path,
                                     const std::vector<std::string>& overrides) {
  Result<std::string> text = language::read_text_file(path, language::kMaxScenarioBytes);
  if (!text.ok()) return text.errors();
  const bool is_pipe = path == language::kStandardInput;
  return load_scenario_text(text.value(), is_pipe ? "standard input" : path, overrides);
}

Result<LoadedScenario> load_scenario_text(std::string_view text,
                                          const std::filesystem::path& filename,
                                          const std::vector<std::string>& overrides) {
  Result<ScenarioTemplate> scenario = ScenarioTemplate::parse(text, filename);
  if (!scenario.ok()) return scenario.errors();
  return scenario.value().load(overrides);
}

/// What every load needs and none changes.
struct ScenarioTemplate::Shared {
  Shared(language::Node tree, std::shared_ptr<const std::string> file)
      : root(std::move(tree)), text(std::move(file)) {}

  language::Node root;
  std::shared_ptr<const std::string> text;  ///< null: the map is inside of another file
  Result<std::shared_ptr<const language::Catalogue>> catalogue = language::Catalogue::standard();
};

ScenarioTemplate::ScenarioTemplate(language::Node root, std::filesystem::path filename,
                                   std::shared_ptr<const std::string> text)
    : shared_(std::make_shared<const Shared>(std::move(root), std::move(text))),
      filename_(std::move(filename)) {}

const language::Node& ScenarioTemplate::root() const { return shared_->root; }

Result<ScenarioTemplate> ScenarioTemplate::parse(std::string_view text,
                                                 const std::filesystem::path& filename) {
  const std::string file = filename.string();
  if (Errors errors = language::check_text(text, file); !errors.empty()) return errors;
  Result<language::Node> root = language::parse_yaml(text, file);
  if (!root.ok()) return root.errors();
  const language::DefaultLines lines = language::default_lines(text);
  if (!lines.empty()) mark_defaults(lines, {}, root.value());
  root.value().mark.is_default = !lines.empty();  // there are some
  return ScenarioTemplate(std::move(root).value(), filename,
                          std::make_shared<const std::string>(text));
}

Result<LoadedScenario> ScenarioTemplate::load(const std::vector<std::string>& overrides) const {
  if (!shared_->catalogue.ok()) return shared_->catalogue.errors();
  const language::Catalogue& catalogue = *shared_->catalogue.value();
  ScenarioLoader loader(filename_, overrides, catalogue, LinkLayer::kEthernet, shared_->text);
  if (Errors errors = loader.read(shared_->root); !errors.empty()) return errors;
  if (loader.link_layer() == LinkLayer::kEthernet) return loader.finish();
  // What the switches are is known once the file is read, and other defaults follow from it.
  ScenarioLoader again(filename_, overrides, catalogue, LinkLayer::kInfiniBand, shared_->text);
  if (Errors errors = again.read(shared_->root); !errors.empty()) return errors;
  return again.finish();
}

Result<nlohmann::ordered_json> scenario_json_schema() {
  const auto catalogue = language::Catalogue::standard();
  if (!catalogue.ok()) return catalogue.errors();
  return language::json_schema(language::document_schema().any(), *catalogue.value());
}

}  // namespace weft::scenarios
