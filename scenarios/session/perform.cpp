#include "scenarios/session/perform.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "scenarios/columns/result_columns.hpp"
#include "scenarios/isolated/fluid_lone_runs.hpp"
#include "scenarios/isolated/isolated_runs.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "simcore/base/check.hpp"
#include "simcore/fluid/flow_solver.hpp"

namespace weft::scenarios {
namespace {

Failure failed(Failure::Kind kind, Errors errors) { return {kind, std::move(errors)}; }
Failure failed(Failure::Kind kind, std::string message) {
  return {kind, {Error{.message = std::move(message)}}};
}

/// A run while it is made.
class Performance {
 public:
  Performance(Session& session, const RunRequest& request, const ProgressObserver& observer)
      : session_(session),
        request_(request),
        observer_(observer),
        keeps_messages_(request.keeps_messages.value_or(session.lists_messages)) {
    std::vector<std::string> jobs;
    for (const JobSpec& job : session.experiment.scenario.jobs) jobs.push_back(job.name);
    messages_.emplace(std::move(jobs));
  }

  /// What keeps it from being made.
  [[nodiscard]] std::optional<Failure> prepare() {
    Experiment& e = session_.experiment;
    if (!request_.folder.empty()) {
      if (Errors errors = check_output_folder(request_.folder); !errors.empty()) {
        return failed(Failure::Kind::kRun, std::move(errors));
      }
    }
    if (request_.is_fluid) {
      if (Errors errors = session_.source.located(check_fluid(e)); !errors.empty()) {
        return failed(Failure::Kind::kScenario, std::move(errors));
      }
      if (Errors errors = load_flow_solver(); !errors.empty()) {
        return failed(Failure::Kind::kRun, std::move(errors));
      }
      // Before anything is opened: its runs are made in copies of this process.
      if (request_.is_isolated)
        lone_fluids_.emplace(e, [this](std::uint32_t) { return observer_; });
    } else {
      const std::string excess =
          memory_excess(session_.forecast, request_.memory_limit, "memory_limit");
      if (!excess.empty()) return failed(Failure::Kind::kRun, excess);
    }
    if (request_.folder.empty()) return {};
    auto files = RunFiles::create(e, request_.folder, kinds_of_files(session_, !request_.is_fluid));
    if (!files) return failed(Failure::Kind::kRun, files.errors());
    files_ = std::move(files).value();
    return {};
  }

  [[nodiscard]] std::variant<RunRecord, Failure> run() {
    Results results = simulate_all();
    complete(results, session_, request_.invocation, request_.version);
    warn_of_missing_traces(results);
    const std::string resolved = session_.source.resolved_yaml(request_.version);
    const bool has_pauses = session_.experiment.scenario.observe.pauses;
    std::string folder;
    if (files_) {
      const auto written = write_results(results, resolved, request_.folder,
                                         {.pauses = has_pauses, .files = files_.get()});
      if (!written) return failed(Failure::Kind::kRun, written.errors());
      folder = written.value().string();
    }
    std::vector<ColumnTable> tables = tables_of(results, has_pauses);
    if (keeps_messages_) tables.push_back(messages_->take());
    RunRecord record = record_of(results, resolved, std::move(tables));
    record.folder = folder;
    return record;
  }

 private:
  Results simulate_all() {
    Experiment& e = session_.experiment;
    RunFiles* const files = files_.get();
    const MessageSink sink = [this, files](const MessageResult& message) {
      if (files != nullptr && files->has_messages()) files->write(message);
      if (keeps_messages_) messages_->add(message);
    };
    if (request_.is_fluid) {
      Results results =
          simulate_fluid(e, observer_, sink, files == nullptr ? nullptr : files->timeline());
      if (lone_fluids_) run_isolated(std::ref(*lone_fluids_), results);
      return results;
    }
    Results results = simulate(e, observer_, files, {.threads = request_.threads}, sink);
    if (request_.is_isolated) {
      run_isolated(
          e, {.threads = request_.threads}, [this](std::uint32_t) { return observer_; }, results);
    }
    return results;
  }

  /// They grow in a folder while it runs, and nowhere else.
  void warn_of_missing_traces(Results& results) const {
    if (files_ || request_.is_fluid) return;
    const Experiment& e = session_.experiment;
    if (!e.observation.any() && !e.timeline) return;
    results.warnings.emplace_back(
        "what `observe` asks to be traced (queues, rates, packets, timelines) is written to the "
        "folder of the results while the run lasts, and this run has none");
  }

  Session& session_;
  const RunRequest& request_;
  const ProgressObserver& observer_;
  const bool keeps_messages_;
  std::optional<MessageColumns> messages_;
  std::optional<FluidLoneRuns> lone_fluids_;
  std::unique_ptr<RunFiles> files_;
};

}  // namespace

std::optional<Failure> failure_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const BrokenInvariant& error) {
    return failed(Failure::Kind::kDefect, error.what());
  } catch (const std::bad_alloc&) {
    return failed(Failure::Kind::kMemory, "out of memory; make the scenario smaller");
  } catch (const std::system_error& error) {
    return failed(Failure::Kind::kRun, std::string("the system refuses: ") + error.what());
  } catch (const std::exception& error) {
    return failed(Failure::Kind::kDefect, std::string("internal error: ") + error.what());
  } catch (...) {
    return failed(Failure::Kind::kDefect, "internal error");
  }
}

std::variant<RunRecord, Failure> perform(Session& session, const RunRequest& request,
                                         const ProgressObserver& observer) {
  std::variant<RunRecord, Failure> result;
  const auto failure = failure_of([&] {
    Performance performance(session, request, observer);
    if (auto problem = performance.prepare()) {
      result = std::move(*problem);
    } else {
      result = performance.run();
    }
  });
  if (failure) result = *failure;
  return result;
}

}  // namespace weft::scenarios
