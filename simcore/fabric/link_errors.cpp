#include "simcore/fabric/link_errors.hpp"

#include <cmath>

namespace weft {
namespace {

struct CodeWord {
  std::uint32_t bits;
  std::uint32_t data_bytes;
};

constexpr std::uint32_t kQuarters = 4;

CodeWord code_word(LinkErrors::Unit unit) {
  switch (unit) {
    case LinkErrors::Unit::kRs544:
      return {5'440, 640};
    case LinkErrors::Unit::kRs528:
      return {5'280, 640};
    case LinkErrors::Unit::kRs272:
      return {2'720, 320};
    case LinkErrors::Unit::kFrames:
    case LinkErrors::Unit::kBits:
      break;
  }
  return {8, 1};  // every byte for itself
}

}  // namespace

FrameExposure::FrameExposure(const LinkErrors& errors) {
  const double log_right = std::log1p(-errors.rate);
  if (errors.unit == LinkErrors::Unit::kFrames) {
    per_frame = 1;
    log_survival = log_right;
    return;
  }
  const CodeWord word = code_word(errors.unit);
  per_byte = kQuarters * word.bits / word.data_bytes;
  per_frame = kQuarters * word.bits - per_byte;
  log_survival = log_right / kQuarters;
}

double frame_loss_probability(const LinkErrors& errors, Bytes wire) {
  if (!errors.any()) return 0;
  const FrameExposure exposure(errors);
  return -std::expm1(static_cast<double>(exposure.of(wire)) * exposure.log_survival);
}

}  // namespace weft
