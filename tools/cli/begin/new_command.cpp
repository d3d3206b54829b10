#include "tools/cli/begin/new_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <variant>

#include "scenarios/language/lowering/lower.hpp"
#include "scenarios/language/yaml/scalar_text.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/text/command_line_size.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/begin/first_sweep.hpp"
#include "tools/begin/storage.hpp"
#include "tools/begin/training_plan.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/words.hpp"
#include "tools/io/output_file.hpp"
#include "tools/io/terminal.hpp"
#include "tools/sweep/language/load_sweep.hpp"
#include "tools/sweep/plan/points.hpp"
#include "tools/sweep/run/dry_run.hpp"

namespace weft::cli {
namespace {

using begin::kFirstFabrics;
using begin::kFirstJobs;
using begin::kFirstStorage;
using begin::kFirstSweeps;
using begin::kMaxMachines;
using begin::kMaxOversubscription;
using begin::kMaxStorageServers;

constexpr const char* kNewHelp =
    "\nExamples:\n"
    "  weft new                                      asks, on a terminal\n"
    "  weft new --machine hgx-h100 --gpus 256 --fabric rail-optimised --oversubscription 2 \\\n"
    "    --job all-reduce --job all-to-all --job incast -o cluster.yaml\n"
    "  weft new --machine host-400g --count 64 --job permutation | weft run -\n"
    "  weft new --count 8 --model gpt3-175b -o step.yaml   a training job\n"
    "  weft new --job all-to-all --sweep ecn -o a.yaml     writes a.yaml and a-sweep.yaml\n"
    "\nThe scenario is a start, to be read and changed: it says what each of its keys is for.\n";

/// The answer, or an empty one.
void ask_or_none(Questions& questions, const std::string& question,
                 const std::vector<std::string>& words, std::string& answer) {
  const std::string none = "none";
  std::vector<std::string> all{none};
  all.insert(all.end(), words.begin(), words.end());
  answer = none;
  questions.ask_word(question, all, answer);
  if (answer == none) answer.clear();
}

/// How many points a sweep has and what they take, as `weft check` sees it; empty: it cannot say.
std::string forecast_text(const std::string& file) {
  const auto loaded = sweep::load_sweep(file, {});
  if (!loaded) return {};
  const auto plan = sweep::make_plan(loaded.value());
  if (!plan) return {};
  const auto forecast = sweep::sweep_forecast(loaded.value(), plan.value(), [] { return false; });
  return fmt::format(
      "  {} points, about {} of processor time by the forecast of `weft check`; `weft sweep {} "
      "--dry-run` runs a few to say it better\n",
      forecast.points, scenarios::format_time(forecast.seconds), file);
}

/// A size as files have it: `1M` of the command line is 1MiB there. What is none stays, and is
/// refused where the scenario is read.
std::string size_of_file(const std::string& said) {
  if (std::holds_alternative<std::int64_t>(parse_quantity(said, dimension_of<Bytes>()))) {
    return said;
  }
  const auto size = parse_quantity(said, command_line_size());
  const auto* count = std::get_if<std::int64_t>(&size);
  return count == nullptr ? said : quantity_text(*count, dimension_of<Bytes>());
}

std::string problem_of(const Errors& errors) {
  return errors.empty() ? std::string() : errors.front().message;
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
  new_->add_option_function<std::string>(
          "--size", [this](const std::string& said) { wanted_.size = size_of_file(said); },
          "of a collective, or of each message; 1M is 1MiB (default: by job)")
      ->type_name("SIZE");
  new_->add_option("--model", wanted_.model,
                   "of a training job, which it asks for if no --job does")
      ->check(one_of(begin::model_names()))
      ->type_name(joined(begin::model_names()))
      ->capture_default_str();
  new_->add_option("--storage", wanted_.storage,
                   "storage beside the jobs: every rank writes to storage servers, by the jobs' "
                   "transport and class, or by TCP in a lossy class of its own")
      ->check(one_of(kFirstStorage))
      ->type_name(joined(kFirstStorage));
  new_->add_option("--storage-servers", wanted_.storage_servers,
                   "how many, with a NIC on each rail, or one")
      ->check(CLI::Range(1, kMaxStorageServers))
      ->type_name("N")
      ->needs("--storage")
      ->capture_default_str();
  new_->add_option("--sweep", sweep_,
                   "what to vary: also writes a sweep of the scenario, beside it; to standard "
                   "output that alone, with the scenario in it")
      ->check(one_of(kFirstSweeps))
      ->type_name(joined(kFirstSweeps));
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
        const auto found = begin::hosts_of_machine(machine);
        if (found.ok()) hosts = found.value();
        return found.ok() ? std::string() : problem_of(found.errors());
      },
      wanted_.machine);
  if (is_alone()) {
    wanted_.count = 1;
  } else {
    questions.ask_count("how many", hosts > 1 ? 1 : 2, kMaxMachines, wanted_.count);
    const auto usual = begin::usual_fabric(wanted_.machine);
    wanted_.fabric = usual.ok() ? usual.value() : kFirstFabrics.front();
    questions.ask_word("fabric", kFirstFabrics, wanted_.fabric);
    questions.ask_number(
        "oversubscription", 1, kMaxOversubscription,
        [this](double ratio) {
          begin::FirstScenario wanted = wanted_;
          wanted.oversubscription = ratio;
          return begin::oversubscription_problem(wanted);
        },
        wanted_.oversubscription);
  }
  questions.ask_word("job", kFirstJobs, wanted_.jobs.front());
  if (wanted_.jobs.front() == "training") {
    questions.ask_word("model", begin::model_names(), wanted_.model);
  } else {
    ask_size(questions);
  }
  if (!is_alone()) ask_or_none(questions, "storage beside it", kFirstStorage, wanted_.storage);
  ask_or_none(questions, "what a sweep varies", kFirstSweeps, sweep_);
  return !questions.has_ended();
}

/// The machine has no NIC: one of it is all that there can be.
bool NewCommand::is_alone() const {
  const auto max = begin::max_of_machine(wanted_.machine);
  return max.ok() && max.value() == 1;
}

void NewCommand::ask_size(Questions& questions) {
  const std::string by_job = "by job";
  wanted_.size = by_job;
  questions.ask(
      "size of a collective, or of each message, such as 4MiB",
      [&by_job](const std::string& size) -> std::string {
        if (size == by_job) return {};
        const auto parsed = parse_quantity(size, command_line_size());
        if (const auto* problem = std::get_if<std::string>(&parsed)) {
          return "`" + size + "` " + *problem;
        }
        return std::get<std::int64_t>(parsed) > 0 ? "" : "`" + size + "` is nothing";
      },
      wanted_.size);
  wanted_.size = wanted_.size == by_job ? std::string() : size_of_file(wanted_.size);
}

/// From a number of GPUs to one of machines; says what is wrong.
bool NewCommand::use_gpus() {
  const auto hosts = begin::hosts_of_machine(wanted_.machine);
  if (!hosts.ok()) {
    print_errors(hosts.errors());
    return false;
  }
  if (gpus_ == 0) {
    if (new_->count("--count") == 0 && is_alone()) wanted_.count = 1;
    return true;
  }
  if (gpus_ % hosts.value() != 0) {
    const std::uint32_t below = gpus_ / hosts.value() * hosts.value();
    complain(
        fmt::format("--gpus: {} is no multiple of the {} of {}; take {}{}, or another machine "
                    "(--machine, `weft list servers`)",
                    gpus_, hosts.value(), wanted_.machine,
                    below > 0 ? fmt::format("{} or ", below) : "", below + hosts.value()));
    return false;
  }
  wanted_.count = gpus_ / hosts.value();
  if (new_->count("--machine") == 0) {
    print_error_text(fmt::format("weft: {} of {}, as no --machine is given (`weft list servers`)\n",
                                 scenarios::counted(wanted_.count, "machine"), wanted_.machine));
  }
  return true;
}

/// A model asks for a training job where no job is named. Says which options the jobs and the
/// machine make nothing of: none is passed over in silence.
bool NewCommand::use_options_of_jobs() {
  const auto is_given = [this](const char* option) { return new_->count(option) > 0; };
  if (is_given("--model") && !is_given("--job")) wanted_.jobs = {"training"};
  const auto trainings = std::ranges::count(wanted_.jobs, "training");
  if (is_given("--model") && trainings == 0) {
    complain(
        fmt::format("--model: {} is trained, and --job asks for {} alone; add --job training, "
                    "or leave --model out",
                    wanted_.model, fmt::join(wanted_.jobs, ", ")));
    return false;
  }
  if (is_given("--size") && trainings == std::ssize(wanted_.jobs)) {
    complain("--size: a training job has none; add a --job that has one, or leave --size out");
    return false;
  }
  if (is_given("--switch") && is_alone()) {
    complain(fmt::format("--switch: `{}` has no NIC, so that it is on no switch; leave it out",
                         wanted_.machine));
    return false;
  }
  return true;
}

/// Standard output, a device or a pipe: a stream, beside which there is nothing.
bool NewCommand::is_stream() const {
  if (out_.empty() || is_dash(out_)) return true;
  std::error_code ignored;
  const auto status = std::filesystem::status(out_, ignored);
  return std::filesystem::exists(status) && std::filesystem::is_other(status);
}

/// A file that is there already; empty: none.
std::string NewCommand::file_in_the_way() const {
  if (is_stream()) return {};
  std::error_code ignored;
  if (std::filesystem::is_regular_file(out_, ignored)) return out_;
  const std::string sweep = begin::sweep_file_of(out_);
  return !sweep_.empty() && std::filesystem::exists(sweep, ignored) ? sweep : std::string();
}

int NewCommand::write(const std::string& scenario) const {
  if (sweep_.empty()) {
    const int code = put(scenario, out_);
    if (code == kSuccess && !is_stream()) {
      print("  " + out_ + "; next: `weft check " + out_ + "`, `weft run " + out_ + "`\n");
    }
    return code;
  }
  const auto sweep = begin::first_sweep(
      wanted_, sweep_,
      is_stream()
          ? begin::inlined(scenario)
          : scenarios::language::yaml_text(std::filesystem::path(out_).filename().string()));
  if (!sweep.ok()) return refuse(sweep.errors());
  if (is_stream()) return put(sweep.value(), out_);
  const std::string file = begin::sweep_file_of(out_);
  if (const int code = put(scenario, out_); code != kSuccess) return code;
  const int code = put(sweep.value(), file);
  if (code == kSuccess) {
    print("  " + out_ + " and " + file + "; next: `weft run " + out_ + "`, `weft sweep " + file +
          "`\n" + forecast_text(file));
  }
  return code;
}

std::optional<int> NewCommand::run() {
  if (!new_->parsed()) return std::nullopt;
  if (std::string wrong = scenarios::language::name_problem(wanted_.name); !wrong.empty()) {
    complain("--name: " + wrong);
    return kBadInput;
  }
  const auto replaces_a_file = [this] {
    const std::string file = file_in_the_way();
    if (!file.empty()) complain(file + ": is there; `weft new` replaces no file");
    return !file.empty();
  };
  if (replaces_a_file()) return kBadInput;
  if (!was_told_anything() && ::isatty(STDIN_FILENO) == 1 && !ask()) {
    complain("the answers ended before the questions; nothing is written");
    return kBadInput;
  }
  // The answers may have asked for a sweep.
  if (replaces_a_file() || !use_options_of_jobs() || !use_gpus()) return kBadInput;
  const auto text = begin::first_scenario(wanted_);
  if (!text.ok()) return refuse(text.errors());
  return write(text.value());
}

}  // namespace weft::cli
