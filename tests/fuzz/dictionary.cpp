#include "tests/fuzz/dictionary.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "scenarios/language/schemas/document.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "tools/sweep/language/sweep_document.hpp"

namespace weft::testing {
namespace {

/// What is right for some keys and wrong for others, and what is wrong everywhere; two spaces
/// between.
constexpr std::string_view kOddValues =
    "0  1  2  3  7  16  17  64  100  -1  0.5  1e9  1e400  nan  0x10  010  4294967295  "
    "4294967296  9223372036854775807  18446744073709551615  99999999999999999999  0B  1B  1KB  "
    "4KiB  1MiB  1GiB  1TB  1ps  10ns  1us  5ms  1s  100s  100000s  1bps  1Gbps  400Gbps  "
    "100Tbps  1m  3m  1km  100000km  h0  h1  leaf0  spine0  0-3  [0, 1]  0-262143  {random: 4}  "
    "messages.csv  scenario.yaml  kmin < kmax  true  no  null  ~  {}  []  \"\"  ''  <<  *a  "
    "&a x  !!str 1  |  >  ?  #  ---  ...  $(x)  `x`  [[[[[[[[  {{{{{{{{  \x1b[31m  \xff  "
    "\xc2\x9b  \xe2\x80\xae  \xef\xbb\xbf";

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> parts;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find("  "), words.size());
    parts.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 2, words.size()));
  }
  return parts;
}

void sort_unique(std::vector<std::string>& words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

class Collector {
 public:
  explicit Collector(Dictionary& words) : words_(words) {}

  void visit(const schema::AnyObject& object, const std::string& path) {
    if (!object.tag.empty()) words_.keys.push_back(object.tag);
    if (!object.collection.empty()) words_.keys.emplace_back(schema::kPartKey);
    for (const schema::Field& field : object.fields) visit(field, path);
    for (const schema::Alternative& alternative : object.alternatives) {
      words_.values.push_back(alternative.name);
      visit(*alternative.object, path);
    }
  }

 private:
  void visit(const schema::Field& field, const std::string& path) {
    const std::string here = path.empty() ? field.key : path + "." + field.key;
    words_.keys.push_back(field.key);
    words_.paths.push_back(here);
    for (const schema::Choice& choice : field.choices) words_.values.push_back(choice.spelling);
    for (const schema::Special& special : field.specials) {
      words_.values.push_back(special.spelling);
    }
    if (!field.object) return;
    visit(*field.object, field.kind == schema::Kind::kObjects ? here + "[0]" : here);
  }

  Dictionary& words_;
};

Dictionary collect() {
  Dictionary words;
  Collector collector(words);
  collector.visit(scenarios::language::document_schema().any(), "");
  collector.visit(sweep::sweep_schema().any(), "sweep");
  const auto& catalogue = scenarios::language::Catalogue::embedded();
  for (const std::string& collection : catalogue.collections()) {
    for (const std::string& name : catalogue.names(collection)) words.values.push_back(name);
  }
  std::ranges::copy(split(kOddValues), std::back_inserter(words.values));
  sort_unique(words.keys);
  sort_unique(words.values);
  sort_unique(words.paths);
  return words;
}

}  // namespace

const Dictionary& dictionary() {
  static const Dictionary words = collect();
  return words;
}

}  // namespace weft::testing
