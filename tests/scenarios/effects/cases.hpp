#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "scenarios/language/schemas/document.hpp"

/// What changes each key of every specification (tests/scenarios/effects/cases.txt).
namespace weft::scenarios::language {

inline const std::filesystem::path kFolder =
    std::filesystem::path(WEFT_SOURCE_DIR) / "tests/scenarios/effects";

/// A key of a specification, by the first place where the document has it.
struct SpecifiedKey {
  std::string id;
  const schema::AnyObject* object = nullptr;
  const schema::Field* field = nullptr;
};

inline bool is_operation(const std::string& title) {
  return collectives::operation_named(title).has_value();
}

/// The operations of collectives are one specification with different keys.
inline std::string name_of(const schema::AnyObject& object) {
  return is_operation(object.title) ? "collective" : object.title + "\n" + object.doc;
}

class Keys {
 public:
  Keys() { add(document_schema().any(), ""); }
  std::vector<SpecifiedKey> all;

 private:
  void add(const schema::AnyObject& object, const std::string& place) {
    for (const schema::Field& field : object.fields) {
      const std::string doc = is_operation(object.title) ? "" : field.doc;
      if (!seen_.insert(name_of(object) + "\n" + field.key + "\n" + doc).second) continue;
      const std::string id = place.empty() ? field.key : place + "." + field.key;
      all.push_back({id, &object, &field});
      if (field.object) add(*field.object, id);
    }
    for (const schema::Alternative& a : object.alternatives) {
      const std::string name = is_operation(a.object->title) ? "collective" : a.name;
      add(*a.object, place + "<" + name + ">");
    }
  }

  std::set<std::string> seen_;
};

/// How a key is changed, and where.
struct Case {
  std::string base;
  std::vector<std::string> context;
  std::vector<std::string> change;
  std::string path;         ///< of the key
  bool is_refused = false;  ///< in its context; elsewhere it has no effect, which is said
  bool is_shared = false;   ///< the key of a specification that has it, too
};

inline std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

inline std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(trimmed(text.substr(at, end - at)));
    at = end + separator.size();
  }
  return parts;
}

class Cases {
 public:
  Cases() {
    std::ifstream file(kFolder / "cases.txt");
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line.front() == '#') continue;
      if (line.front() == '@') {
        section_ = parts_of(line.substr(1), " |");
        section_.resize(4);
      } else if (line.front() == '~') {
        for (const std::string& key : parts_of(trimmed(line.substr(1)), " ")) {
          Case shared;
          shared.is_shared = true;
          add(key, std::move(shared));
        }
      } else {
        read(line);
      }
    }
  }
  std::map<std::string, Case> all;

 private:
  void add(const std::string& key, Case c) {
    const std::string& place = section_[0];
    const bool is_new = all.emplace(place.empty() ? key : place + "." + key, std::move(c)).second;
    EXPECT_TRUE(is_new) << key << " of " << place << " twice";
  }

  void read(const std::string& line) {
    const std::size_t blank = line.find(' ');
    const std::string key = line.substr(0, blank);
    const char kind = line[blank + 1];
    const std::vector<std::string> sides = parts_of(line.substr(blank + 2), " | ");
    Case c;
    c.base = section_[1];
    c.path = section_[2].empty() ? key : section_[2] + "." + key;
    c.is_refused = kind == '!';
    take(section_[3], c);
    if (sides.size() > 1) take(sides[1], c);
    if (kind == '=' || kind == '!') c.change.push_back(c.path + "=" + sides[0]);
    if (kind == ':') c.change = parts_of(sides[0], ";;");
    add(key, std::move(c));
  }

  static void take(const std::string& text, Case& c) {
    for (const std::string& part : parts_of(text, ";;")) {
      if (part.empty()) continue;
      if (part.front() == '@') {
        c.base = part.substr(1);
      } else {
        c.context.push_back(part);
      }
    }
  }

  std::vector<std::string> section_;
};

}  // namespace weft::scenarios::language
