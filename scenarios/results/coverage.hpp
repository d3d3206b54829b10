#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::scenarios {

struct Results;
struct JobResult;
struct SizeRow;
struct TrainingRow;

/// What percentiles are of, where a run was cut off: by its horizon, by a limit, by the user, or
/// because it came to a standstill. Those that were over by then are the fast ones.
struct Coverage {
  enum class Of : std::uint8_t { kMessages, kIterations };

  std::uint64_t completed = 0;
  std::uint64_t count = 0;  ///< posted, or asked for; 0: not known
  bool is_cut = false;      ///< there might have been more
  Of of = Of::kMessages;

  /// The percentiles are not those of all that there was to do.
  [[nodiscard]] bool is_partial() const { return is_cut || completed < count; }
  /// `of 7 of 32 messages`: the words for it, everywhere.
  [[nodiscard]] std::string text() const;
  Coverage& operator+=(const Coverage& other);
};

/// Of the messages, or steps, of a run.
[[nodiscard]] Coverage coverage_of(const Results& results);
[[nodiscard]] Coverage coverage_of(const JobResult& job);
[[nodiscard]] Coverage coverage_of(const SizeRow& row);
[[nodiscard]] Coverage coverage_of(const TrainingRow& row);

/// The words for it where that is so; nothing where percentiles are of everything.
[[nodiscard]] std::optional<std::string> cut_off_text(const std::optional<Coverage>& coverage);
/// A name of a row, and those words behind it: `packet latency, of 7 of 32 messages`.
[[nodiscard]] std::string with_coverage(std::string name, const std::optional<Coverage>& coverage);

/// The key, or column, that has these words beside percentiles.
inline constexpr const char* kCutOff = "cut_off";

/// A number of summary.json by its path, such as `jobs.NAME.messages`, lists by the names of their
/// rows; nothing: there is none.
using NumberAt = std::function<std::optional<double>(const std::string& path)>;

/// What the number at `path` is of, if it is a percentile or the time of the last event, by other
/// numbers of the same summary.json: also by those that weft wrote before it said so itself.
[[nodiscard]] std::optional<Coverage> coverage_at(std::string_view path, std::string_view outcome,
                                                  const NumberAt& number_at);

}  // namespace weft::scenarios
