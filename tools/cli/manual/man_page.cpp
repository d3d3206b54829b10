#include "tools/cli/manual/man_page.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace weft::cli {
namespace {

/// Text of a page: nothing in it is a request or an escape of roff.
std::string roff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins_line = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string synopsis(const CommandPage& command) {
  std::string text = bold(command.name.empty() ? "weft" : "weft " + command.name);
  if (!command.commands.empty()) return text + " " + italic("command") + " ...\n";
  for (const OptionPage& option : command.options) {
    if (!option.is_argument) continue;
    const std::string name = italic(option.names.front()) + (option.is_repeated ? " ..." : "");
    text += option.is_needed ? " " + name : " [" + name + "]";
  }
  return text + " [" + italic("options") + "]\n";
}

std::string option_text(const OptionPage& option) {
  std::string text = ".TP\n";
  for (std::size_t i = 0; i < option.names.size(); ++i) {
    text += (i == 0 ? "" : ", ");
    text += option.is_argument ? italic(option.names[i]) : bold(option.names[i]);
  }
  if (!option.is_argument && !option.value_name.empty()) text += " " + italic(option.value_name);
  text += "\n" + roff(option.doc);
  if (!option.standard.empty()) text += " (default " + roff(option.standard) + ")";
  return text + "\n";
}

std::string options_text(const CommandPage& command) {
  std::string text;
  for (const bool is_argument : {true, false}) {
    for (const OptionPage& option : command.options) {
      if (option.is_argument == is_argument) text += option_text(option);
    }
  }
  return text.empty() ? text : ".SH OPTIONS\n" + text;
}

/// Indented lines are examples and stay as they are; others are paragraphs.
std::string footer_text(const std::string& footer) {
  std::istringstream lines(footer);
  std::string text = ".SH NOTES\n";
  bool is_example = false;
  for (std::string line; std::getline(lines, line);) {
    if (const bool indented = line.starts_with("  "); indented != is_example) {
      text += indented ? ".nf\n" : ".fi\n";
      is_example = indented;
    }
    text += line.empty() ? ".PP\n" : roff(line) + "\n";
  }
  return text + (is_example ? ".fi\n" : "");
}

std::string commands_text(const CommandPage& command) {
  if (command.commands.empty()) return {};
  std::string text = ".SH COMMANDS\n";
  std::string see = ".SH SEE ALSO\n";
  for (const CommandPage& one : command.commands) {
    text += ".TP\n" + bold("weft " + one.name) + "\n" + roff(one.about) + "\n";
    see += ".BR " + roff(man_name(one)) + " (1)";
    see += &one == &command.commands.back() ? "\n" : ",\n";
  }
  return text + see;
}

}  // namespace

std::string man_name(const CommandPage& command) {
  return command.name.empty() ? "weft" : "weft-" + command.name;
}

std::string man_page(const CommandPage& command, const std::string& version) {
  const std::string name = man_name(command);
  std::string about = command.about.substr(0, command.about.find('\n'));
  if (about.starts_with("weft: ")) about.erase(0, 6);
  if (about.ends_with('.')) about.pop_back();
  std::string text = ".TH " + roff(upper(name)) + " 1 \"\" \"" + roff(version) + "\" \"weft\"\n";
  text += ".SH NAME\n" + roff(name) + " \\- " + roff(about) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis(command);
  text += ".SH DESCRIPTION\n" + roff(command.about) + "\n";
  text += commands_text(command) + options_text(command);
  if (!command.footer.empty()) text += footer_text(command.footer);
  return text;
}

}  // namespace weft::cli
