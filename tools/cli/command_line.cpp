#include "tools/cli/command_line.hpp"

#include <optional>
#include <sstream>

#include "simcore/base/escape.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/unknown_words.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kAbout =
    "weft: a packet-level simulator for AI training fabrics.\n"
    "\n"
    "A scenario (YAML) describes racks, links, switches, transport and jobs; weft says how long "
    "the jobs\ntake, where the tail comes from and which ports are to blame.\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  weft new -o first.yaml\n"
    "  weft run scenarios/incast.yaml\n"
    "\n`weft COMMAND --help` has the options of a command and examples, `weft help KEY` what a key "
    "of\nscenarios means. Exit codes: 0 done, 1 the simulation could not finish, 2 a bad scenario "
    "or command line.\n";

/// A complaint has several lines, and words of the command line in it may have, too.
std::string with_words_escaped(std::string complaint, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string shown = escaped(word);
    if (shown == word) continue;
    for (std::size_t at = 0; (at = complaint.find(word, at)) != std::string::npos;) {
      complaint.replace(at, word.size(), shown);
      at += shown.size();
    }
  }
  return complaint;
}

}  // namespace

CommandLine::CommandLine() : app_(kAbout, "weft") {
  app_.require_subcommand(1);
  app_.footer(kExamples);
  commands_ = make_commands(app_);
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // It quotes the command line.
    std::ostringstream out;
    std::ostringstream complaint;
    const bool is_help = app_.exit(error, out, complaint) == 0;
    const std::string unknown = is_help ? std::string() : describe_unknown_words(app_);
    print(out.str());
    print_error_text(unknown.empty() ? with_words_escaped(complaint.str(), argc, argv) : unknown);
    return is_help ? kSuccess : kBadInput;
  }
  std::vector<std::string> words(argv, argv + argc);
  words.front() = "weft";
  return commands_->dispatch(words);
}

}  // namespace weft::cli
