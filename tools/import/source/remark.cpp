#include "tools/import/source/remark.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "simcore/base/escape.hpp"

namespace weft::import {
namespace {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error: ";
    case Severity::kWarning:
      return "warning: ";
    case Severity::kFinding:
      return "finding: ";
  }
  return "";
}

}  // namespace

std::string Remark::to_string() const {
  return Error{.message = std::string(name_of(severity)) + text, .where = where}.to_string();
}

void add_error(Remarks& remarks, SourceLocation where, std::string text) {
  remarks.push_back({Severity::kError, std::move(text), std::move(where)});
}

void add_warning(Remarks& remarks, SourceLocation where, std::string text) {
  remarks.push_back({Severity::kWarning, std::move(text), std::move(where)});
}

void add_finding(Remarks& remarks, SourceLocation where, std::string text) {
  remarks.push_back({Severity::kFinding, std::move(text), std::move(where)});
}

std::string short_place(const SourceLocation& where) {
  std::string text = escaped(std::filesystem::path(where.file).filename().string());
  if (where.line > 0) return text + ":" + std::to_string(where.line);
  if (!where.key.empty()) text += " " + escaped(where.key);
  return text;
}

bool has_errors(const Remarks& remarks) {
  return std::ranges::any_of(
      remarks, [](const Remark& remark) { return remark.severity == Severity::kError; });
}

}  // namespace weft::import
