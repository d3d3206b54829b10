#include "tools/cli/manual/completion.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace weft::cli {
namespace {

using Value = OptionPage::Value;

constexpr const char* kKeys = "weft help --keys 2>/dev/null";
constexpr const char* kParts = "weft list --names 2>/dev/null";

std::string spaced(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> names_of(const std::vector<CommandPage>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CommandPage& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CommandPage& command) {
  std::vector<std::string> names;
  for (const OptionPage& option : command.options) {
    if (!option.is_argument) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// Between single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// What a description of zsh may not hold as it is.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// ---- bash

std::string bash_values(const OptionPage& option, const std::vector<std::string>& commands) {
  switch (option.value) {
    case Value::kNone:
    case Value::kText:
      return {};
    case Value::kWords:
      return "COMPREPLY=($(compgen -W " + in_quotes(spaced(option.words)) + " -- \"$cur\"))";
    case Value::kFileName:
      return "_weft_files";
    case Value::kFolderName:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Value::kOverrideText:
      return "compopt -o nospace; COMPREPLY=($(compgen -S = -W \"$(" + std::string(kKeys) +
             ")\" -- \"$cur\"))";
    case Value::kKeyPath:
      return "COMPREPLY=($(compgen -W \"$(" + std::string(kKeys) + ") " + spaced(commands) +
             "\" -- \"$cur\"))";
    case Value::kPartName:
      return "COMPREPLY=($(compgen -W \"$(" + std::string(kParts) + ")\" -- \"$cur\"))";
    case Value::kCommandName:
      return "COMPREPLY=($(compgen -W " + in_quotes(spaced(commands)) + " -- \"$cur\"))";
  }
  return {};
}

std::string bash_command(const CommandPage& command, const std::vector<std::string>& commands) {
  std::string text = "    " + command.name + ")\n      case \"$prev\" in\n";
  std::string argument;
  for (const OptionPage& option : command.options) {
    const std::string values = bash_values(option, commands);
    if (option.is_argument) {
      argument = values;
    } else if (option.value != Value::kNone) {
      text += "        " + spaced(option.names, "|") + ") " + values +
              (values.empty() ? "" : "; ") + "return ;;\n";
    }
  }
  text += "      esac\n      case \"$cur\" in\n        -*) COMPREPLY=($(compgen -W " +
          in_quotes(spaced(option_names(command))) + " -- \"$cur\")) ;;\n";
  if (!argument.empty()) text += "        *) " + argument + " ;;\n";
  return text + "      esac ;;\n";
}

// ---- zsh

std::string zsh_values(const OptionPage& option, const std::vector<std::string>& commands) {
  switch (option.value) {
    case Value::kNone:
      return {};
    case Value::kText:
      return ":" + zsh_text(option.value_name) + ": ";
    case Value::kWords:
      return ":value:(" + spaced(option.words) + ")";
    case Value::kFileName:
      return ":file:_files";
    case Value::kFolderName:
      return ":folder:_files -/";
    case Value::kOverrideText:
      return ":key:{compadd -S = -- ${(f)\"$(" + std::string(kKeys) + ")\"}}";
    case Value::kKeyPath:
      return ":key:{compadd -- ${(f)\"$(" + std::string(kKeys) + ")\"} " + spaced(commands) + "}";
    case Value::kPartName:
      return ":part:{compadd -- ${(f)\"$(" + std::string(kParts) + ")\"}}";
    case Value::kCommandName:
      return ":command:(" + spaced(commands) + ")";
  }
  return {};
}

std::string zsh_option(const OptionPage& option, const std::vector<std::string>& commands) {
  const std::string values = zsh_values(option, commands);
  if (option.is_argument) {
    return "          " + in_quotes((option.is_repeated ? "*" : "") + values) + " \\\n";
  }
  std::string text;
  for (const std::string& name : option.names) {
    const std::string shown = fmt::format("{}{}[{}]{}", option.is_repeated ? "*" : "", name,
                                          zsh_text(option.doc), values);
    text += "          " + in_quotes(shown) + " \\\n";
  }
  return text;
}

// ---- fish

std::string fish_values(const OptionPage& option, const std::vector<std::string>& commands) {
  switch (option.value) {
    case Value::kNone:
      return {};
    case Value::kText:
      return " -x";
    case Value::kWords:
      return " -x -a " + in_quotes(spaced(option.words));
    case Value::kFileName:
      return " -r -F";
    case Value::kFolderName:
      return " -x -a '(__fish_complete_directories)'";
    case Value::kOverrideText:
      return " -x -a " + in_quotes("(" + std::string(kKeys) + " | string replace -r '$' =)");
    case Value::kKeyPath:
      return " -x -a " + in_quotes("(" + std::string(kKeys) + ") " + spaced(commands));
    case Value::kPartName:
      return " -x -a " + in_quotes("(" + std::string(kParts) + ")");
    case Value::kCommandName:
      return " -x -a " + in_quotes(spaced(commands));
  }
  return {};
}

std::string fish_option(const std::string& start, const OptionPage& option,
                        const std::vector<std::string>& commands) {
  if (option.is_argument) return start + fish_values(option, commands) + "\n";
  std::string text = start;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text + fish_values(option, commands) + " -d " + in_quotes(option.doc) + "\n";
}

}  // namespace

std::string bash_completion(const CommandPage& program) {
  const std::vector<std::string> commands = names_of(program.commands);
  std::string text =
      "# weft completion bash > ~/.local/share/bash-completion/completions/weft\n"
      "_weft_files() { compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); }\n"
      "_weft() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W " +
      in_quotes(spaced(commands) + " " + spaced(option_names(program))) +
      " -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandPage& command : program.commands) text += bash_command(command, commands);
  return text + "  esac\n}\ncomplete -F _weft weft\n";
}

std::string zsh_completion(const CommandPage& program) {
  const std::vector<std::string> commands = names_of(program.commands);
  std::string text =
      "#compdef weft\n"
      "# weft completion zsh > \"${fpath[1]}/_weft\"\n"
      "_weft() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandPage& command : program.commands) {
    text += "    " + in_quotes(command.name + ":" + zsh_text(command.about)) + "\n";
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandPage& command : program.commands) {
    text += "    " + command.name + ") _arguments \\\n";
    for (const OptionPage& option : command.options) text += zsh_option(option, commands);
    text += "          && return ;;\n";
  }
  return text + "  esac\n}\ncompdef _weft weft\n";
}

std::string fish_completion(const CommandPage& program) {
  const std::vector<std::string> commands = names_of(program.commands);
  std::string text =
      "# weft completion fish > ~/.config/fish/completions/weft.fish\n"
      "complete -c weft -f\n";
  for (const OptionPage& option : program.options) {
    text += fish_option("complete -c weft -n __fish_use_subcommand", option, commands);
  }
  for (const CommandPage& command : program.commands) {
    text += "complete -c weft -n __fish_use_subcommand -a " + command.name + " -d " +
            in_quotes(command.about) + "\n";
    const std::string start =
        "complete -c weft -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionPage& option : command.options) text += fish_option(start, option, commands);
  }
  return text;
}

}  // namespace weft::cli
