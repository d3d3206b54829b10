#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "collectives/spec/rank_layout.hpp"
#include "collectives/steps/program.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

using Problems = std::vector<schema::Problem>;

/// The most that one message may have.
inline constexpr Bytes kMaxMessage = Bytes(1'000'000'000'000);

/// Upper bounds of what a job sends, as doubles: they only have to be right to a few percent.
struct SendBound {
  double messages = 0;             ///< of the whole job
  double at_once = 0;              ///< of these: of an iteration, or all that are listed
  double connection_messages = 0;  ///< of its busiest connection, as are the bytes
  double connection_bytes = 0;
};

/// What such a bound depends on besides the specification.
struct BoundSetting {
  std::uint32_t ranks = 0;
  BitsPerSecond fastest_access;   ///< of any rank
  std::uint32_t domain_size = 1;  ///< of all scale-up domains
};

/// How many ranks a specification needs.
struct RankDemand {
  std::size_t ranks = 0;
  const char* key = "";  ///< that says so
  std::string reason;    ///< such as "is 8, which with the receiver makes 9 ranks"
};

/// Files that a specification names, while the scenario is read. Keys are those of the job.
class JobFiles {
 public:
  struct File {
    std::string path;  ///< absolute
    std::string text;
    std::string sha256;  ///< of the text
  };
  virtual ~JobFiles() = default;
  /// The file that `key` names, relative to the scenario's folder; nothing if it cannot be read,
  /// which is then said.
  [[nodiscard]] virtual std::optional<File> read(const std::string& key,
                                                 const std::string& path) = 0;
  /// The scenario has this key.
  [[nodiscard]] virtual bool is_given(const std::string& key) const = 0;
  virtual void fail(const std::string& key, std::string message) = 0;
  /// Errors that say themselves where they are.
  virtual void fail(Errors errors) = 0;
  /// The value of `key` comes from `source`, as the resolved scenario will say.
  virtual void note(const std::string& key, const std::string& source) = 0;
  [[nodiscard]] virtual const std::string& traffic_class() const = 0;  ///< of the job
  /// The rank of the job on the host of that name; a sentence if there is none.
  [[nodiscard]] virtual std::variant<std::uint32_t, std::string> rank_on(
      const std::string& host) = 0;
};

/// Adds a problem of `key` unless `rank` is one of the `ranks` ranks of the job.
inline void check_rank(std::uint32_t rank, std::uint64_t ranks, const std::string& key,
                       Problems& problems) {
  if (rank < ranks) return;
  problems.push_back({key, "is " + std::to_string(rank) + "; the job has ranks 0 to " +
                               std::to_string(ranks - 1)});
}

/// A type of job, in a folder of its own: what it is asked for as long as it is a specification,
/// and the program that runs. `list.hpp` has all of them; everything else follows from it.
///
/// - `schema()`: keys, limits, defaults and their sources, of a specification; `schema_of(spec)`,
///   where they depend on it. Whoever fills one without the scenario language is held to the same
///   limits.
/// - `type_name`: the `type` key of such a job.
/// - `max_connections` and `bound`: upper bounds, so that nothing is built that cannot be held.
/// - `kIsOpenLoop`: whether messages are sent whatever becomes of earlier ones, at rates that are
///   fractions of the access links'. The job then ends with the time and has no ideal time.
/// - `needs_access_rates(spec)`, if others, too, may have a load.
/// - `size_classes(spec)`, if messages differ in size by chance or by a list: classes by which
///   results tell slowdowns.
/// - It is a JobProgram that is made from a ProgramSetting, the specification, and a RankLayout if
///   it cares for one; or has `make` of these three, whose errors name keys of the job.
/// - `kHasIterations`, where it has some: they end with deliveries, and sends need not be over.
/// - `check(spec, ranks, problems)`, if there is more that can be wrong once the number of ranks is
///   known; `rank_demand(spec)`, if the specification says how many there are; and
///   `read_files(spec, files)`, if it names files, which takes in what they hold.
template <class J>
concept JobType = requires(const typename J::Spec& spec, std::uint32_t ranks,
                           const BoundSetting& setting) {
  { J::type_name(spec) } -> std::same_as<const char*>;
  { J::max_connections(spec, ranks) } -> std::same_as<std::uint64_t>;
  { J::bound(spec, setting) } -> std::same_as<SendBound>;
  { J::kIsOpenLoop } -> std::convertible_to<bool>;
}
&&(std::derived_from<J, JobProgram> ||
   requires(const ProgramSetting& setting, const typename J::Spec& spec, const RankLayout& layout) {
     { J::make(setting, spec, layout) } -> std::same_as<Result<std::unique_ptr<const JobProgram>>>;
   });

}  // namespace weft::collectives
