#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simcore/text/nearest.hpp"

/// What the values of options are called: help, manual pages and completion read it from there.
namespace weft::cli {

inline constexpr const char* kFile = "FILE";
inline constexpr const char* kFolder = "DIR";
inline constexpr const char* kOverride = "KEY=VALUE";
inline constexpr const char* kKey = "KEY";
inline constexpr const char* kPart = "PART";
inline constexpr const char* kCommand = "COMMAND";

/// Words of a list with something between them; as the value of an option: `packet|fluid|both`.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& words,
                                        const std::string& between = "|") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Only these words, or what they are is said, with the nearest one.
[[nodiscard]] inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& said) {
        for (const std::string& word : words) {
          if (word == said) return std::string();
        }
        return "`" + said + "` is not one of " + listing(words) + did_you_mean(said, words);
      },
      "");
}

/// An option whose value is one of these words.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& names, Value& target,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& doc) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& [word, value] : choices) words.push_back(word);
  const auto set = [&target, choices](const std::string& said) {
    for (const auto& [word, value] : choices) {
      if (word == said) target = value;
    }
  };
  return app.add_option_function<std::string>(names, set, doc)
      ->check(one_of(words))
      ->type_name(joined(words));
}

/// The scenario that a command is about.
inline CLI::Option* add_scenario(CLI::App& app, std::string& target) {
  return app.add_option("scenario", target, "scenario file; - reads standard input")
      ->type_name(kFile)
      ->required();
}

inline CLI::Option* add_overrides(CLI::App& app, std::vector<std::string>& target,
                                  const std::string& doc =
                                      "change one key of the scenario, as in "
                                      "`weft run`") {
  return app.add_option("--set", target, doc)->type_name(kOverride)->allow_extra_args(false);
}

/// What is expected of results.
inline void add_expectations(CLI::App& app, std::vector<std::string>& expressions, bool& cut_off) {
  CLI::Option* expect =
      app.add_option("--expect", expressions,
                     "exit with 1 unless this holds of the results, such as "
                     "'jobs.incast.jct_seconds < 1ms', or of every job 'jobs.*.jct < 1ms'; may be "
                     "given several times")
          ->type_name("CONDITION")
          ->allow_extra_args(false);
  app.add_flag("--cut-off", cut_off,
               "expect also of runs that were cut off; without it nothing holds of those")
      ->needs(expect);
}

}  // namespace weft::cli
