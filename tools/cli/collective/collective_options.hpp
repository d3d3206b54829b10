#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

struct ScheduleArguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string job;  ///< of the scenario; empty: the first collective
  std::string operation = "all-reduce";
  std::string algorithm;  ///< empty: the operation's default
  std::string size = "1MiB";
  std::string chunk = "0B";
  std::uint32_t ranks = 8;
  std::uint32_t channels = 1;
  std::uint32_t slices = 1;
  std::uint32_t root = 0;
  std::uint32_t domain_size = 1;
  std::int64_t rank = -1;  ///< -1: all
  std::uint64_t limit = 200;
  bool is_check = false;
  bool is_json = false;
};
/// `weft schedule`: prints the steps of a collective, or proves that they are right.
[[nodiscard]] int print_schedule(const ScheduleArguments& arguments);

struct BenchArguments {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string job;
  std::string operation;       ///< empty: the measurement's, or the job's
  bool has_operation = false;  ///< the command line has it
  std::string sizes = "1KiB..64MiB";
  bool has_sizes = false;  ///< the command line has them
  std::string algorithm;   ///< empty: the job's, or `auto` where that does another operation
  std::uint32_t factor = 2;
  std::string against;  ///< file with what nccl-tests printed; empty: nothing was measured
  bool is_csv = false;
};
/// `weft bench-collective`: the table that nccl-tests prints, on the fabric of a scenario.
[[nodiscard]] int bench_collective(const BenchArguments& arguments);

}  // namespace weft::cli
