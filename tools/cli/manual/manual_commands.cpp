#include "tools/cli/manual/manual_commands.hpp"

#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/manual/key_manual.hpp"
#include "scenarios/language/manual/key_text.hpp"
#include "simcore/text/nearest.hpp"
#include "tools/cli/manual/command_page.hpp"
#include "tools/cli/manual/completion.hpp"
#include "tools/cli/manual/culprit_topics.hpp"
#include "tools/cli/manual/help_topics.hpp"
#include "tools/cli/manual/man_page.hpp"
#include "tools/cli/manual/result_words.hpp"
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

std::string topic_text(const HelpTopic& topic, const CLI::App& app) {
  std::vector<scenarios::language::TextLine> lines;
  for (const std::string& key : topic.keys) {
    std::string about;
    for (const KeyManual* manual : manuals()) {
      if (about.empty()) about = manual->doc(key).value_or("");
    }
    lines.push_back({"weft help " + key, std::move(about)});
  }
  for (const std::string& start : topic.starts) {
    const bool is_sweep = start.find(" --sweep ") != std::string::npos;
    lines.push_back({start, is_sweep ? "writes a sweep of it" : "writes a scenario of it"});
  }
  for (const std::string& name : topic.commands) {
    lines.push_back({"weft " + name + " --help", app.get_subcommand(name)->get_description()});
  }
  for (const std::string& file : topic.files) lines.push_back({file, {}});
  return topic.words.front() + ": " + topic.about + "\n" +
         scenarios::language::lines_text(lines, "  ");
}

/// In lower case, words joined as topics have them.
std::string as_topic(std::string word) {
  for (char& c : word) {
    c = c == ' ' || c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
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
      "  weft help jobs.type\n"
      "  weft help mfu\n"
      "  weft help oversubscription\n"
      "  weft help sweep.axes\n"
      "  weft help --reference > keys.md\n"
      "\nA key is what --set takes: a path through the maps of the file, where a type such as "
      "`incast` may\nstand behind the map that has it. The end of a path will do. Topics are "
      "words for what no\nkey is called: they lead to keys, commands and pages.\n");
  help_
      ->add_option("key", word_,
                   "key, type, command, part, topic or result; without it, the first keys")
      ->type_name(kKey);
  CLI::Option* keys = help_->add_flag("--keys", prints_keys_, "list every key");
  CLI::Option* topics =
      help_->add_flag("--topics", prints_topics_, "list every topic, such as storage")
          ->excludes(keys);
  help_
      ->add_flag("--reference", prints_reference_,
                 "every key with what there is to say of it, as Markdown")
      ->excludes(keys)
      ->excludes(topics);
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
  if (prints_topics_) {
    for (const HelpTopic& topic : help_topics()) text += joined(topic.words, ", ") + "\n";
    for (const HelpTopic& topic : culprit_topics()) {
      if (find_topic(topic.words.front()) != nullptr) continue;  // is among those
      text += joined(topic.words, ", ") + "\n";
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

std::string ManualCommands::names_text(const std::string& word) const {
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
  for (const CLI::App* command : app_.get_subcommands({})) {
    if (command->get_name() == word) add(command->help());
  }
  for (const KeyManual* manual : manuals()) {
    if (const auto found = manual->text(word)) add(*found);
  }
  if (const auto parts = scenarios::find_parts(word); parts.ok()) {
    add("`" + word + "` is a part: `weft show " + word + "`\n");
  }
  return text;
}

/// What a word that nothing is called may have been meant to be.
std::vector<std::string> ManualCommands::known_words() const {
  std::vector<std::string> known;
  for (const KeyManual* manual : manuals()) {
    for (std::string& path : manual->paths()) {
      // Of a path its end will do, without the index of a list.
      const std::string end = path.substr(path.rfind('.') + 1);
      known.push_back(end.substr(0, end.find('[')));
      known.push_back(std::move(path));
    }
  }
  for (const CLI::App* command : app_.get_subcommands({})) known.push_back(command->get_name());
  for (const auto* topics : {&help_topics(), &culprit_topics()}) {
    for (const HelpTopic& topic : *topics) {
      known.insert(known.end(), topic.words.begin(), topic.words.end());
    }
  }
  for (std::string& result : result_words()) known.push_back(std::move(result));
  if (const auto parts = scenarios::list_parts({}); parts.ok()) {
    for (const scenarios::PartReport& part : parts.value()) known.push_back(part.name);
  }
  return known;
}

int ManualCommands::explain_word() const {
  const std::string lower = as_topic(word_);
  std::string text = names_text(word_);
  if (text.empty()) text = names_text(lower);
  const HelpTopic* const topic = find_topic(lower);
  if (const HelpTopic* const culprit = find_culprit(lower)) {
    text += (text.empty() ? "" : "\n") + std::string(topic == nullptr ? "" : "culprit ") +
            topic_text(*culprit, app_);
  }
  if (topic != nullptr) {
    text += (text.empty() ? "" : "\n") + topic_text(*topic, app_);
  }
  // Whoever asks about a key or a topic does not ask for columns of that name.
  if (text.empty()) text = result_word_text(word_);
  if (!text.empty()) return put(text, out_);
  complain("`" + word_ + "` is no key, type, command, part, topic or result" +
           did_you_mean(word_, known_words()));
  complain("`weft help --keys` lists all keys, `weft help --topics` all topics");
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
