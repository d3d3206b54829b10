#include "tools/cli/begin/new_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <variant>

#include "collectives/training/model/presets.hpp"
#include "scenarios/language/lowering/lower.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"

namespace weft::cli {
namespace {

constexpr const char* kNewHelp =
    "\nExamples:\n"
    "  weft new                                      asks, on a terminal\n"
    "  weft new --machine hgx-h100 --gpus 256 --fabric rail-optimised --oversubscription 2 \\\n"
    "    --job all-reduce --job all-to-all --job incast -o cluster.yaml\n"
    "  weft new --machine host-400g --count 64 --job permutation | weft run -\n"
    "\nThe scenario is a start, to be read and changed: it says what each of its keys is for.\n";

std::string problem_of(const Errors& errors) {
  return errors.empty() ? std::string() : errors.front().message;
}

/// `custom` takes more than a name.
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& preset : collectives::model_presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace

NewCommand::NewCommand(CLI::App& app)
    : new_(app.add_subcommand("new", "write a first scenario, commented and valid")) {
  new_->footer(kNewHelp);
  new_->add_option("--machine", wanted_.machine, "of `weft list servers`")
      ->type_name(kPart)
      ->capture_default_str();
  CLI::Option* count = new_->add_option("--count", wanted_.count, "how many machines")
                           ->check(CLI::Range(1, kMaxMachines))
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
      ->check(CLI::Range(1.0, kMaxOversubscription))
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

/// False: the input ended before all was said.
bool NewCommand::ask() {
  Questions questions;
  print_error_text("Enter takes what stands in brackets, Ctrl-D ends without a scenario.\n");
  std::uint32_t hosts = 1;
  questions.ask(
      "machine (`weft list servers`)",
      [&hosts](const std::string& machine) {
        const auto found = hosts_of_machine(machine);
        if (found.ok()) hosts = found.value();
        return found.ok() ? std::string() : problem_of(found.errors());
      },
      wanted_.machine);
  if (is_alone()) {
    wanted_.count = 1;
  } else {
    questions.ask_count("how many", hosts > 1 ? 1 : 2, kMaxMachines, wanted_.count);
    const auto usual = usual_fabric(wanted_.machine);
    wanted_.fabric = usual.ok() ? usual.value() : kFirstFabrics.front();
    questions.ask_word("fabric", kFirstFabrics, wanted_.fabric);
    questions.ask_number("oversubscription", 1, kMaxOversubscription, wanted_.oversubscription);
  }
  questions.ask_word("job", kFirstJobs, wanted_.jobs.front());
  if (wanted_.jobs.front() == "training") {
    questions.ask_word("model", model_names(), wanted_.model);
  } else {
    ask_size(questions);
  }
  return !questions.has_ended();
}

/// The machine has no NIC: one of it is all that there can be.
bool NewCommand::is_alone() const {
  const auto max = max_of_machine(wanted_.machine);
  return max.ok() && max.value() == 1;
}

void NewCommand::ask_size(Questions& questions) {
  const std::string by_job = "by job";
  wanted_.size = by_job;
  questions.ask(
      "size of a collective, or of each message, such as 4MiB",
      [&by_job](const std::string& size) -> std::string {
        if (size == by_job) return {};
        const auto parsed = parse_quantity(size, dimension_of<Bytes>());
        if (const auto* problem = std::get_if<std::string>(&parsed)) {
          return "`" + size + "` " + *problem;
        }
        return std::get<std::int64_t>(parsed) > 0 ? "" : "`" + size + "` is nothing";
      },
      wanted_.size);
  if (wanted_.size == by_job) wanted_.size.clear();
}

/// From a number of GPUs to one of machines; says what is wrong.
bool NewCommand::use_gpus() {
  const auto hosts = hosts_of_machine(wanted_.machine);
  if (!hosts.ok()) {
    print_errors(hosts.errors());
    return false;
  }
  if (gpus_ == 0) {
    if (new_->count("--count") == 0 && is_alone()) wanted_.count = 1;
    return true;
  }
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
  std::error_code ignored;
  if (!out_.empty() && !is_dash(out_) && std::filesystem::is_regular_file(out_, ignored)) {
    complain(out_ + ": is there; `weft new` replaces no file");
    return kBadInput;
  }
  if (!was_told_anything() && ::isatty(STDIN_FILENO) == 1 && !ask()) {
    complain("the answers ended before the questions; nothing is written");
    return kBadInput;
  }
  if (!use_gpus()) return kBadInput;
  const auto text = first_scenario(wanted_);
  if (!text.ok()) return refuse(text.errors());
  const int code = put(text.value(), out_);
  if (code == kSuccess && !out_.empty() && !is_dash(out_)) {
    print("  " + out_ + "; next: `weft check " + out_ + "`, `weft run " + out_ + "`\n");
  }
  return code;
}

}  // namespace weft::cli
