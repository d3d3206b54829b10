#pragma once

#include <string>
#include <vector>

namespace weft::cli {

/// A word that users ask for though nothing of weft is called so, and what answers them.
struct HelpTopic {
  std::vector<std::string> words;  ///< in lower case; the first one is its name
  std::string about;               ///< a sentence
  std::vector<std::string> keys;   ///< as `weft help` takes them
  std::vector<std::string> commands{};
  std::vector<std::string> files{};   ///< pages and scenarios of a checkout
  std::vector<std::string> starts{};  ///< commands that write a scenario to begin with, or a sweep
};

[[nodiscard]] const std::vector<HelpTopic>& help_topics();

/// By any of its words; null: there is none.
[[nodiscard]] const HelpTopic* find_topic(const std::string& word);

}  // namespace weft::cli
