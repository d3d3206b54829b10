#include <array>
#include <charconv>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "scenarios/api/conversions.hpp"
#include "scenarios/api/weft.hpp"
#include "scenarios/estimate/scenario_estimate.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "scenarios/language/yaml/source_text.hpp"
#include "scenarios/session/check_report.hpp"
#include "scenarios/session/fluid_process.hpp"
#include "scenarios/text/json_text.hpp"

namespace weft::api {
namespace {

namespace fs = std::filesystem;
using scenarios::language::Node;

Node node_of(const Document& document) {
  Node node;
  switch (document.kind()) {
    case Document::Kind::kNull:
      break;
    case Document::Kind::kScalar:
      node.kind = Node::Kind::kScalar;
      node.text = document.scalar();
      break;
    case Document::Kind::kList:
      node.kind = Node::Kind::kList;
      for (const Document& item : document.items()) node.items.push_back(node_of(item));
      break;
    case Document::Kind::kMap:
      node.kind = Node::Kind::kMap;
      for (const auto& [key, value] : document.entries()) {
        node.entries.push_back({.key = key, .key_mark = {}, .value = node_of(value)});
      }
      break;
  }
  return node;
}

Progress progress_of(const scenarios::Progress& now) {
  return {.now_ps = now.now.count(),
          .count = now.count,
          .done = now.done,
          .in_flight = now.in_flight,
          .stall = now.stall,
          .stage = now.stage,
          .is_last = now.is_last};
}

/// Who watches a run: the functions of the caller.
class Watcher {
 public:
  explicit Watcher(const RunOptions& options) : options_(options) {}

  [[nodiscard]] bool operator()(const scenarios::Progress& now) {
    if (thrown_ || options_.stop.stop_requested()) return false;
    if (!options_.progress) return true;
    try {
      return options_.progress(progress_of(now));
    } catch (...) {
      thrown_ = std::current_exception();
      return false;
    }
  }
  /// What its function threw, in words.
  [[nodiscard]] std::optional<std::string> failure() const {
    if (!thrown_) return {};
    try {
      std::rethrow_exception(thrown_);
    } catch (const std::exception& error) {
      return std::string("`progress` threw: ") + error.what();
    } catch (...) {
      return "`progress` threw";
    }
  }

 private:
  const RunOptions& options_;
  std::exception_ptr thrown_;
};

constexpr std::uint32_t kMaxThreads = 1'024;

/// What is wrong with them.
std::optional<Errors> refusal_of(const RunOptions& options) {
  if (options.threads > kMaxThreads) {
    return Errors{{.message = "threads: " + std::to_string(options.threads) + " are more than " +
                              std::to_string(kMaxThreads)}};
  }
  if (options.memory_limit && *options.memory_limit <= 0) {
    return Errors{{.message = "memory_limit: no bytes at all"}};
  }
  return {};
}

}  // namespace

std::string version() { return WEFT_VERSION; }

Document::Document(double value) : kind_(Kind::kScalar) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  scalar_.assign(text.data(), end);
}

Document Document::map() {
  Document document;
  document.kind_ = Kind::kMap;
  return document;
}

Document Document::list() {
  Document document;
  document.kind_ = Kind::kList;
  return document;
}

Document& Document::operator[](std::string_view key) {
  if (kind_ == Kind::kNull) kind_ = Kind::kMap;
  if (kind_ != Kind::kMap) throw std::invalid_argument("this part of the document is no map");
  for (auto& [name, value] : entries_) {
    if (name == key) return value;
  }
  return entries_.emplace_back(std::string(key), Document()).second;
}

void Document::push_back(Document item) {
  if (kind_ == Kind::kNull) kind_ = Kind::kList;
  if (kind_ != Kind::kList) throw std::invalid_argument("this part of the document is no list");
  items_.push_back(std::move(item));
}

struct Scenario::State {
  scenarios::ScenarioTemplate source;
  std::string file;  ///< absolute; empty: there is none

  [[nodiscard]] Result<scenarios::LoadedScenario> load(
      const std::vector<std::string>& changes) const {
    auto loaded = source.load(changes);
    if (!loaded) return errors_of(loaded.errors());
    return std::move(loaded).value();
  }
  [[nodiscard]] Result<scenarios::Session> open(const std::vector<std::string>& changes) const {
    auto loaded = load(changes);
    if (!loaded) return loaded.errors();
    auto session = scenarios::open_session(std::move(loaded).value());
    if (!session) return errors_of(session.errors());
    return std::move(session).value();
  }
};

Result<Scenario> Scenario::from_file(const std::string& path) {
  return guarded<Scenario>([&]() -> Result<Scenario> {
    using scenarios::language::kMaxScenarioBytes;
    const auto text = scenarios::language::read_text_file(path, kMaxScenarioBytes);
    if (!text) return errors_of(text.errors());
    const bool is_pipe = path == scenarios::language::kStandardInput;
    auto source =
        scenarios::ScenarioTemplate::parse(text.value(), is_pipe ? "standard input" : path);
    if (!source) return errors_of(source.errors());
    const std::string file = is_pipe ? "" : fs::weakly_canonical(fs::absolute(path)).string();
    return Scenario(std::make_shared<const State>(State{std::move(source).value(), file}));
  });
}

Result<Scenario> Scenario::from_text(std::string_view text, const std::string& filename) {
  return guarded<Scenario>([&]() -> Result<Scenario> {
    auto source = scenarios::ScenarioTemplate::parse(text, filename);
    if (!source) return errors_of(source.errors());
    return Scenario(std::make_shared<const State>(State{std::move(source).value(), {}}));
  });
}

Result<Scenario> Scenario::from_document(const Document& document) {
  return guarded<Scenario>([&]() -> Result<Scenario> {
    return Scenario(std::make_shared<const State>(
        State{scenarios::ScenarioTemplate(node_of(document), {}), {}}));
  });
}

Scenario& Scenario::set(const std::string& path, const std::string& value) {
  changes_.push_back(path + "=" + value);
  return *this;
}

Scenario& Scenario::change(const std::string& path_and_value) {
  changes_.push_back(path_and_value);
  return *this;
}

const std::vector<std::string>& Scenario::changes() const { return changes_; }

Result<Check> Scenario::check() const {
  return guarded<Check>([&]() -> Result<Check> {
    const auto session = state_->open(changes_);
    if (!session) return session.errors();
    const scenarios::CheckReport report = scenarios::check_report(session.value());
    Check check{.name = report.name,
                .hosts = report.hosts,
                .jobs = report.jobs,
                .ranks = report.ranks,
                .connections = report.connections,
                .logical_processes = report.logical_processes,
                .lookahead_ps = report.lookahead.count(),
                .packet_hops = report.forecast.packet_hops,
                .messages = report.forecast.messages,
                .seconds = report.forecast.seconds,
                .memory_bytes = report.forecast.memory,
                .warnings = report.warnings,
                .text = scenarios::check_text(report)};
    check.switches = report.scale_up_switches;
    for (const auto& tier : report.tiers) check.switches += tier.switches;
    return check;
  });
}

Result<Estimate> Scenario::estimate(const EstimateOptions& options) const {
  return guarded<Estimate>([&]() -> Result<Estimate> {
    auto loaded = state_->load(changes_);
    if (!loaded) return loaded.errors();
    const auto estimate = scenarios::estimate_scenario(
        loaded.value().scenario, {.run = options.run, .ideal = options.ideal});
    if (!estimate) return errors_of(loaded.value().located(estimate.errors()));
    Estimate all{.text = scenarios::estimate_text(estimate.value()),
                 .json = scenarios::json_text(scenarios::estimate_json(estimate.value())) + "\n"};
    for (const scenarios::JobEstimate& job : estimate.value().jobs) {
      Estimate::Job& one = all.jobs.emplace_back();
      one.name = job.name;
      one.type = job.type;
      one.ranks = job.ranks;
      one.iterations = job.iterations;
      if (job.training) one.step_seconds = job.training->step.seconds;
      one.collective_seconds = job.collective_seconds;
      if (job.ideal) one.ideal_seconds = job.ideal->seconds;
    }
    return all;
  });
}

Result<std::string> Scenario::to_yaml() const {
  return guarded<std::string>([&]() -> Result<std::string> {
    const auto loaded = state_->load(changes_);
    if (!loaded) return loaded.errors();
    return loaded.value().resolved_yaml(WEFT_VERSION);
  });
}

Result<Results> Scenario::run(const RunOptions& options) const {
  return guarded<Results>([&]() -> Result<Results> {
    if (const auto refused = refusal_of(options)) return *refused;
    scenarios::RunRequest request{.threads = options.threads,
                                  .is_fluid = options.engine == Engine::kFluid,
                                  .is_isolated = options.isolated,
                                  .keeps_messages = options.messages,
                                  .memory_limit = options.memory_limit,
                                  .folder = options.folder,
                                  .version = WEFT_VERSION,
                                  .invocation = {.command_line = {},
                                                 .scenario_file = state_->file,
                                                 .overrides = changes_,
                                                 .without = {}}};
    Watcher watcher(options);
    const auto observer = [&watcher](const scenarios::Progress& now) { return watcher(now); };
    std::variant<scenarios::RunRecord, scenarios::Failure> result;
    if (request.is_fluid) {
      // What is wrong is said here, before a process is spawned for it.
      if (const auto session = state_->open(changes_); !session) return session.errors();
      result = scenarios::perform_elsewhere(state_->source, changes_, request, observer);
    } else {
      auto session = state_->open(changes_);
      if (!session) return session.errors();
      result = scenarios::perform(session.value(), request, observer);
    }
    if (const auto failure = watcher.failure()) {
      return Errors{{.kind = ErrorKind::kCallback, .message = *failure}};
    }
    if (const auto* failure = std::get_if<scenarios::Failure>(&result)) return errors_of(*failure);
    return Access::results_of(std::get<scenarios::RunRecord>(std::move(result)));
  });
}

Result<std::string> scenario_schema() {
  return guarded<std::string>([]() -> Result<std::string> {
    const auto schema = scenarios::scenario_json_schema();
    if (!schema) return errors_of(schema.errors());
    return scenarios::json_text(schema.value()) + "\n";
  });
}

}  // namespace weft::api

int weft_fluid_main() { return weft::scenarios::serve_fluid_run(); }
