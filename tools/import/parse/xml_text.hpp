#pragma once

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/parse/reading.hpp"

namespace weft::import {

/// The name of the first element of a text; empty: it is no XML.
[[nodiscard]] std::string_view root_element(std::string_view text);

/// An XML text that is known to be complete, shallow and without entities of its own.
class XmlText {
 public:
  /// Null: it is not, and `reading` has the errors.
  [[nodiscard]] static std::unique_ptr<XmlText> parse(Reading& reading);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  [[nodiscard]] SourceLocation where(const pugi::xml_node& node, std::string key = {}) const;
  [[nodiscard]] int line(const pugi::xml_node& node) const;

 private:
  explicit XmlText(const InputFile& file) : file_(file) {}

  const InputFile& file_;
  pugi::xml_document document_;
  std::vector<std::size_t> line_starts_;
};

/// What an element may hold; the rest gets a warning each.
struct XmlShape {
  std::span<const std::string> attributes;
  std::span<const std::string> elements;
};

/// Says which attributes and elements of `node` are not known, and errors where an attribute stands
/// twice.
void check_shape(Reading& reading, const XmlText& xml, const pugi::xml_node& node,
                 const XmlShape& shape);

}  // namespace weft::import
