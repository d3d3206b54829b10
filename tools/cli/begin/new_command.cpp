#include "tools/cli/begin/new_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/nearest.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kHelp =
    "\nExamples:\n"
    "  weft new                                      asks, on a terminal\n"
    "  weft new --machine hgx-h100 --gpus 256 --fabric rail-optimised --oversubscription 2 \\\n"
    "    --job all-reduce --job all-to-all --job incast -o cluster.yaml\n"
    "  weft new --machine host-400g --count 64 --job permutation | weft run -\n"
    "\nThe scenario is a start, to be read and changed: it says what each of its keys is for.\n";

/// The answer to a question on the terminal; the default where it is empty.
std::string answer(const std::string& question, const std::string& standard) {
  print_error_text(question + " [" + standard + "] ");
  std::string line;
  std::getline(std::cin, line);
  return line.empty() ? standard : line;
}

template <class Number>
void ask_number(const std::string& question, Number& number) {
  const std::string text = answer(question, fmt::format("{}", number));
  Number said{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), said);
  if (error == std::errc() && stop == text.data() + text.size() && said > 0) {
    number = said;
    return;
  }
  complain("`" + text + "` is no number above 0");
  if (std::cin) ask_number(question, number);
}

void ask_word(const std::string& question, const std::vector<std::string>& words,
              std::string& word) {
  const std::string said = answer(question + " (" + joined(words) + ")", word);
  if (std::ranges::find(words, said) != words.end()) {
    word = said;
    return;
  }
  complain("`" + said + "` is not one of them" + did_you_mean(said, words));
  if (std::cin) ask_word(question, words, word);
}

}  // namespace

NewCommand::NewCommand(CLI::App& app)
    : new_(app.add_subcommand("new", "write a first scenario, commented and valid")) {
  new_->footer(kHelp);
  new_->add_option("--machine", wanted_.machine, "of `weft list servers`")
      ->type_name(kPart)
      ->capture_default_str();
  CLI::Option* count = new_->add_option("--count", wanted_.count, "how many machines")
                           ->check(CLI::Range(1, 65'536))
                           ->type_name("N")
                           ->capture_default_str();
  new_->add_option("--gpus", gpus_, "how many GPUs (or NICs of machines without), instead")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->excludes(count);
  new_->add_option("--fabric", wanted_.fabric,
                   "default: rails where machines have several NICs, else leaves and spines")
      ->check(one_of(kFirstFabrics))
      ->type_name(joined(kFirstFabrics));
  new_->add_option("--oversubscription", wanted_.oversubscription,
                   "bandwidth of leaves towards hosts over that towards spines")
      ->check(CLI::Range(1.0, 64.0))
      ->type_name("N")
      ->capture_default_str();
  new_->add_option("--switch", wanted_.switch_part, "of `weft list switches`")
      ->type_name(kPart)
      ->capture_default_str();
  new_->add_option("--job", wanted_.jobs, "what the ranks do; several share the ranks evenly")
      ->check(one_of(kFirstJobs))
      ->type_name(joined(kFirstJobs))
      ->allow_extra_args(false)
      ->capture_default_str();
  new_->add_option("--size", wanted_.size, "of a collective, or of each message (default: by job)")
      ->type_name("SIZE");
  new_->add_option("--model", wanted_.model, "of a training job")
      ->type_name("NAME")
      ->capture_default_str();
  new_->add_option("--name", wanted_.name, "of the scenario")
      ->type_name("NAME")
      ->capture_default_str();
  new_->add_option("-o,--out", out_, "file to write (default: standard output)")->type_name(kFile);
}

bool NewCommand::was_told_anything() const {
  for (const CLI::Option* option : new_->get_options()) {
    if (option->count() > 0 && option->get_name() != "--out") return true;
  }
  return false;
}

void NewCommand::ask() {
  do {
    wanted_.machine = answer("machine (`weft list servers`)", wanted_.machine);
    const auto hosts = hosts_of_machine(wanted_.machine);
    if (hosts.ok()) break;
    print_errors(hosts.errors());
  } while (std::cin);
  ask_number("how many", wanted_.count);
  wanted_.fabric = kFirstFabrics.front();
  ask_word("fabric", kFirstFabrics, wanted_.fabric);
  ask_number("oversubscription", wanted_.oversubscription);
  ask_word("job", kFirstJobs, wanted_.jobs.front());
  if (wanted_.jobs.front() == "training") {
    wanted_.model = answer("model", wanted_.model);
  } else {
    wanted_.size = answer("size", "by job");
    if (wanted_.size == "by job") wanted_.size.clear();
  }
}

/// From a number of GPUs to one of machines; says what is wrong.
bool NewCommand::use_gpus() {
  const auto hosts = hosts_of_machine(wanted_.machine);
  if (!hosts.ok()) {
    print_errors(hosts.errors());
    return false;
  }
  if (gpus_ == 0) return true;
  if (gpus_ % hosts.value() != 0) {
    complain(fmt::format("--gpus: {} is no multiple of the {} of {}", gpus_, hosts.value(),
                         wanted_.machine));
    return false;
  }
  wanted_.count = gpus_ / hosts.value();
  return true;
}

std::optional<int> NewCommand::run() {
  if (!new_->parsed()) return std::nullopt;
  if (std::string wrong = scenarios::language::name_problem(wanted_.name); !wrong.empty()) {
    complain("--name: " + wrong);
    return kBadInput;
  }
  if (!was_told_anything() && ::isatty(STDIN_FILENO) == 1) ask();
  if (!use_gpus()) return kBadInput;
  std::error_code ignored;
  if (!out_.empty() && !is_dash(out_) && std::filesystem::is_regular_file(out_, ignored)) {
    complain(out_ + ": is there; `weft new` replaces no file");
    return kBadInput;
  }
  const auto text = first_scenario(wanted_);
  if (!text.ok()) return refuse(text.errors());
  const int code = put(text.value(), out_);
  if (code == kSuccess && !out_.empty() && !is_dash(out_)) {
    print("  " + out_ + "; next: `weft check " + out_ + "`, `weft run " + out_ + "`\n");
  }
  return code;
}

}  // namespace weft::cli
