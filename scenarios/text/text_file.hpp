#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"

/// Reading files that somebody else may have made. Whatever they are, reading ends and takes no
/// more memory than is said here: devices and FIFOs are refused, long files and lines are errors.
namespace weft::scenarios {

/// A line of a table has a few hundred bytes.
inline constexpr std::size_t kMaxTextLineBytes = std::size_t{1} << 20U;
/// summary.json grows with jobs, storms and collectives; those of the largest runs have a few MiB.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{256} << 20U;

/// All of a regular file, at most `limit` bytes. The error points at the file.
[[nodiscard]] Result<std::string> read_whole(const std::filesystem::path& file, std::size_t limit);

/// All of standard input, at most `limit` bytes: no more than that is read. Read once, so that what
/// a command looks at twice may come from a pipe.
[[nodiscard]] Result<std::string> read_standard_input(std::size_t limit);

/// A JSON text from a file. The error says where it is no JSON, not what a library calls that.
[[nodiscard]] Result<nlohmann::ordered_json> read_json(const std::filesystem::path& file);

/// A text file line by line, packed (`.zst`) or not.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& file);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// False at the end, and where the file cannot be read on: then there is a problem.
  [[nodiscard]] bool next();
  /// Without its end; until the next one.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Of the line, from 1.
  [[nodiscard]] int number() const { return number_; }
  /// Why there is no next line; empty: the file is over.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string problem_;  ///< outlives the stream, which writes to it
  std::unique_ptr<std::istream> in_;
  std::vector<char> buffer_;
  std::string_view line_;
  int number_ = 0;
};

}  // namespace weft::scenarios
