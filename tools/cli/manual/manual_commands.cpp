#include "tools/cli/manual/manual_commands.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/manual/key_manual.hpp"
#include "simcore/text/nearest.hpp"
#include "tools/cli/manual/command_page.hpp"
#include "tools/cli/manual/completion.hpp"
#include "tools/cli/manual/man_page.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/version.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/sweep/language/sweep_manual.hpp"

namespace weft::cli {
namespace {

using scenarios::language::KeyManual;

const std::vector<std::string> kShells{"bash", "zsh", "fish"};

std::vector<const KeyManual*> manuals() {
  return {&scenarios::language::scenario_manual(), &sweep::sweep_manual()};
}

const CommandPage* find_command(const CommandPage& program, const std::string& name) {
  for (const CommandPage& command : program.commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace

ManualCommands::ManualCommands(CLI::App& app)
    : app_(app),
      help_(
          app.add_subcommand("help", "what a key of scenarios or sweeps means; a command's help")),
      completion_(app.add_subcommand("completion", "a script that completes command lines")),
      man_(app.add_subcommand("man", "manual pages, for man(1)")) {
  add_help();
  add_completion();
  add_man();
}

void ManualCommands::add_help() {
  help_->footer(
      "\nExamples:\n"
      "  weft help fabric.ecn.kmin\n"
      "  weft help jobs.incast\n"
      "  weft help kmin\n"
      "  weft help sweep.axes\n"
      "  weft help --reference > keys.md\n"
      "\nA key is what --set takes: a path through the maps of the file, where a type such as "
      "`incast` may\nstand behind the map that has it. The end of a path will do.\n");
  help_->add_option("key", word_, "key, type, command or part; without it, the first keys")
      ->type_name(kKey);
  CLI::Option* keys = help_->add_flag("--keys", prints_keys_, "list every key");
  help_
      ->add_flag("--reference", prints_reference_,
                 "every key with what there is to say of it, as Markdown")
      ->excludes(keys);
  help_->add_option("-o,--out", out_, "file to write (default: standard output)")->type_name(kFile);
}

void ManualCommands::add_completion() {
  completion_->footer(
      "\nExamples:\n"
      "  source <(weft completion bash)\n"
      "  weft completion fish -o ~/.config/fish/completions/weft.fish\n");
  completion_->add_option("shell", shell_, "whose language the script is in")
      ->required()
      ->check(one_of(kShells))
      ->type_name(joined(kShells));
  completion_->add_option("-o,--out", out_, "file to write (default: standard output)")
      ->type_name(kFile);
}

void ManualCommands::add_man() {
  man_->footer(
      "\nExamples:\n"
      "  weft man run | man -l -\n"
      "  weft man -o ~/.local/share/man/man1 && man weft-run\n");
  man_->add_option("command", command_, "whose page to print (default: of weft itself)")
      ->type_name(kCommand);
  man_->add_option("-o,--out", out_, "folder to write all pages to")->type_name(kFolder);
}

std::optional<int> ManualCommands::run() const {
  if (help_->parsed()) return help();
  if (completion_->parsed()) return complete();
  if (man_->parsed()) return write_pages();
  return std::nullopt;
}

int ManualCommands::help() const {
  std::string text;
  if (prints_keys_) {
    for (const KeyManual* manual : manuals()) {
      for (const std::string& path : manual->paths()) text += path + "\n";
    }
    return put(text, out_);
  }
  if (prints_reference_) {
    for (const KeyManual* manual : manuals()) {
      text += (text.empty() ? "" : "\n") + manual->reference();
    }
    return put(text, out_);
  }
  if (!word_.empty()) return explain_word();
  for (const KeyManual* manual : manuals()) {
    text += *manual->text(manual == manuals().front() ? "scenario" : "sweep") + "\n";
  }
  return put(text + "more: `weft help KEY`, `weft COMMAND --help`\n", out_);
}

int ManualCommands::explain_word() const {
  std::string text;
  for (const CLI::App* command : app_.get_subcommands({})) {
    if (command->get_name() == word_) text += command->help();
  }
  for (const KeyManual* manual : manuals()) {
    if (const auto found = manual->text(word_)) text += (text.empty() ? "" : "\n") + *found;
  }
  if (const auto parts = scenarios::find_parts(word_); parts.ok()) {
    text += (text.empty() ? "" : "\n") + ("`" + word_ + "` is a part: `weft show " + word_ + "`\n");
  }
  if (!text.empty()) return put(text, out_);
  std::vector<std::string> known;
  for (const KeyManual* manual : manuals()) {
    for (std::string& path : manual->paths()) known.push_back(std::move(path));
  }
  complain("`" + word_ + "` is no key, type, command or part" + did_you_mean(word_, known) +
           "\nweft: `weft help --keys` lists all keys");
  return kBadInput;
}

int ManualCommands::complete() const {
  const CommandPage program = page_of(app_);
  if (shell_ == "bash") return put(bash_completion(program), out_);
  return put(shell_ == "zsh" ? zsh_completion(program) : fish_completion(program), out_);
}

int ManualCommands::write_pages() const {
  const CommandPage program = page_of(app_);
  const CommandPage* command = command_.empty() ? &program : find_command(program, command_);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const CommandPage& one : program.commands) names.push_back(one.name);
    complain("`" + command_ + "` is no command" + did_you_mean(command_, names));
    return kBadInput;
  }
  if (out_.empty() || is_dash(out_)) return put(man_page(*command, version_line()));
  std::error_code error;
  std::filesystem::create_directories(out_, error);
  std::vector<const CommandPage*> pages{command};
  if (command == &program) {
    for (const CommandPage& one : program.commands) pages.push_back(&one);
  }
  for (const CommandPage* page : pages) {
    const auto file = std::filesystem::path(out_) / (man_name(*page) + ".1");
    if (const Errors errors = write_output(file, man_page(*page, version_line()));
        !errors.empty()) {
      return refuse(errors, kUnfinished);
    }
  }
  return kSuccess;
}

}  // namespace weft::cli
