#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::bench {

/// Repeated measurements of one thing.
struct Sample {
  std::vector<double> values;

  [[nodiscard]] double median() const;
  [[nodiscard]] double min() const;
  [[nodiscard]] double max() const;
};

/// The rows of a file of Google Benchmark's, by name; per row the times (ns) and the counters of
/// all repetitions.
struct Rows {
  std::string date;
  std::string machine;
  std::string load;
  std::map<std::string, std::map<std::string, Sample>> samples;

  /// Nothing if the row or the value is not there.
  [[nodiscard]] const Sample* find(const std::string& row, const std::string& value) const;
  /// Median of the first calibration row in ns; 0 if it was not measured.
  [[nodiscard]] double calibration() const;
};

inline constexpr const char* kCalibration = "Calibration/PriorityQueuePopPush";
inline constexpr const char* kTime = "time_ns";

/// Reads the file; says on stderr what is wrong with it.
[[nodiscard]] std::optional<Rows> read_rows(const std::string& path);

/// What a row is judged by: nanoseconds per packet-hop, the scaling relative to copies, or its
/// time.
[[nodiscard]] std::string main_value(const Rows& rows, const std::string& row);

}  // namespace weft::bench
