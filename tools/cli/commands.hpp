#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// Exit codes of the program.
enum ExitCode : int {
  kSuccess = 0,
  kUnfinished = 1,  ///< the simulation could not finish, its results could not be written, or an
                    ///< expectation does not hold
  kBadInput = 2,    ///< a bad scenario or a bad command line
};

enum class Engine : std::uint8_t {
  kPacket,  ///< every packet
  kFluid,   ///< fair shares of rate
  kBoth,    ///< both at once, each with a folder of its own, and their comparison
};

/// What is expected of results (tools/cli/expect).
struct ExpectArguments {
  std::vector<std::string> expressions;
  bool counts_cut_off = false;  ///< numbers of runs that were cut off decide, too
};

struct RunArguments {
  std::string scenario;
  Engine engine = Engine::kPacket;
  std::vector<std::string> overrides;
  std::string out;                           ///< empty: a folder in results/
  std::string name;                          ///< of that folder; empty: made of the scenario's
  std::vector<std::string> command_line;     ///< for those who ask where results come from
  std::uint32_t threads = 0;                 ///< 0: as many as gain
  std::optional<std::int64_t> memory_limit;  ///< bytes of private memory; absent: what there is
  bool print_json = false;
  bool is_quiet = false;
  bool is_live = false;       ///< shows steps, ports and tails while it runs
  bool is_isolated = false;   ///< each job runs alone, too
  bool blames = false;        ///< says who is to blame for the time of each iteration
  bool has_timeline = false;  ///< writes what ranks did when
  std::string
      without;  ///< what is taken out of the scenario (scenarios/blame/explain); empty: nothing
  ExpectArguments expect;
};

/// `weft run`: simulates, prints the summary, writes the results.
[[nodiscard]] int run_scenario(const RunArguments& arguments);
/// `weft check`: validates and says how the scenario would be simulated; or validates a sweep.
[[nodiscard]] int check_scenario(const std::string& path,
                                 const std::vector<std::string>& overrides);
/// `weft compare`: result folders side by side.
[[nodiscard]] int compare_results(const std::vector<std::string>& folders, bool print_json,
                                  const ExpectArguments& expect = {});
/// `weft platform`: writes the fabric as a SimGrid platform, to standard output if `out` is empty.
[[nodiscard]] int write_platform(const std::string& path, const std::vector<std::string>& overrides,
                                 const std::string& out);
/// `weft schema`: the JSON Schema of scenarios, to standard output if `out` is empty.
[[nodiscard]] int print_schema(const std::string& out);
/// What the tables of a results folder hold.
[[nodiscard]] int print_result_reference(const std::string& out);

}  // namespace weft::cli
