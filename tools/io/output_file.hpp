#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft {

/// A file that somebody asked for by name. An ordinary file appears whole or not at all; behind a
/// link, the link stays and what it leads to is replaced. Into a device or a FIFO, and into
/// descriptors as /dev/stdout, it is written as it comes: nothing but ordinary files is ever
/// replaced, and of these none that was not written so: no YAML, and no file of another form
/// (markup, JSON, anything else).
class OutputFile {
 public:
  /// Empty or `-`: standard output.
  [[nodiscard]] static Result<OutputFile> open(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  [[nodiscard]] std::ostream& stream() { return *stream_; }
  /// All is written: puts the file in its place.
  [[nodiscard]] Errors commit();
  /// Several that belong together: all of them in their places, or none if one is refused.
  [[nodiscard]] static Errors commit_all(std::vector<OutputFile>& files);

 private:
  OutputFile(std::filesystem::path given, std::ostream& stream);
  OutputFile(std::filesystem::path given, std::unique_ptr<std::ofstream> own);

  [[nodiscard]] static Result<OutputFile> beside(const std::filesystem::path& given,
                                                 const std::filesystem::path& target);
  /// Writes what is left, and says why it may not take its place.
  [[nodiscard]] Errors finish();
  [[nodiscard]] Errors take_place();
  [[nodiscard]] Error failure(const std::string& reason) const;

  std::filesystem::path given_;    ///< as the user named it
  std::filesystem::path target_;   ///< the ordinary file
  std::filesystem::path partial_;  ///< written until it takes the place of `target_`; or empty
  std::unique_ptr<std::ofstream> own_;
  std::ostream* stream_;
};

/// `-`, as commands of Unix call standard output and input.
[[nodiscard]] bool is_dash(const std::filesystem::path& path);

/// A whole file at once.
[[nodiscard]] Errors write_output(const std::filesystem::path& path, std::string_view text);

}  // namespace weft
