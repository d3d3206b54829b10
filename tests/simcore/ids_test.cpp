#include "simcore/base/ids.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft {
namespace {

TEST(Id, KindsDoNotMix) {
  static_assert(!std::is_convertible_v<NodeId, PortId>);
  static_assert(!std::is_constructible_v<NodeId, HostId>);
  static_assert(!std::is_assignable_v<HostId&, SwitchId>);
  static_assert(!std::is_convertible_v<std::uint32_t, NodeId>);
  static_assert(sizeof(NodeId) == 4);
}

TEST(Id, NoneIsTheDefaultAndNoEntity) {
  EXPECT_TRUE(PortId().is_none());
  EXPECT_EQ(PortId(), PortId::none());
  EXPECT_FALSE(PortId(0U).is_none());
  EXPECT_NE(PortId(0U), PortId::none());
}

TEST(Id, OrderIsThatOfTheNumbers) {
  EXPECT_LT(PortId(1U), PortId(2U));
  EXPECT_LT(PortId(2U), PortId::none());
  EXPECT_EQ(PortId(7U).value(), 7U);
  EXPECT_EQ(PortId(std::size_t{7}), PortId(7U));
}

}  // namespace
}  // namespace weft
