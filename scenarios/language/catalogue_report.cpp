#include "scenarios/language/catalogue_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/language/yaml/scalar_text.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/check.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "topologies/parts/parts.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios {
namespace {

using language::Catalogue;
using language::Provenance;
using topologies::PartKind;

constexpr std::size_t kLineLength = 100;

/// Walks a part that was read, and writes its figures down.
class FigureList {
 public:
  FigureList(std::string name, const Provenance& provenance)
      : name_(std::move(name)), provenance_(provenance) {}

  std::vector<PartFigure> take(const schema::AnyObject& object, const void* part) {
    add(object, part, {});
    return std::move(figures_);
  }

 private:
  void add(const schema::AnyObject& object, const void* value, const std::string& path) {
    for (const schema::Field& field : object.fields) {
      if (!field.applies_to(value)) continue;
      const std::string inner = language::child_path(path, field.key);
      if (field.kind == schema::Kind::kObject) {
        if (const void* member = field.view(value)) add(*field.object, member, inner);
      } else if (field.kind == schema::Kind::kIntegers) {
        // The schema hands out one reference for reading and writing.
        const auto& integers = field.integers(const_cast<void*>(value));
        add_figure(field, inner, language::integers_text(integers), {});
      } else if (const auto scalar = field.get(value); scalar || !field.specials.empty()) {
        add_figure(field, inner, language::scalar_text(field, scalar), rounded(field, scalar));
      }
    }
  }

  /// Sizes of many digits; empty for anything else.
  static std::string rounded(const schema::Field& field,
                             const std::optional<schema::Scalar>& scalar) {
    if (!scalar || field.dimension != &dimension_of<Bytes>()) return {};
    return format_bytes(static_cast<double>(std::get<std::int64_t>(*scalar)));
  }

  void add_figure(const schema::Field& field, const std::string& path, std::string value,
                  std::string rounded) {
    if (rounded.empty()) rounded = value;
    const auto known = provenance_.find(path);
    if (known == provenance_.end()) {
      figures_.push_back(
          {path, std::move(value), std::move(rounded), "default: " + field.source, false});
      return;
    }
    // `name: words`, or the bare name where the part gives no source.
    std::string source = known->second;
    const std::size_t colon = source.find(": ");
    const std::string words = colon == std::string::npos ? "" : source.substr(colon + 2);
    if (source.substr(0, colon) == name_) source = words;
    figures_.push_back(
        {path, std::move(value), std::move(rounded), source, words.starts_with("estimate")});
  }

  std::string name_;
  const Provenance& provenance_;
  std::vector<PartFigure> figures_;
};

std::string terabytes_per_second(double bits) { return fmt::format("{:.4g} TB/s", bits / 8e12); }

std::string server_summary(const topologies::ServerPart& server) {
  if (server.gpus == 0 || !server.scale_up) return {};
  const topologies::ScaleUpPart& domain = *server.scale_up;
  const std::int64_t links = std::int64_t{server.gpus} * domain.links_per_gpu();
  const auto rate = static_cast<double>(domain.rate.count());
  return fmt::format(
      "{} of GPUs to switches: {} per direction and GPU, {} in all and both "
      "directions",
      counted(links, "link"), terabytes_per_second(rate * domain.links_per_gpu()),
      terabytes_per_second(2 * rate * static_cast<double>(links)));
}

PartReport report(const Catalogue& catalogue, const PartKind& kind, const std::string& name) {
  const std::string& collection = kind.object.collection;
  const language::Part& part = *catalogue.find(collection, name);
  language::Diagnostics diagnostics(collection, {});
  Provenance provenance;
  const std::shared_ptr<void> target = kind.make();
  language::Reader(catalogue, diagnostics, provenance)
      .read_named_part(kind.object, name, target.get(), {});
  WEFT_CHECK(diagnostics.is_empty(), "parts are checked when the catalogue is made");
  PartReport report{collection, name, part.about, part.file, {}, part.refused, part.aliases, {}};
  report.figures = FigureList(name, provenance).take(kind.object, target.get());
  if (collection == "servers") {
    report.summary = server_summary(*static_cast<const topologies::ServerPart*>(target.get()));
  }
  return report;
}

std::vector<PartReport> all_parts(const Catalogue& catalogue) {
  std::vector<PartReport> parts;
  for (const PartKind& kind : topologies::part_kinds()) {
    for (const std::string& name : catalogue.names(kind.object.collection)) {
      parts.push_back(report(catalogue, kind, name));
    }
  }
  return parts;
}

/// Rows of cells, aligned left. The last column is wrapped.
class WrappedTable {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string to_string() const {
    std::vector<std::size_t> widths(rows_.front().size() - 1, 0);
    for (const auto& row : rows_) {
      for (std::size_t c = 0; c < widths.size(); ++c) {
        widths[c] = std::max(widths[c], row[c].size());
      }
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line = "  ";
      for (std::size_t c = 0; c < widths.size(); ++c) {
        line += fmt::format("{:<{}}  ", row[c], widths[c]);
      }
      wrap(line, row.back(), text);
    }
    return text;
  }

 private:
  static void wrap(std::string line, std::string_view words, std::string& text) {
    const std::size_t indent = line.size();
    while (!words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size());
      if (line.size() + end > kLineLength && line.size() > indent) {
        finish(line, text);
        line.assign(indent, ' ');
      }
      line += words.substr(0, end);
      line += ' ';
      words.remove_prefix(std::min(end + 1, words.size()));
    }
    finish(line, text);
  }

  static void finish(std::string line, std::string& text) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }

  std::vector<std::vector<std::string>> rows_;
};

std::string wrapped(std::string words) {
  WrappedTable table;
  table.add({std::move(words)});
  return table.to_string();
}

std::string headline_value(const PartReport& part, const std::string& path) {
  const auto figure = std::ranges::find(part.figures, path, &PartFigure::path);
  if (figure == part.figures.end()) return "-";
  return figure->rounded + (figure->is_estimate ? " *" : "");
}

}  // namespace

Result<std::vector<PartReport>> list_parts(const std::string& collection) {
  const auto catalogue = Catalogue::standard();
  if (!catalogue.ok()) return catalogue.errors();
  std::vector<PartReport> parts = all_parts(*catalogue.value());
  if (collection.empty()) return parts;
  const std::vector<std::string> kinds = catalogue.value()->collections();
  if (std::ranges::find(kinds, collection) == kinds.end()) {
    return Error{backquoted(collection) + " is not a kind of part; there are " + listing(kinds) +
                 did_you_mean(collection, kinds)};
  }
  std::erase_if(parts, [&](const PartReport& part) { return part.collection != collection; });
  return parts;
}

Result<std::vector<PartReport>> find_parts(const std::string& name) {
  const auto catalogue = Catalogue::standard();
  if (!catalogue.ok()) return catalogue.errors();
  std::vector<PartReport> parts;
  std::vector<std::string> names;
  for (const PartKind& kind : topologies::part_kinds()) {
    const std::string& collection = kind.object.collection;
    const bool has_kind = name.starts_with(collection + "/");
    const std::string said = has_kind ? name.substr(collection.size() + 1) : name;
    if (const std::string* meant = catalogue.value()->name_meant(collection, said)) {
      parts.push_back(report(*catalogue.value(), kind, *meant));
    }
    for (std::string& known : catalogue.value()->spellings(collection)) {
      names.push_back(std::move(known));
    }
  }
  if (parts.empty()) {
    return Error{backquoted(name) + " is not in the catalogue" +
                 language::did_you_mean_part(name, names) + " (`weft list` shows all)"};
  }
  return parts;
}

std::string parts_table(const std::vector<PartReport>& parts) {
  std::string text;
  bool has_estimates = false;
  for (const PartKind& kind : topologies::part_kinds()) {
    WrappedTable table;
    std::vector<std::string> header{kind.object.collection};
    for (const auto& [title, path] : kind.headline) header.push_back(title);
    header.emplace_back();
    table.add(std::move(header));
    bool is_empty = true;
    for (const PartReport& part : parts) {
      if (part.collection != kind.object.collection) continue;
      is_empty = false;
      std::vector<std::string> row{part.name};
      for (const auto& [title, path] : kind.headline) {
        row.push_back(headline_value(part, path));
        has_estimates = has_estimates || row.back().ends_with('*');
      }
      row.push_back(part.about + (part.refused.empty() ? "" : "; cannot be simulated yet"));
      table.add(std::move(row));
    }
    if (!is_empty) text += (text.empty() ? "" : "\n") + table.to_string();
  }
  if (has_estimates) text += "\n  * an estimate\n";
  return text;
}

std::string part_text(const PartReport& part) {
  std::string text = part.name + " (" + part.collection + ")\n";
  if (!part.about.empty()) text += "  " + part.about + "\n";
  if (!part.aliases.empty()) text += "  also called " + listing(part.aliases) + "\n";
  if (!part.refused.empty()) text += wrapped("cannot be simulated yet: " + part.refused);
  if (!part.file.empty()) text += "  from " + part.file + "\n";
  if (!part.summary.empty()) text += "  " + part.summary + "\n";
  WrappedTable table;
  bool has_estimates = false;
  for (const PartFigure& figure : part.figures) {
    table.add({figure.path, figure.value, figure.is_estimate ? "*" : "", figure.source});
    has_estimates = has_estimates || figure.is_estimate;
  }
  text += "\n" + table.to_string();
  if (has_estimates) text += "\n  * an estimate\n";
  return text;
}

nlohmann::ordered_json parts_json(const std::vector<PartReport>& parts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const PartReport& part : parts) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array();
    for (const PartFigure& figure : part.figures) {
      figures.push_back({{"path", figure.path},
                         {"value", figure.value},
                         {"source", figure.source},
                         {"estimate", figure.is_estimate}});
    }
    nlohmann::ordered_json entry{
        {"collection", part.collection}, {"name", part.name}, {"about", part.about}};
    if (!part.file.empty()) entry["file"] = part.file;
    if (!part.summary.empty()) entry["summary"] = part.summary;
    if (!part.aliases.empty()) entry["aliases"] = part.aliases;
    if (!part.refused.empty()) entry["refused"] = part.refused;
    entry["figures"] = std::move(figures);
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace weft::scenarios
