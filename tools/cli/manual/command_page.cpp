#include "tools/cli/manual/command_page.hpp"

#include <sstream>

#include "tools/cli/words.hpp"

namespace weft::cli {
namespace {

OptionPage::Value kind_of(const std::string& type) {
  using Value = OptionPage::Value;
  if (type == kFile) return Value::kFileName;
  if (type == kFolder) return Value::kFolderName;
  if (type == kOverride) return Value::kOverrideText;
  if (type == kKey) return Value::kKeyPath;
  if (type == kPart) return Value::kPartName;
  if (type == kCommand) return Value::kCommandName;
  return type.find('|') != std::string::npos ? Value::kWords : Value::kText;
}

/// The name of the type without what a check adds to it, such as a range.
std::string type_of(const CLI::Option& option) {
  const std::string text = option.get_type_name();
  return text.substr(0, text.find(':'));
}

OptionPage page_of(const CLI::Option& option) {
  OptionPage page;
  page.doc = option.get_description();
  page.standard = option.get_default_str();
  page.is_argument = option.get_positional();
  page.is_needed = option.get_required();
  page.is_repeated = option.get_expected_max() > 1 ||
                     option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  for (const std::string& name : option.get_snames()) page.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) page.names.push_back("--" + name);
  if (page.is_argument) page.names = {option.get_name(true)};
  if (option.get_items_expected_max() == 0) return page;
  page.value_name = type_of(option);
  page.value = kind_of(page.value_name);
  if (page.value == OptionPage::Value::kWords) {
    std::istringstream words(page.value_name);
    for (std::string word; std::getline(words, word, '|');) page.words.push_back(word);
  }
  return page;
}

}  // namespace

CommandPage page_of(const CLI::App& app) {
  CommandPage page;
  page.name = app.get_parent() == nullptr ? std::string() : app.get_name();
  page.about = app.get_description();
  page.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) page.options.push_back(page_of(*option));
  for (const CLI::App* command : app.get_subcommands({}))
    page.commands.push_back(page_of(*command));
  return page;
}

}  // namespace weft::cli
