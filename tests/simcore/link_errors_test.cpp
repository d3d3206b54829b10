#include "simcore/fabric/link_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft {
namespace {

using ErrorUnit = LinkErrors::Unit;

// Without FEC a frame of b bytes is lost unless all of its 8 b bits are right.
TEST(LinkErrors, WithoutFecEveryBitOfTheFrameHasToBeRight) {
  for (const double rate : {1e-15, 1e-12, 1e-9, 1e-6}) {
    const double expected = -std::expm1(8 * 4'178 * std::log1p(-rate));
    EXPECT_NEAR(frame_loss_probability({rate, ErrorUnit::kBits}, 4'178_B), expected,
                1e-12 * expected);
  }
}

// Written out: RS(544,514) has 544 x 10 = 5,440 bits for 514 x 10 = 5,140, which are 20 blocks of
// 257 bits for 256: 640 B. A frame of 4,178 B that begins anywhere in one has a part in 1 + 4,177 /
// 640 = 7.527 of them on average: 40,944.5 bits have to be right, 1.225 times its own. A frame of 1
// B is in one code word. RS(528,514) has 5,280 bits for the same data; RS(272,258) 2,720 for 320 B.
TEST(LinkErrors, WithFecEveryBitOfItsCodeWordsHasToBeRight) {
  const double rate = 1e-12;
  const auto bits = [&](ErrorUnit unit, Bytes wire) {
    return frame_loss_probability({rate, unit}, wire) / rate;
  };
  EXPECT_NEAR(bits(ErrorUnit::kRs544, 4'178_B), 40'944.5, 1e-3);
  EXPECT_NEAR(bits(ErrorUnit::kRs544, 1_B), 5'440, 1e-3);
  EXPECT_NEAR(bits(ErrorUnit::kRs544, 86_B), 5'440 * (1 + 85 / 640.0), 1e-3);
  EXPECT_NEAR(bits(ErrorUnit::kRs528, 4'178_B), 5'280 * (1 + 4'177 / 640.0), 1e-3);
  EXPECT_NEAR(bits(ErrorUnit::kRs272, 4'178_B), 2'720 * (1 + 4'177 / 320.0), 1e-3);
}

TEST(LinkErrors, AFrameLossRateHoldsForEverySize) {
  for (const double rate : {1e-6, 1e-2, 0.5, 1.0}) {
    for (const Bytes wire : {64_B, 4'178_B, 65'535_B}) {
      EXPECT_NEAR(frame_loss_probability({rate, ErrorUnit::kFrames}, wire), rate, 1e-12);
    }
  }
  EXPECT_EQ(frame_loss_probability({}, 4'178_B), 0);
}

}  // namespace
}  // namespace weft
