#pragma once

/// weft as a library: load a scenario, check it, estimate it, run it, and have its results in
/// memory. This header includes the standard library alone. Nothing here ends the process: what is
/// wrong comes back as errors, also where a run finds a fault of its own or no memory. Such a run
/// has no results; others continue.
///
///     auto scenario = weft::api::Scenario::from_file("incast.yaml");
///     if (!scenario) { std::cerr << scenario.errors().front().to_string(); return 2; }
///     scenario.value().set("jobs[0].size", "4MiB");
///     auto results = scenario.value().run();
///     if (results) std::cout << results.value().digest();
///
/// Several runs of the packet engine may be under way at once, each on its thread; they do not
/// change each other's results. Runs of the fluid engine are made in processes of their own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#define WEFT_API __attribute__((visibility("default")))
#define WEFT_HIDDEN __attribute__((visibility("hidden")))

namespace weft::api {

enum class ErrorKind : std::uint8_t {
  kScenario,  ///< the scenario, or what was asked for, is wrong
  kRun,       ///< it could not be done here: too little memory, files, processes
  kMemory,    ///< there was no memory left
  kDefect,    ///< a fault of weft: a broken invariant, or what nobody expects
  kCallback,  ///< a function of the caller threw
};

/// One thing that is wrong. Parts that are not known are empty or 0.
struct WEFT_API Error {
  ErrorKind kind = ErrorKind::kScenario;
  std::string message;
  std::string file{};        ///< as it was named, or the `--set` that it stands in
  int line = 0;              ///< from 1
  int column = 0;            ///< from 1
  std::string key{};         ///< such as `fabric.ecn.kmin`
  std::string suggestion{};  ///< the nearest name that is accepted; `message` has it, too

  /// `file:line:column: key: message`
  [[nodiscard]] std::string to_string() const;
};
using Errors = std::vector<Error>;

/// A value, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}         // NOLINT: implicit by intent
  Result(Errors errors) : state_(std::move(errors)) {}  // NOLINT: implicit by intent

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  /// Throws std::bad_variant_access where there is none; so does the other where there is one.
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] const Errors& errors() const { return std::get<1>(state_); }

 private:
  std::variant<T, Errors> state_;
};

/// `0.1.0`
[[nodiscard]] WEFT_API std::string version();

/// A scenario that is built in code: what a YAML file can say.
///
///     Document d = Document::map();
///     d["name"] = "incast";
///     d["jobs"].push_back(Document::map());
///     d["jobs"][0]["size"] = "1MiB";
class WEFT_API Document {
 public:
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

  Document() = default;  ///< nothing, which may become a list or a map
  Document(std::string scalar) : kind_(Kind::kScalar), scalar_(std::move(scalar)) {}  // NOLINT
  Document(const char* scalar) : Document(std::string(scalar)) {}                     // NOLINT
  Document(bool value) : Document(std::string(value ? "true" : "false")) {}           // NOLINT
  Document(int value) : Document(std::to_string(value)) {}                            // NOLINT
  Document(std::int64_t value) : Document(std::to_string(value)) {}                   // NOLINT
  Document(double value);                                                             // NOLINT
  [[nodiscard]] static Document map();
  [[nodiscard]] static Document list();

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const std::string& scalar() const { return scalar_; }
  [[nodiscard]] const std::vector<std::pair<std::string, Document>>& entries() const {
    return entries_;
  }
  [[nodiscard]] const std::vector<Document>& items() const { return items_; }

  /// Of a map, which nothing becomes: the value of this key, which is added if it is not there.
  Document& operator[](std::string_view key);
  Document& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  /// Of a list. Throws std::out_of_range.
  Document& operator[](int index) { return items_.at(static_cast<std::size_t>(index)); }
  /// To a list, which nothing becomes.
  void push_back(Document item);

 private:
  Kind kind_ = Kind::kNull;
  std::string scalar_;
  std::vector<std::pair<std::string, Document>> entries_;
  std::vector<Document> items_;
};

// Results ------------------------------------------------------------------------------------

enum class ColumnType : std::uint8_t {
  kFlag,     ///< `flags`, 0 or 1
  kInteger,  ///< `integers`: counts, bytes, bits per second
  kTime,     ///< `integers`, in picoseconds
  kNumber,   ///< `numbers`: quotients, NaN where there is none
  kText,     ///< `codes` and `words`
};

/// A column of a table: how it is declared, and its values, one after the other, in the memory of
/// the results. They are there as long as these or a copy of them.
struct WEFT_API Column {
  std::string name;      ///< `jct_ps`
  std::string csv_name;  ///< in result files, where times are in seconds: `jct_s`
  std::string unit;      ///< `ps`, `s`, `bytes`, `bytes/s`, `bit/s`, ...; empty: none
  std::string meaning;
  ColumnType type = ColumnType::kInteger;
  bool may_be_missing = false;

  std::span<const std::uint8_t> flags{};
  std::span<const std::int64_t> integers{};
  std::span<const double> numbers{};
  std::span<const std::int32_t> codes{};  ///< indices into `words`; -1: there is none
  std::span<const std::string> words{};
  /// Of flags, integers and times: 1 where there is none. Empty: there is one everywhere.
  std::span<const std::uint8_t> missing{};

  [[nodiscard]] bool is_missing(std::size_t row) const;
  /// Of a text; empty where there is none.
  [[nodiscard]] std::string_view text(std::size_t row) const;
};

struct WEFT_API Table {
  std::string name;   ///< `jobs`
  std::string file;   ///< of a folder of results: `jobs.csv`; empty: no file has it
  std::string holds;  ///< what a row is, as in `a job`
  std::size_t rows = 0;
  std::vector<Column> columns{};

  /// Null: there is none of this name.
  [[nodiscard]] const Column* column(std::string_view name) const;
};

/// Every table that a run may have, without rows: names, columns, units, meanings.
[[nodiscard]] WEFT_API std::vector<Table> declared_tables();

/// What a run found. A copy is the same results, and they stay as they are: threads may share them.
class WEFT_API Results {
 public:
  [[nodiscard]] const std::string& scenario() const;
  [[nodiscard]] const std::string& engine() const;
  /// `finished`, `horizon` (`run.until` came first), `stuck`, `deadlocked`, `stalled` or
  /// `interrupted`.
  [[nodiscard]] const std::string& outcome() const;
  /// The run did what its scenario asks for: the first two.
  [[nodiscard]] bool is_success() const;
  /// Who waits for whom, if it did not finish.
  [[nodiscard]] const std::vector<std::string>& explanation() const;
  [[nodiscard]] const std::vector<std::string>& warnings() const;
  [[nodiscard]] std::uint64_t seed() const;
  [[nodiscard]] std::int64_t simulated_ps() const;
  [[nodiscard]] double wall_seconds() const;
  [[nodiscard]] std::uint32_t threads() const;
  [[nodiscard]] std::uint64_t packet_hops() const;
  /// SHA-256 over what the run found: equal for equal results, on every machine, for any number of
  /// threads. The one that `weft run` prints.
  [[nodiscard]] const std::string& digest() const;
  /// SHA-256 of the scenario with every default written out.
  [[nodiscard]] const std::string& scenario_digest() const;
  /// The scenario with every default, as YAML.
  [[nodiscard]] const std::string& resolved_yaml() const;
  /// As `weft run` prints it.
  [[nodiscard]] const std::string& summary() const;
  /// summary.json
  [[nodiscard]] const std::string& summary_json() const;

  [[nodiscard]] const std::vector<Table>& tables() const;
  /// Null: this run has no such table.
  [[nodiscard]] const Table* table(std::string_view name) const;

  /// Who is to blame for the time of each job, in words, at most `lines` of them. Errors: the
  /// scenario did not ask for it (`observe.blame`).
  [[nodiscard]] Result<std::string> explain(std::size_t lines = 10) const;

  /// The folder that was written during the run; empty: none.
  [[nodiscard]] const std::string& folder() const;
  /// Writes the files of `weft run` to a folder, which appears whole or not at all; but for traces
  /// and timelines, which only a run with RunOptions::folder has. Returns the folder.
  [[nodiscard]] Result<std::string> write(const std::string& folder) const;

  /// All of it, for another process of the same version of weft.
  [[nodiscard]] std::string to_bytes() const;
  [[nodiscard]] static Result<Results> from_bytes(std::string_view bytes);

 private:
  friend struct Access;
  struct WEFT_HIDDEN State;
  explicit Results(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// For each job, how much longer the second run took, by cause and culprit.
[[nodiscard]] WEFT_API Result<std::string> explain_difference(const Results& first,
                                                              const Results& second,
                                                              std::size_t lines = 10);
/// As Results::explain, of a folder that `weft run --blame` wrote.
[[nodiscard]] WEFT_API Result<std::string> explain_folder(const std::string& folder,
                                                          std::size_t lines = 10);

struct WEFT_API Comparison {
  std::string text;  ///< what `weft compare` prints
  std::string json;
  bool has_differences = false;
};
/// Folders of results side by side, two at least.
[[nodiscard]] WEFT_API Result<Comparison> compare_folders(const std::vector<std::string>& folders);

// Scenarios ----------------------------------------------------------------------------------

/// What a run tells while it runs, between windows, some hundred times a second.
struct WEFT_API Progress {
  std::int64_t now_ps = 0;       ///< simulated time
  std::uint64_t count = 0;       ///< packet-hops; of the fluid engine delivered messages
  std::optional<double> done{};  ///< share of the traffic, or of the time, where that is known
  std::uint64_t in_flight = 0;   ///< packets
  std::string stall{};           ///< who is blocked, while nothing is delivered
  std::string stage{};           ///< what is done before or after the simulation; empty: it runs
  bool is_last = false;
};

enum class Engine : std::uint8_t {
  kPacket,  ///< every packet
  kFluid,   ///< fair shares of rate
};

struct WEFT_API RunOptions {
  Engine engine = Engine::kPacket;
  std::uint32_t threads = 0;  ///< 0: as many as gain. The results are the same
  /// False stops the run: its results are what there is by then, and its outcome `interrupted`.
  std::function<bool(const Progress&)> progress{};
  std::stop_token stop{};  ///< the same from another thread
  /// Written while the run lasts, with traces and timelines; empty: nothing is written.
  std::string folder{};
  bool isolated = false;  ///< each job then runs alone, too: table `isolated`
  /// Table `messages`: a row for each. Absent: as `observe.messages` says, or up to a million.
  std::optional<bool> messages{};
  /// Bytes; a run that is predicted to need more is refused. Absent: what the machine has left.
  std::optional<std::int64_t> memory_limit{};
};

/// What is known of a valid scenario before it runs.
struct WEFT_API Check {
  std::string name;
  std::uint64_t hosts = 0;
  std::uint64_t switches = 0;
  std::uint64_t jobs = 0;
  std::uint64_t ranks = 0;
  std::uint64_t connections = 0;
  std::uint64_t logical_processes = 0;
  std::int64_t lookahead_ps = 0;
  // Predicted for a run by packets on one thread:
  double packet_hops = 0;
  double messages = 0;
  double seconds = 0;
  double memory_bytes = 0;
  /// What may go wrong although the scenario is valid.
  std::vector<std::string> warnings{};
  std::string text{};  ///< what `weft check` prints
};

struct WEFT_API Estimate {
  struct Job {
    std::string name;
    std::string type;
    std::uint64_t ranks = 0;
    std::uint64_t iterations = 1;
    std::optional<double> step_seconds{};        ///< of training jobs
    std::optional<double> collective_seconds{};  ///< of collectives: one of them
    std::optional<double> ideal_seconds{};       ///< of the whole job, where that was asked for
  };
  std::vector<Job> jobs{};
  std::string text{};  ///< what `weft estimate` prints
  std::string json{};  ///< the same numbers and more
};

struct WEFT_API EstimateOptions {
  bool run = true;     ///< also what a run by packets would take
  bool ideal = false;  ///< also every task and message in its order: a microsecond for each
};

/// A scenario, and what was changed in it. It is checked when it is used. One object is used by one
/// thread at a time; copies are independent.
class WEFT_API Scenario {
 public:
  /// Reads a file. Errors: it cannot be read, or is no YAML.
  [[nodiscard]] static Result<Scenario> from_file(const std::string& path);
  /// `filename` is what errors call the text, and where relative paths in it start.
  [[nodiscard]] static Result<Scenario> from_text(std::string_view text,
                                                  const std::string& filename = "scenario.yaml");
  [[nodiscard]] static Result<Scenario> from_document(const Document& document);

  /// Changes one key, as `--set` does: `fabric.ecn.kmin`, `400KB`. The value is YAML. Later changes
  /// of a key win.
  Scenario& set(const std::string& path, const std::string& value);
  /// The same as one text, `path=value`.
  Scenario& change(const std::string& path_and_value);
  [[nodiscard]] const std::vector<std::string>& changes() const;

  [[nodiscard]] Result<Check> check() const;
  [[nodiscard]] Result<Estimate> estimate(const EstimateOptions& options = {}) const;
  /// With every default written out, and the source of each.
  [[nodiscard]] Result<std::string> to_yaml() const;
  [[nodiscard]] Result<Results> run(const RunOptions& options = {}) const;

 private:
  struct WEFT_HIDDEN State;
  explicit Scenario(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
  std::vector<std::string> changes_;
};

/// The JSON Schema (draft 2020-12) of scenarios.
[[nodiscard]] WEFT_API Result<std::string> scenario_schema();

}  // namespace weft::api

/// What the program `weft-fluid` does; not for others.
extern "C" WEFT_API int weft_fluid_main();
