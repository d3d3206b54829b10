#include "scenarios/text/zstd_stream.hpp"

#include <zstd.h>

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

/// Unpacks what it reads from a file.
class ZstdBuffer : public std::streambuf {
 public:
  explicit ZstdBuffer(const std::filesystem::path& file)
      : in_(file, std::ios::binary),
        context_(ZSTD_createDCtx(), ZSTD_freeDCtx),
        packed_(ZSTD_DStreamInSize()),
        text_(ZSTD_DStreamOutSize()) {}

  [[nodiscard]] bool is_open() const { return in_.is_open(); }

 protected:
  int_type underflow() override {
    while (true) {
      if (input_.pos == input_.size && !refill()) {
        // Within a frame there is more to come.
        if (is_within_frame_) throw std::ios_base::failure("a packed file ends too early");
        return traits_type::eof();
      }
      ZSTD_outBuffer output{text_.data(), text_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &input_);
      if (ZSTD_isError(left) != 0) throw std::ios_base::failure(ZSTD_getErrorName(left));
      is_within_frame_ = left != 0;
      if (output.pos == 0) continue;
      setg(text_.data(), text_.data(), text_.data() + output.pos);
      return traits_type::to_int_type(*gptr());
    }
  }

 private:
  bool refill() {
    in_.read(packed_.data(), static_cast<std::streamsize>(packed_.size()));
    input_ = {packed_.data(), static_cast<std::size_t>(in_.gcount()), 0};
    return input_.size > 0;
  }

  std::ifstream in_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::vector<char> packed_;
  std::vector<char> text_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool is_within_frame_ = false;
};

class ZstdIstream : public std::istream {
 public:
  explicit ZstdIstream(const std::filesystem::path& file) : std::istream(nullptr), buffer_(file) {
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

std::unique_ptr<std::istream> open_text(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) &&
      std::filesystem::exists(packed_name(file), ignored)) {
    return std::make_unique<ZstdIstream>(packed_name(file));
  }
  return std::make_unique<std::ifstream>(file, std::ios::binary);
}

bool has_text(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored) ||
         std::filesystem::exists(packed_name(file), ignored);
}

}  // namespace weft::scenarios
