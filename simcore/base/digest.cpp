#include "simcore/base/digest.hpp"

#include <openssl/evp.h>

#include <stdexcept>

namespace weft {
namespace {

using ContextPointer = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

/// SHA-256 has no input it could reject: a failure means libcrypto is broken or out of memory.
void require(bool done) {
  if (done) return;
  throw std::runtime_error("libcrypto cannot compute SHA-256");
}

ContextPointer make_context() {
  ContextPointer context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  require(context != nullptr);
  return context;
}

}  // namespace

struct Digest::Context {
  ContextPointer hash = make_context();
};

Digest::Digest() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->hash.get(), EVP_sha256(), nullptr) == 1);
}
Digest::~Digest() = default;
Digest::Digest(Digest&& other) noexcept = default;
Digest& Digest::operator=(Digest&& other) noexcept = default;

void Digest::add_text(std::string_view text) {
  add(text.size());
  add_bytes(text);
}

void Digest::add_bytes(std::string_view bytes) {
  flush();
  require(EVP_DigestUpdate(context_->hash.get(), bytes.data(), bytes.size()) == 1);
}

void Digest::add_word(std::uint64_t word) {
  if (buffered_ == buffer_.size()) flush();
  for (unsigned byte = 0; byte < 8; ++byte) {
    buffer_[buffered_++] = static_cast<char>(static_cast<unsigned char>(word >> (8 * byte)));
  }
}

void Digest::flush() {
  require(EVP_DigestUpdate(context_->hash.get(), buffer_.data(), buffered_) == 1);
  buffered_ = 0;
}

std::string Digest::hex() const {
  const ContextPointer copy = make_context();
  require(EVP_MD_CTX_copy_ex(copy.get(), context_->hash.get()) == 1);
  require(EVP_DigestUpdate(copy.get(), buffer_.data(), buffered_) == 1);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  require(EVP_DigestFinal_ex(copy.get(), bytes.data(), &length) == 1);

  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * length);
  for (unsigned i = 0; i < length; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 0xfU];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.add_bytes(bytes);
  return digest.hex();
}

}  // namespace weft
