#include "scenarios/text/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "scenarios/text/zstd_stream.hpp"

namespace weft::scenarios {
namespace {

/// Deeper texts are nobody's results; who walks through one needs a frame of the stack per level.
constexpr int kMaxFileDepth = 64;

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string too_long(std::size_t limit) {
  return "at most " + std::to_string(limit >> 20U) + " MiB are read";
}

/// Reads on until the end or until `text` is longer than `limit`. What went wrong, or nothing.
std::string append_from(int descriptor, std::size_t limit, std::string& text) {
  std::array<char, 65'536> buffer{};
  while (text.size() <= limit) {
    const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::strerror(errno);
    if (n == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return {};
}

/// What keeps this kind of file from being read.
std::string why_not_read(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return "is a directory; a file is expected";
  return S_ISREG(status.st_mode) ? "" : "is not a regular file";
}

/// The byte at which brackets are nested too deep; strings count for nothing.
std::optional<std::size_t> find_too_deep(std::string_view json) {
  int depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      is_string = !is_string;
    } else if (!is_string && (c == '[' || c == '{')) {
      if (++depth > kMaxFileDepth) return i;
    } else if (!is_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return std::nullopt;
}

SourceLocation place_in_text(const std::string& file, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::ranges::count(before, '\n');
  const std::size_t begin = line == 0 ? 0 : before.rfind('\n') + 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(before.size() - begin) + 1, {}};
}

}  // namespace

Result<std::string> read_whole(const std::filesystem::path& file, std::size_t limit) {
  const SourceLocation where{file.string(), 0, 0, {}};
  // Opening a FIFO would wait for who writes to it.
  const OpenFile in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (in.number() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Error{"there is no such file", where};
    return Error{std::string("cannot be opened for reading: ") + std::strerror(errno), where};
  }
  struct stat status {};
  if (::fstat(in.number(), &status) != 0) return Error{"cannot be read", where};
  if (std::string why = why_not_read(status); !why.empty()) return Error{std::move(why), where};
  if (static_cast<std::uint64_t>(status.st_size) > limit) {
    return Error{"has " + std::to_string(status.st_size) + " bytes; " + too_long(limit), where};
  }
  std::string text;
  if (const std::string why = append_from(in.number(), limit, text); !why.empty()) {
    return Error{"cannot be read: " + why, where};
  }
  if (text.size() > limit) return Error{"is longer than it says; " + too_long(limit), where};
  return text;
}

Result<std::string> read_standard_input(std::size_t limit) {
  static std::string text;
  const SourceLocation where{"standard input", 0, 0, {}};
  if (const std::string why = append_from(STDIN_FILENO, limit, text); !why.empty()) {
    return Error{"cannot be read: " + why, where};
  }
  if (text.empty()) return Error{"is empty", where};
  if (text.size() > limit) {
    return Error{"is longer than " + std::to_string(limit >> 20U) + " MiB, and no more is read",
                 where};
  }
  return text;
}

Result<nlohmann::ordered_json> read_json(const std::filesystem::path& file) {
  const auto text = read_whole(file, kMaxJsonBytes);
  if (!text.ok()) return text.errors();
  if (const auto byte = find_too_deep(text.value())) {
    return Error{"is nested more than " + std::to_string(kMaxFileDepth) + " levels deep",
                 place_in_text(file.string(), text.value(), *byte)};
  }
  try {
    return nlohmann::ordered_json::parse(text.value());
  } catch (const nlohmann::ordered_json::parse_error& e) {
    return Error{"is no JSON from here on",
                 place_in_text(file.string(), text.value(), e.byte > 0 ? e.byte - 1 : 0)};
  }
}

LineReader::LineReader(const std::filesystem::path& file)
    : in_(open_text(file, &problem_)), buffer_(kMaxTextLineBytes + 1) {
  if (problem_.empty() && !in_->good()) problem_ = "cannot be read";
}

bool LineReader::next() {
  line_ = {};
  if (!problem_.empty()) return false;
  in_->getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const auto taken = static_cast<std::size_t>(in_->gcount());
  if (in_->bad()) {
    if (problem_.empty()) problem_ = "cannot be read";
    return false;
  }
  if (taken == 0) return false;
  ++number_;
  if (in_->fail()) {
    problem_ = "has a line of more than " + std::to_string(kMaxTextLineBytes >> 20U) + " MiB";
    return false;
  }
  // At the end of the file a line may lack its end, which is counted where there is one.
  line_ = std::string_view(buffer_.data(), in_->eof() ? taken : taken - 1);
  return true;
}

}  // namespace weft::scenarios
