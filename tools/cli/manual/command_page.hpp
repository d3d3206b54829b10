#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

/// What a command takes, as its definition has it: what manual pages and completion are made of.
struct OptionPage {
  enum class Value : std::uint8_t {
    kNone,  ///< a flag
    kText,
    kWords,  ///< one of `words`
    kFileName,
    kFolderName,
    kOverrideText,  ///< key=value of a scenario
    kKeyPath,       ///< of a scenario
    kPartName,      ///< of the catalogue
    kCommandName,
  };

  std::vector<std::string> names;  ///< with their dashes; of an argument without any its name alone
  Value value = Value::kNone;
  std::string value_name;  ///< such as `FILE`; empty for flags
  std::vector<std::string> words;
  std::string doc;
  std::string standard;      ///< the default, if help shows it
  bool is_argument = false;  ///< stands without a name
  bool is_needed = false;
  bool is_repeated = false;
};

struct CommandPage {
  std::string name;  ///< empty: of `weft` itself
  std::string about;
  std::string footer;
  std::vector<OptionPage> options;
  std::vector<CommandPage> commands;
};

[[nodiscard]] CommandPage page_of(const CLI::App& app);

}  // namespace weft::cli
