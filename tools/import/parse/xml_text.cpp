#include "tools/import/parse/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "simcore/text/quoted.hpp"

namespace weft::import {
namespace {

constexpr std::size_t kMaxXmlDepth = 64;
/// An element takes some 150 bytes of memory.
constexpr std::size_t kMaxXmlElements = 2'000'000;

bool ends_xml_name(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '/' || c == '>' || c == '<';
}

std::string_view xml_name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !ends_xml_name(text[end])) ++end;
  return text.substr(at, end - at);
}

/// The end of what begins with `<!` or `<?` at `at`; npos: the text ends inside.
std::size_t end_of_markup(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view end) {
    const std::size_t found = text.find(end, at + 2);
    return found == std::string_view::npos ? found : found + end.size();
  };
  if (text.substr(at).starts_with("<!--")) return after("-->");
  if (text.substr(at).starts_with("<![CDATA[")) return after("]]>");
  if (text.substr(at).starts_with("<?")) return after("?>");
  return after(">");
}

/// The end of a tag, whose values in quotes may hold `>`; npos: the text ends inside.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  char quote = 0;
  for (++at; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
      if (c == '<') return std::string_view::npos;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at + 1;
    } else if (c == '<') {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

/// Follows the tags of a text before anything is built from it: where it is deep, cut or crossed,
/// the message can say in which element.
class TagScan {
 public:
  explicit TagScan(Reading& reading) : reading_(reading), text_(reading.file.text()) {}

  bool is_sound() {
    for (std::size_t at = text_.find('<'); at != std::string_view::npos; at = text_.find('<', at)) {
      count_lines(at);
      const bool is_markup = text_.substr(at, 2) == "<!" || text_.substr(at, 2) == "<?";
      const std::size_t end = is_markup ? end_of_markup(text_, at) : end_of_tag(text_, at);
      if (is_markup && !is_harmless(at)) return false;
      if (end == std::string_view::npos) return ends_inside(xml_name_at(text_, at + 1), line_);
      if (!is_markup && !take_tag(at, end)) return false;
      at = end;
    }
    if (!open_.empty()) return ends_inside(open_.back().name, open_.back().line);
    return true;
  }

 private:
  struct Open {
    std::string_view name;
    int line;
  };

  void count_lines(std::size_t to) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    counted_ = to;
  }

  bool ends_inside(std::string_view name, int line) {
    const std::size_t last = reading_.file.lines().size();
    reading_.error(reading_.file.line(last),
                   fmt::format("the text ends inside element {} of line {}, or that is not closed: "
                               "the file was cut or changed; copy it again",
                               backquoted(name), line));
    return false;
  }

  bool is_harmless(std::size_t at) {
    const std::size_t bracket = text_.find_first_of("[>", at);
    const bool is_doctype = text_.substr(at).starts_with("<!DOCTYPE");
    if (!is_doctype || bracket == std::string_view::npos || text_[bracket] == '>') return true;
    reading_.error(reading_.file.line(static_cast<std::size_t>(line_)),
                   "the document type declares entities or elements of its own, which is not read");
    return false;
  }

  bool take_tag(std::size_t at, std::size_t end) {
    const SourceLocation where = reading_.file.line(static_cast<std::size_t>(line_));
    if (text_[at + 1] == '/') {
      const std::string_view name = xml_name_at(text_, at + 2);
      if (!open_.empty() && open_.back().name == name) {
        open_.pop_back();
        return true;
      }
      reading_.error(where,
                     open_.empty()
                         ? fmt::format("closes {}, which is not open", backquoted(name))
                         : fmt::format("closes {}, but {} of line {} is open", backquoted(name),
                                       backquoted(open_.back().name), open_.back().line));
      return false;
    }
    if (++elements_ > kMaxXmlElements) {
      reading_.error(where, fmt::format("more than {} elements", kMaxXmlElements));
      return false;
    }
    if (text_[end - 2] == '/') return true;
    open_.push_back({xml_name_at(text_, at + 1), line_});
    if (open_.size() <= kMaxXmlDepth) return true;
    reading_.error(where, fmt::format("nested more than {} levels deep", kMaxXmlDepth));
    return false;
  }

  Reading& reading_;
  std::string_view text_;
  std::vector<Open> open_;
  std::size_t elements_ = 0;
  std::size_t counted_ = 0;
  int line_ = 1;
};

}  // namespace

std::string_view root_element(std::string_view text) {
  std::size_t at = text.find_first_not_of(" \t\n");
  while (at < text.size() && text[at] == '<') {
    const bool is_markup = text.substr(at, 2) == "<!" || text.substr(at, 2) == "<?";
    if (!is_markup) return xml_name_at(text, at + 1);
    const std::size_t end = end_of_markup(text, at);
    if (end == std::string_view::npos) return {};
    at = text.find_first_not_of(" \t\n", end);
  }
  return {};
}

std::unique_ptr<XmlText> XmlText::parse(Reading& reading) {
  const InputFile& file = reading.file;
  if (!TagScan(reading).is_sound()) return nullptr;
  std::unique_ptr<XmlText> xml(new XmlText(file));
  const pugi::xml_parse_result result = xml->document_.load_buffer(
      file.text().data(), file.text().size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    reading.error(file.at(static_cast<std::size_t>(result.offset)),
                  fmt::format("this is no XML: {}", result.description()));
    return nullptr;
  }
  if (xml->root().next_sibling() != nullptr) {
    reading.error({}, "more than one element at the top: are these several files in one?");
    return nullptr;
  }
  for (std::size_t at = 0; at < file.text().size(); ++at) {
    if (at == 0 || file.text()[at - 1] == '\n') xml->line_starts_.push_back(at);
  }
  return xml;
}

int XmlText::line(const pugi::xml_node& node) const {
  const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
  return static_cast<int>(std::ranges::upper_bound(line_starts_, offset) - line_starts_.begin());
}

SourceLocation XmlText::where(const pugi::xml_node& node, std::string key) const {
  return {.file = file_.name(), .line = line(node), .key = std::move(key)};
}

void check_shape(Reading& reading, const XmlText& xml, const pugi::xml_node& node,
                 const XmlShape& shape) {
  std::set<std::string_view> seen;
  for (const pugi::xml_attribute& attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (!seen.insert(name).second) {
      reading.error(xml.where(node), fmt::format("attribute {} stands twice in element {}",
                                                 backquoted(name), backquoted(node.name())));
    }
    if (std::ranges::find(shape.attributes, name) != shape.attributes.end()) continue;
    reading.unknown(fmt::format("attribute of element `{}`", node.name()), name, xml.where(node),
                    shape.attributes);
  }
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_pcdata) {
      reading.error(xml.where(node),
                    fmt::format("element {} holds text: {}", backquoted(node.name()),
                                backquoted(child.value())));
      continue;
    }
    if (std::ranges::find(shape.elements, child.name()) != shape.elements.end()) continue;
    reading.unknown("element", child.name(), xml.where(child), shape.elements);
  }
}

}  // namespace weft::import
