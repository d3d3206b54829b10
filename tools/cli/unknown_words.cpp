#include "tools/cli/unknown_words.hpp"

#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"

namespace weft::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::string describe_unknown_words(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const bool has_command = command != &app;
  std::string text;
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with("-")) {
      const std::string name = word.substr(0, word.find('='));
      text += "weft: `" + escaped(name) + "` is no option" +
              (has_command ? " of `" + command->get_name() + "`" : std::string()) +
              did_you_mean(name, options_of(*command)) + "\n";
    } else if (!has_command) {
      // Of `weft-run`, which has few, it is told that `weft` may have it.
      const std::string whose = app.get_name() == "weft" ? std::string() : " of " + app.get_name();
      text += "weft: `" + escaped(word) + "` is no command" + whose +
              did_you_mean(word, commands_of(app)) + "\n";
      break;  // what follows is the command's
    }
  }
  return text;
}

}  // namespace weft::cli
