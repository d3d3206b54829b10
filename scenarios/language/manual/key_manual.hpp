#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/language/manual/key_tree.hpp"

namespace weft::scenarios::language {

/// What there is to say of the keys of a language, made of their declarations.
class KeyManual {
 public:
  /// `prefix`: what paths begin with, such as `sweep`; `title`: what the language is called.
  KeyManual(const schema::AnyObject& object, void* standard, std::string title,
            const std::string& prefix = {});

  /// Of the keys that `query` means, for a terminal: a path such as `fabric.ecn.kmin` or
  /// `jobs[0].size`, with a type where one is meant (`jobs.incast`, `jobs.incast.size`), its end
  /// (`kmin`), or the key that says the type (`jobs.type`). Nothing: there is no such key.
  [[nodiscard]] std::optional<std::string> text(const std::string& query) const;

  /// One line on the key or type of that whole path. Nothing: there is no such key.
  [[nodiscard]] std::optional<std::string> doc(const std::string& path) const;

  /// Every key as `--set` takes it, such as `jobs[0].senders`, and every type: `jobs.incast`.
  [[nodiscard]] std::vector<std::string> paths() const;

  /// All of them as a page of Markdown. What stands in several places is described at the first.
  [[nodiscard]] std::string reference() const;

 private:
  std::string title_;
  const schema::AnyObject& object_;
  KeyNode root_;
};

/// Of the keys of scenarios, as they are on Ethernet.
[[nodiscard]] const KeyManual& scenario_manual();

}  // namespace weft::scenarios::language
