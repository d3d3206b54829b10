#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/api/weft.hpp"
#include "scenarios/session/perform.hpp"
#include "scenarios/session/run_record.hpp"
#include "simcore/base/result.hpp"

/// Between the facade and what it stands before.
namespace weft::api {

[[nodiscard]] Errors errors_of(const weft::Errors& errors, ErrorKind kind = ErrorKind::kScenario);
[[nodiscard]] Errors errors_of(const scenarios::Failure& failure);

struct Results::State {
  explicit State(scenarios::RunRecord from);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  scenarios::RunRecord record;
  std::vector<Table> tables;  ///< with its columns
};

/// Makes and opens what only the facade itself can.
struct Access {
  [[nodiscard]] static Results results_of(scenarios::RunRecord record);
  [[nodiscard]] static const Results::State& state_of(const Results& results) {
    return *results.state_;
  }
};

/// With columns that lie in `table`.
[[nodiscard]] Table table_of(const scenarios::ColumnTable& table);

/// What `work` returns, or what ended it.
template <class T>
[[nodiscard]] Result<T> guarded(const std::function<Result<T>()>& work) {
  std::optional<Result<T>> result;
  const auto failure = scenarios::failure_of([&] { result.emplace(work()); });
  if (failure) return errors_of(*failure);
  return std::move(*result);
}

}  // namespace weft::api
