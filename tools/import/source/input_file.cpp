#include "tools/import/source/input_file.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "simcore/text/csv_row.hpp"

namespace weft::import {
namespace {

/// The end of a terminal's control sequence (ECMA-48, 5.4) that begins at `at`; `at` if none does.
std::size_t end_of_colour_code(std::string_view raw, std::size_t at) {
  if (raw.substr(at, 2) != "\x1b[") return at;
  std::size_t end = at + 2;
  while (end < raw.size() && raw[end] >= 0x20 && raw[end] < 0x40) ++end;
  if (end < raw.size() && raw[end] >= 0x40 && raw[end] <= 0x7e) return end + 1;
  return at;
}

std::vector<char> cleaned(std::string_view raw) {
  std::vector<char> bytes;
  bytes.reserve(raw.size());
  const auto trim_line = [&bytes] {
    while (!bytes.empty() &&
           (bytes.back() == ' ' || bytes.back() == '\t' || bytes.back() == '\r')) {
      bytes.pop_back();
    }
  };
  for (std::size_t at = 0; at < raw.size();) {
    if (const std::size_t end = end_of_colour_code(raw, at); end != at) {
      at = end;
      continue;
    }
    if (raw[at] == '\n') trim_line();
    bytes.push_back(raw[at++]);
  }
  trim_line();
  return bytes;
}

enum class Utf16 : unsigned char { kNone, kLittleEndian, kBigEndian };

/// As spreadsheets and PowerShell write it: by its byte-order mark.
Utf16 utf16_of(std::string_view raw) {
  if (raw.starts_with("\xff\xfe")) return Utf16::kLittleEndian;
  if (raw.starts_with("\xfe\xff")) return Utf16::kBigEndian;
  return Utf16::kNone;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0U | code >> 6U);
  } else if (code < 0x10000) {
    add(0xe0U | code >> 12U);
    add(0x80U | (code >> 6U & 0x3fU));
  } else {
    add(0xf0U | code >> 18U);
    add(0x80U | (code >> 12U & 0x3fU));
    add(0x80U | (code >> 6U & 0x3fU));
  }
  add(0x80U | (code & 0x3fU));
}

/// UTF-16 with a byte-order mark as UTF-8 (RFC 2781, 2.2); nothing: it ends within a character, or
/// holds half of one.
std::optional<std::string> utf8_of(std::string_view raw, Utf16 order) {
  if (raw.size() % 2 != 0) return std::nullopt;
  const auto unit_at = [raw, order](std::size_t at) {
    const std::uint32_t first = static_cast<unsigned char>(raw[at]);
    const std::uint32_t second = static_cast<unsigned char>(raw[at + 1]);
    return order == Utf16::kBigEndian ? first << 8U | second : second << 8U | first;
  };
  std::string text;
  text.reserve(raw.size() / 2);
  for (std::size_t at = 2; at < raw.size(); at += 2) {
    std::uint32_t code = unit_at(at);
    if (code >= 0xdc00 && code < 0xe000) return std::nullopt;
    if (code >= 0xd800 && code < 0xdc00) {
      at += 2;
      const std::uint32_t low = at < raw.size() ? unit_at(at) : 0;
      if (low < 0xdc00 || low >= 0xe000) return std::nullopt;
      code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
    }
    append_utf8(text, code);
  }
  return text;
}

/// Of every other byte three in four are 0, as in UTF-16 of western letters.
bool is_like_utf16(std::string_view raw) {
  const std::string_view begin = raw.substr(0, 64);
  for (const std::size_t first : {0U, 1U}) {
    std::size_t zeros = 0;
    for (std::size_t at = first; at < begin.size(); at += 2) zeros += begin[at] == 0 ? 1 : 0;
    if (zeros >= 4 && zeros * 8 >= begin.size() * 3) return true;
  }
  return false;
}

/// What kind of file it is that holds no text; empty: it does.
std::string_view binary_kind(std::string_view raw) {
  if (raw.starts_with("\x1f\x8b")) return "compressed with gzip: unpack it first";
  if (raw.starts_with("\x28\xb5\x2f\xfd")) return "compressed with zstd: unpack it first";
  if (raw.starts_with("PK\x03\x04")) return "a zip archive: unpack it first";
  if (raw.size() > 1 && raw[0] == '\x80' && raw[1] >= 1 && raw[1] <= 5) {
    return "a Python pickle, which is never opened, since it may run code: write JSON "
           "instead (json.dump of what it holds; of PyTorch's flight recorder "
           "torch._C._distributed_c10d._dump_nccl_trace_json())";
  }
  if (is_like_utf16(raw)) {
    return "UTF-16 without a byte-order mark: save it as UTF-8, or `iconv -f UTF-16LE -t UTF-8`";
  }
  if (raw.find('\0') != std::string_view::npos) return "binary: no text";
  return {};
}

}  // namespace

InputFile::InputFile(std::string name, std::string_view raw)
    : name_(std::move(name)), bytes_(cleaned(without_byte_order_mark(raw))) {
  text_ = {bytes_.data(), bytes_.size()};
  for (std::size_t begin = 0; begin < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    lines_.push_back(text_.substr(begin, end - begin));
    begin = end + 1;
  }
}

Result<InputFile> InputFile::read(const std::filesystem::path& path) {
  const auto refuse = [&path](std::string why) {
    return Error{.message = std::move(why), .where = {.file = path.string()}};
  };
  std::error_code problem;
  const std::filesystem::file_status status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) return refuse("there is no such file");
  if (std::filesystem::is_directory(status)) return refuse("is a folder; name its files");
  if (!std::filesystem::is_regular_file(status)) return refuse("is no regular file");
  if (std::filesystem::file_size(path, problem) > kMaxInputBytes) {
    return refuse("has more than 256 MiB, which no file of this kind needs");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) return refuse("cannot be read");
  std::string raw{std::istreambuf_iterator<char>(in), {}};
  if (const Utf16 order = utf16_of(raw); order != Utf16::kNone) {
    std::optional<std::string> text = utf8_of(raw, order);
    if (!text) return refuse("is UTF-16 that was cut within a character: save it as UTF-8");
    raw = std::move(*text);
  }
  if (const std::string_view kind = binary_kind(raw); !kind.empty()) {
    return refuse("is " + std::string(kind));
  }
  return InputFile(path.string(), raw);
}

bool InputFile::ends_inside_line() const { return !text_.empty() && text_.back() != '\n'; }

SourceLocation InputFile::line(std::size_t number) const {
  return {.file = name_, .line = static_cast<int>(number)};
}

SourceLocation InputFile::at(std::size_t offset) const {
  const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
  const auto number = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column =
      start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return {.file = name_, .line = static_cast<int>(number), .column = static_cast<int>(column) + 1};
}

SourceLocation InputFile::key(std::string path) const {
  return {.file = name_, .key = std::move(path)};
}

}  // namespace weft::import
