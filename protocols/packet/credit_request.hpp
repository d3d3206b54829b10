#pragma once

#include <cstdint>

namespace weft::protocols {

/// What a sender's packet tells the receiver where that grants credit.
struct CreditRequest {
  std::uint32_t total = 0;  ///< bytes that it wants to have been granted in all; they wrap
  bool repeats = false;     ///< it may have missed what was granted last
};

}  // namespace weft::protocols
