#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"

/// Differentiated-services code points as operators write them, and the classes that they mean.
namespace weft::scenarios::language {
namespace {

constexpr std::uint32_t kCodePoints = 64;

struct CodePoint {
  const char* name;
  std::uint32_t value;
};

/// RFC 2474 (default forwarding, class selectors), 2597 (assured forwarding), 3246 (expedited
/// forwarding), 5865 (voice-admit), 8622 (lower effort).
constexpr std::array kNamed{
    CodePoint{"df", 0},    CodePoint{"be", 0},    CodePoint{"le", 1},    CodePoint{"cs0", 0},
    CodePoint{"cs1", 8},   CodePoint{"cs2", 16},  CodePoint{"cs3", 24},  CodePoint{"cs4", 32},
    CodePoint{"cs5", 40},  CodePoint{"cs6", 48},  CodePoint{"cs7", 56},  CodePoint{"af11", 10},
    CodePoint{"af12", 12}, CodePoint{"af13", 14}, CodePoint{"af21", 18}, CodePoint{"af22", 20},
    CodePoint{"af23", 22}, CodePoint{"af31", 26}, CodePoint{"af32", 28}, CodePoint{"af33", 30},
    CodePoint{"af41", 34}, CodePoint{"af42", 36}, CodePoint{"af43", 38}, CodePoint{"ef", 46},
    CodePoint{"va", 44}};

std::optional<std::uint32_t> code_point(const std::string& word) {
  for (const CodePoint& point : kNamed) {
    if (word == point.name) return point.value;
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (word.empty() || word.size() > 2 || !std::ranges::all_of(word, is_digit)) return std::nullopt;
  const auto value = static_cast<std::uint32_t>(std::stoul(word));
  return value < kCodePoints ? std::optional(value) : std::nullopt;
}

std::string no_code_point(const std::string& word) {
  std::vector<std::string> names;
  names.reserve(std::size(kNamed));
  for (const CodePoint& point : kNamed) names.emplace_back(point.name);
  return backquoted(word) + " is no code point; expected 0 to 63, or one of " + listing(names) +
         did_you_mean(word, names);
}

/// The class that each code point stands for, by its place.
std::map<std::uint32_t, std::size_t> classes_by_code_point(const Document& document) {
  std::map<std::uint32_t, std::size_t> classes;
  for (std::size_t i = 0; i < document.fabric.classes.size(); ++i) {
    for (const std::string& word : document.fabric.classes[i].dscp) {
      if (const auto value = code_point(word)) classes.emplace(*value, i);
    }
  }
  return classes;
}

}  // namespace

void check_code_points(const Context& context) {
  const std::vector<ClassDocument>& classes = context.document.fabric.classes;
  const std::map<std::uint32_t, std::size_t> first = classes_by_code_point(context.document);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string path = element_path("fabric.classes", i) + ".dscp";
    for (const std::string& word : classes[i].dscp) {
      const std::optional<std::uint32_t> value = code_point(word);
      if (!value) {
        context.fail(path, no_code_point(word));
      } else if (const std::size_t other = first.at(*value); other != i) {
        context.fail(path, backquoted(word) + " is code point " + std::to_string(*value) +
                               ", which stands for class " + backquoted(classes[other].own.name) +
                               " already");
      }
    }
  }
}

void complete_class(const Context& context, JobDocument& job, const std::string& path) {
  const std::vector<std::string> names = class_names(context.document);
  if (job.dscp.empty()) {
    if (job.traffic_class.empty()) job.traffic_class = names.front();
    return;
  }
  const std::string key = child_path(path, "dscp");
  const std::string& word = job.dscp.front();
  const std::optional<std::uint32_t> value = code_point(word);
  const std::map<std::uint32_t, std::size_t> classes = classes_by_code_point(context.document);
  if (job.dscp.size() > 1) {
    context.fail(key, "has " + std::to_string(job.dscp.size()) + " code points; a job has one");
  } else if (!value) {
    context.fail(key, no_code_point(word));
  } else if (const auto found = classes.find(*value); found == classes.end()) {
    context.fail(key, backquoted(word) + " is code point " + std::to_string(*value) +
                          ", which stands for no class; `fabric.classes` say by `dscp` which "
                          "code points are theirs");
  } else if (job.traffic_class.empty()) {
    job.traffic_class = names[found->second];
    context.provenance[child_path(path, "class")] = "by its dscp";
    return;
  } else if (job.traffic_class != names[found->second]) {
    context.fail(key, backquoted(word) + " stands for class " + backquoted(names[found->second]) +
                          ", but the job has `class: " + job.traffic_class +
                          "`; one of them is enough");
  }
  if (job.traffic_class.empty()) job.traffic_class = names.front();
}

}  // namespace weft::scenarios::language
