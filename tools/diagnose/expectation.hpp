#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/diagnose/model/simulator.hpp"

namespace weft::diagnose {

/// What a healthy cluster takes for a call.
struct ExpectedTime {
  collectives::Operation operation = collectives::Operation::kAllReduce;
  Bytes size{};
  Run run{};
  std::string limit{};  ///< what the time is limited by
  double band = 0;
};

/// Bus bandwidth between two servers alone.
struct ExpectedPair {
  std::string from{};
  std::string to{};
  double gigabytes_per_second = 0;
  double time_us = 0;
};

struct Expectation {
  std::size_t ranks = 0;
  std::vector<ExpectedTime> times{};
  Bytes pair_size{};
  std::vector<ExpectedPair> pairs{};
  std::vector<std::string> findings{};  ///< faults of the scenario that were left out, or kept
  std::vector<std::string> warnings{};
};

/// What is asked for.
struct ExpectationQuery {
  std::vector<collectives::Operation> operations{};
  std::vector<Bytes> sizes{};
  std::vector<std::uint32_t> hosts{};    ///< by rank
  std::vector<std::uint32_t> servers{};  ///< whose pairs are asked for; empty: none
  Bytes pair_size{};
};

[[nodiscard]] Result<Expectation> expectation(Simulator& simulator, const ExpectationQuery& query);

[[nodiscard]] nlohmann::ordered_json to_json(const Expectation& expectation);
[[nodiscard]] std::string to_text(const Expectation& expectation);

}  // namespace weft::diagnose
