#include "scenarios/text/zstd_stream.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <streambuf>
#include <system_error>
#include <vector>

#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// Rows of tables pack to a fifth at this level, twenty times as fast as they are formatted.
constexpr int kLevel = 3;

std::filesystem::path packed_name(const std::filesystem::path& file) {
  return file.string() + kPacked;
}

/// A packed text may be so long whatever its file is.
constexpr std::uint64_t kMaxAnyway = std::uint64_t{64} << 20U;
/// And this many times its file: rows of tables, whose times differ, pack to a thirtieth at
/// best; a text that was made to exhaust whoever reads it to a ten-thousandth.
constexpr std::uint64_t kMaxGrowth = 200;

/// Unpacks what it reads from a file. Where that cannot continue, says why and throws.
class ZstdBuffer : public std::streambuf {
 public:
  ZstdBuffer(const std::filesystem::path& file, std::string* problem)
      : in_(file, std::ios::binary),
        problem_(problem),
        context_(ZSTD_createDCtx(), ZSTD_freeDCtx),
        packed_(ZSTD_DStreamInSize()),
        text_(ZSTD_DStreamOutSize()) {}

  [[nodiscard]] bool is_open() const { return in_.is_open(); }

 protected:
  int_type underflow() override {
    while (true) {
      if (input_.pos == input_.size && !refill()) {
        // Within a frame there is more to come.
        if (is_within_frame_) fail("is damaged: it cannot be unpacked");
        return traits_type::eof();
      }
      ZSTD_outBuffer output{text_.data(), text_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input_);
      if (ZSTD_isError(left) != 0) fail("is damaged: it cannot be unpacked");
      is_within_frame_ = left != 0;
      if (output.pos == 0) continue;
      unpacked_ += output.pos;
      if (unpacked_ > std::max(kMaxAnyway, kMaxGrowth * read_)) fail(too_much());
      setg(text_.data(), text_.data(), text_.data() + output.pos);
      return traits_type::to_int_type(*gptr());
    }
  }

 private:
  bool refill() {
    in_.read(packed_.data(), static_cast<std::streamsize>(packed_.size()));
    if (in_.bad()) fail("cannot be read");
    input_ = {packed_.data(), static_cast<std::size_t>(in_.gcount()), 0};
    read_ += input_.size;
    return input_.size > 0;
  }

  [[noreturn]] void fail(const std::string& why) {
    if (problem_ != nullptr) *problem_ = why;
    throw std::ios_base::failure(why);
  }

  /// In whole MiB and times, as limits are.
  static std::string too_much() {
    return "unpacks to more than " + std::to_string(kMaxAnyway >> 20U) + " MiB and more than " +
           std::to_string(kMaxGrowth) + " times its own size, which no table of weft does";
  }

  std::ifstream in_;
  std::string* problem_;
  std::uint64_t read_ = 0;
  std::uint64_t unpacked_ = 0;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::vector<char> packed_;
  std::vector<char> text_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool is_within_frame_ = false;
};

class ZstdIstream : public std::istream {
 public:
  ZstdIstream(const std::filesystem::path& file, std::string* problem)
      : std::istream(nullptr), buffer_(file, problem) {
    rdbuf(&buffer_);
    if (!buffer_.is_open()) setstate(std::ios::failbit);
  }

 private:
  ZstdBuffer buffer_;
};

}  // namespace

struct ZstdEncoder::State {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::vector<char> out = std::vector<char>(ZSTD_CStreamOutSize());
};

ZstdEncoder::ZstdEncoder() : state_(std::make_unique<State>()) {
  ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(state_->context.get(), ZSTD_c_checksumFlag, 1);
}

ZstdEncoder::~ZstdEncoder() = default;

void ZstdEncoder::add(std::string_view bytes, bool is_last, std::string& packed) {
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  while (true) {
    ZSTD_outBuffer output{state_->out.data(), state_->out.size(), 0};
    const std::size_t left = ZSTD_compressStream2(state_->context.get(), &output, &input,
                                                  is_last ? ZSTD_e_end : ZSTD_e_continue);
    WEFT_CHECK(ZSTD_isError(left) == 0, "zstd packs whatever it is given");
    packed.append(state_->out.data(), output.pos);
    if (is_last ? left == 0 : input.pos == input.size) return;
  }
}

std::unique_ptr<std::istream> open_text(const std::filesystem::path& file, std::string* problem) {
  std::error_code ignored;
  const bool is_packed = !std::filesystem::exists(file, ignored) &&
                         std::filesystem::exists(packed_name(file), ignored);
  const std::filesystem::path actual = is_packed ? packed_name(file) : file;
  const auto status = std::filesystem::status(actual, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    if (problem != nullptr) *problem = "is not a regular file";
    auto nothing = std::make_unique<std::ifstream>();
    nothing->setstate(std::ios::badbit);
    return nothing;
  }
  if (is_packed) return std::make_unique<ZstdIstream>(actual, problem);
  return std::make_unique<std::ifstream>(actual, std::ios::binary);
}

bool has_text(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ||
         std::filesystem::exists(packed_name(file), ignored);
}

}  // namespace weft::scenarios
