#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

/// Large files of results, as zstd(1) packs them (RFC 8878).
namespace weft::scenarios {

/// What ends the name of a packed file.
inline constexpr const char* kPacked = ".zst";

/// Packs a text that comes in pieces.
class ZstdEncoder {
 public:
  ZstdEncoder();
  ~ZstdEncoder();
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  /// Adds what is to be written now for these bytes, and with `is_last` for all that is left.
  void add(std::string_view bytes, bool is_last, std::string& packed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The file, or where there is none the packed one beside it, whose name ends in `.zst`; unpacked
/// as it is read. The stream is bad, and `problem` says why, where a packed file is damaged or
/// unpacks to far more than tables do, and for what is no regular file: a device has no end.
[[nodiscard]] std::unique_ptr<std::istream> open_text(const std::filesystem::path& file,
                                                      std::string* problem = nullptr);

/// Whether there is such a file, packed or not.
[[nodiscard]] bool has_text(const std::filesystem::path& file);

}  // namespace weft::scenarios
