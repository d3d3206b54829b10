#include "protocols/switch/shared_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/draws.hpp"

// A switch of four ports and two classes that packets enter and leave at random. After every step
// the accounts must be what the packets that are there add up to.
namespace weft::protocols {
namespace {

constexpr std::size_t kBufferPorts = 4;
constexpr std::size_t kBufferClasses = 2;

struct Held {
  std::size_t in;
  std::size_t out;
  std::size_t c;
  std::int64_t cells;
};

TrafficClass lossless(PfcConfig pfc) {
  TrafficClass config;
  config.flow_control = pfc;
  return config;
}

TrafficClass lossy() {
  TrafficClass config;
  config.flow_control = NoFlowControl{};
  return config;
}

class Buffer {
 public:
  Buffer(const TrafficClass& low, const TrafficClass& high, std::int64_t capacity, Bytes pool = 0_B)
      : classes_{ClassConstants(low), ClassConstants(high)},
        queues_(kBufferPorts * kBufferClasses) {
    sw_.capacity = Bytes(capacity);
    sw_.pool_size = pool;
    sw_.shared_size = sw_.capacity - pool;
    accounts_.resize(kBufferPorts * kBufferClasses);
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
      const ClassConstants& c = classes_[i % kBufferClasses];
      const TrafficClass& config = i % kBufferClasses == 0 ? low : high;
      if (c.limits_headroom) {
        accounts_[i].headroom = static_cast<std::int32_t>(config.pfc().headroom_bytes.count());
      }
      const Bytes headroom(accounts_[i].headroom);
      const Bytes own = pool > 0_B ? std::min(c.headroom_reserved, headroom) : headroom;
      sw_.shared_size -= own + c.reserved + c.egress_reserved;
    }
  }

  [[nodiscard]] bool admit(const Held& packet) {
    if (verdict_on(packet) != Admission::kAdmitted) return false;
    held_.push_back(packet);
    return true;
  }
  [[nodiscard]] Admission verdict_on(const Held& packet) {
    return buffer_.admit(sw_, account(packet), queue(packet), {of(packet), of(packet)},
                         Bytes(packet.cells));
  }
  void release(std::size_t i) {
    const Held packet = held_[i];
    held_[i] = held_.back();
    held_.pop_back();
    buffer_.release(sw_, account(packet), queue(packet), {of(packet), of(packet)},
                    Bytes(packet.cells));
  }

  /// All that can be told from the packets themselves.
  void expect_consistent() {
    Bytes used;
    std::vector<Bytes> by_account(accounts_.size());
    std::vector<Bytes> by_queue(queues_.size());
    for (const Held& packet : held_) {
      used += Bytes(packet.cells);
      if (of(packet).is_pfc)
        by_account[packet.in * kBufferClasses + packet.c] += Bytes(packet.cells);
      if (of(packet).has_partitions)
        by_queue[packet.out * kBufferClasses + packet.c] += Bytes(packet.cells);
    }
    Bytes shared;
    Bytes drawn;
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
      const ClassConstants& c = classes_[i % kBufferClasses];
      ASSERT_EQ(accounts_[i].bytes, by_account[i]);
      ASSERT_EQ(queues_[i].held, by_queue[i]);
      ASSERT_GE(accounts_[i].headroom_used, 0);
      ASSERT_LE(accounts_[i].headroom_used, accounts_[i].headroom);
      const Bytes beyond_own = Bytes(accounts_[i].headroom_used) - c.headroom_reserved;
      if (sw_.pool_size > 0_B) drawn += std::max(beyond_own, 0_B);
      const Bytes part = c.is_pfc
                             ? accounts_[i].bytes - Bytes(accounts_[i].headroom_used) - c.reserved
                             : queues_[i].held - c.egress_reserved;
      if (c.has_partitions) shared += std::max(part, 0_B);
      ASSERT_FALSE(buffer_.is_above_xoff(sw_, accounts_[i], c) &&
                   buffer_.is_below_xon(sw_, accounts_[i], c));
    }
    ASSERT_EQ(sw_.pool_used, drawn);
    ASSERT_LE(sw_.pool_used, sw_.pool_size);
    ASSERT_GE(sw_.pool_peak, sw_.pool_used);
    ASSERT_EQ(sw_.buffer_used, used);
    ASSERT_LE(sw_.buffer_used, sw_.capacity);
    ASSERT_GE(sw_.buffer_peak, sw_.buffer_used);
    ASSERT_EQ(sw_.shared_used, shared);
    ASSERT_LE(sw_.shared_used, sw_.shared_size);
  }

  [[nodiscard]] const std::vector<Held>& held() const { return held_; }
  [[nodiscard]] const SwitchState& state() const { return sw_; }
  [[nodiscard]] IngressAccount& account(const Held& packet) {
    return accounts_[packet.in * kBufferClasses + packet.c];
  }
  [[nodiscard]] ClassQueue& queue(const Held& packet) {
    return queues_[packet.out * kBufferClasses + packet.c];
  }
  [[nodiscard]] const ClassConstants& of(const Held& packet) const { return classes_[packet.c]; }
  [[nodiscard]] bool is_above_xoff(const Held& at) {
    return buffer_.is_above_xoff(sw_, account(at), of(at));
  }
  [[nodiscard]] bool is_below_xon(const Held& at) {
    return buffer_.is_below_xon(sw_, account(at), of(at));
  }

 private:
  SharedBuffer<GeneralPath> buffer_;
  SwitchState sw_;
  std::vector<ClassConstants> classes_;
  std::vector<IngressAccount> accounts_;
  std::vector<ClassQueue> queues_;
  std::vector<Held> held_;
};

PfcConfig shared_pfc() { return {.xoff = 20_KB, .xon = 18_KB}; }

PfcConfig with_headroom() {
  return {
      .xoff = 8_KB, .xon = 6_KB, .headroom = PfcConfig::Headroom::kGiven, .headroom_bytes = 5_KB};
}

PfcConfig with_own_headroom() {
  PfcConfig pfc = with_headroom();
  pfc.headroom_reserved = 1_KB;
  return pfc;
}

PfcConfig dynamic_pfc() {
  return {.threshold = PfcConfig::Threshold::kDynamic,
          .alpha = 0.25,
          .xon_offset = 1_KB,
          .reserved = 2_KB,
          .headroom = PfcConfig::Headroom::kGiven,
          .headroom_bytes = 3_KB};
}

TrafficClass limited_lossy() {
  TrafficClass config = lossy();
  config.egress_reserved = 1_KB;
  config.egress_alpha = 0.5;
  return config;
}

// MODEL.md 2.1
TEST(SharedBuffer, KeepsAccountsThatAddUpToWhatItHolds) {
  const std::vector<std::pair<TrafficClass, TrafficClass>> mixtures{
      {lossless(shared_pfc()), lossless(shared_pfc())},
      {lossy(), lossy()},
      {lossless(with_headroom()), lossless(with_headroom())},
      {lossless(dynamic_pfc()), lossless(dynamic_pfc())},
      {lossless(dynamic_pfc()), limited_lossy()},
      {limited_lossy(), lossless(with_headroom())},
      {lossless(with_own_headroom()), lossless(dynamic_pfc())},
      {lossless(with_own_headroom()), limited_lossy()},
  };
  const std::vector<Bytes> pools{0_B, 0_B, 0_B, 0_B, 0_B, 0_B, 9_KB, 5_KB};
  for (std::size_t m = 0; m < mixtures.size(); ++m) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      testing::Draws draws(seed);
      Buffer buffer(mixtures[m].first, mixtures[m].second, 100'000, pools[m]);
      int refused = 0;
      for (int i = 0; i < 6000; ++i) {
        const bool fills = i / 500 % 2 == 0;
        if (!buffer.held().empty() && draws.one_in(fills ? 4 : 2)) {
          buffer.release(draws.below(buffer.held().size()));
        } else {
          const Held packet{draws.below(kBufferPorts), draws.below(kBufferPorts),
                            draws.below(kBufferClasses), draws.between(64, 4178)};
          refused += buffer.admit(packet) ? 0 : 1;
        }
        ASSERT_NO_FATAL_FAILURE(buffer.expect_consistent()) << "mixture " << m << ", step " << i;
      }
      EXPECT_GT(refused, 0) << "mixture " << m;
      while (!buffer.held().empty()) buffer.release(buffer.held().size() - 1);
      buffer.expect_consistent();
      EXPECT_EQ(buffer.state().buffer_used, 0_B);
      EXPECT_EQ(buffer.state().shared_used, 0_B);
      EXPECT_EQ(buffer.state().pool_used, 0_B);
    }
  }
}

// All that share one buffer: whoever is first fills it to the last byte, and no further.
TEST(SharedBuffer, FillsToTheLastByte) {
  Buffer buffer(lossy(), lossy(), 10'000);
  const Held packet{0, 1, 0, 1000};
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(buffer.admit(packet));
  EXPECT_FALSE(buffer.admit({0, 1, 0, 1}));
  EXPECT_EQ(buffer.state().buffer_peak, 10_KB);
}

// Reserved and set aside: 4 x 1 KB of 100 KB for lossy queues, or 4 x 5 KB of headroom. What is
// shared is full to the last byte, and then it is refused, or goes into the headroom.
TEST(SharedBuffer, FillsItsSharedPartToTheLastByte) {
  TrafficClass reserved = lossy();
  reserved.egress_reserved = 1_KB;
  Buffer lossy_one(reserved, lossy(), 100'000);
  const Held packet{0, 1, 0, 1000};
  for (int i = 0; i < 97; ++i) ASSERT_TRUE(lossy_one.admit(packet));
  EXPECT_FALSE(lossy_one.admit({0, 1, 0, 1}));
  EXPECT_TRUE(lossy_one.admit({0, 2, 0, 1000})) << "what is reserved is there for others";

  PfcConfig pfc = with_headroom();
  pfc.xoff = 100_KB;
  Buffer lossless_one(lossless(pfc), lossy(), 100'000);
  for (int i = 0; i < 80; ++i) ASSERT_TRUE(lossless_one.admit(packet));
  EXPECT_EQ(lossless_one.account(packet).headroom_used, 0);
  EXPECT_TRUE(lossless_one.admit({0, 1, 0, 1}));
  EXPECT_EQ(lossless_one.account(packet).headroom_used, 1);
}

// XOFF above 8 KB, XON below 6 KB; 5 KB of headroom beyond: 13 packets of 1 KB, and no 14th.

// MODEL.md 2.4
TEST(SharedBuffer, TakesWhatComesAfterXoffIntoTheHeadroom) {
  Buffer buffer(lossless(with_headroom()), lossy(), 100'000);
  const Held packet{2, 1, 0, 1000};
  for (int i = 1; i <= 13; ++i) {
    ASSERT_TRUE(buffer.admit(packet)) << i;
    EXPECT_EQ(buffer.is_above_xoff(packet), i > 8) << i;
    EXPECT_EQ(buffer.account(packet).headroom_used, std::max(i - 8, 0) * 1000);
  }
  EXPECT_FALSE(buffer.admit(packet));
  EXPECT_TRUE(buffer.admit({3, 1, 0, 1000})) << "another port has headroom of its own";
  buffer.release(buffer.held().size() - 1);
  for (int left = 12; left >= 0; --left) {
    buffer.release(0);
    EXPECT_EQ(buffer.is_below_xon(packet), left < 6) << left;
    EXPECT_EQ(buffer.account(packet).headroom_used, std::max(left - 8, 0) * 1000);
  }
}

// XOFF above 8 KB, 5 KB of headroom per port, 1 KB of it a port's own, and a pool of 6 KB: four KB
// for the first, two for the second, none for the third beyond its own. What leaves is there for
// whoever comes next.

// MODEL.md 2.8
TEST(SharedBuffer, LendsItsHeadroomPoolToWhoeverComesFirst) {
  Buffer buffer(lossless(with_own_headroom()), lossy(), 100'000, 6_KB);
  const auto fill = [&buffer](std::size_t port) {
    int admitted = 0;
    while (buffer.admit({port, 3, 0, 1000})) ++admitted;
    return admitted;
  };
  EXPECT_EQ(fill(0), 8 + 5);
  EXPECT_EQ(buffer.verdict_on({0, 3, 0, 1000}), Admission::kIngressFull) << "its own limit";
  EXPECT_EQ(fill(1), 8 + 1 + 2);
  EXPECT_EQ(buffer.verdict_on({1, 3, 0, 1000}), Admission::kPoolEmpty);
  EXPECT_EQ(fill(2), 8 + 1);
  EXPECT_EQ(buffer.state().pool_used, 6_KB);
  EXPECT_TRUE(buffer.is_above_xoff({2, 3, 0, 0}));
  buffer.release(0);  // of port 0: from the headroom first
  EXPECT_EQ(buffer.state().pool_used, 5_KB);
  EXPECT_EQ(fill(2), 1);
}

// alpha = 1/4 and one queue: beyond what is reserved it gets alpha / (1 + alpha) = 1/5 of the
// shared part (Choudhury and Hahne), here of 84,000 B; two get 1/6 each.
TEST(SharedBuffer, DividesItsSharedPartAsDynamicThresholdsDo) {
  for (const std::size_t queues : {1U, 2U}) {
    PfcConfig pfc = dynamic_pfc();
    pfc.reserved = 2_KB;
    pfc.headroom_bytes = 2_KB;
    Buffer buffer(lossless(pfc), lossy(), 100'000);
    ASSERT_EQ(buffer.state().shared_size, Bytes(100'000 - 4 * 4'000));
    for (int i = 0; i < 100'000; ++i) {
      for (std::size_t in = 0; in < queues; ++in) {
        const Held packet{in, 3, 0, 10};
        if (!buffer.is_above_xoff(packet)) {
          ASSERT_TRUE(buffer.admit(packet));
        }
      }
    }
    const double share = 84'000.0 / (queues == 1 ? 5 : 6);
    for (std::size_t in = 0; in < queues; ++in) {
      const IngressAccount& account = buffer.account({in, 3, 0, 0});
      EXPECT_NEAR(static_cast<double>(account.bytes.count()), 2'000 + share, 20);
    }
  }
}

TEST(SharedBuffer, LimitsALossyQueueByItsDynamicThreshold) {
  Buffer buffer(limited_lossy(), lossy(), 100'000);
  ASSERT_EQ(buffer.state().shared_size, 96_KB);
  const Held packet{0, 2, 0, 10};
  while (buffer.admit(packet)) {
  }
  // 1 KB reserved, then alpha / (1 + alpha) = 1/3.
  EXPECT_NEAR(static_cast<double>(buffer.queue(packet).held.count()), 1'000 + 32'000, 20);
  EXPECT_TRUE(buffer.admit({0, 1, 0, 10})) << "another queue has a threshold of its own";
}

// 100 KB, of which 4 x 5 KB are headroom. An ingress may hold 8 KB and its headroom; an egress a
// quarter of what the shared part has left: 17 packets of 1 KB, when 12 of them are in that part.
TEST(SharedBuffer, SaysWhichAccountRefuses) {
  TrafficClass limited = lossless(with_headroom());
  limited.egress_alpha = 0.25;
  Buffer buffer(limited, lossy(), 100'000);
  for (int i = 0; i < 13; ++i) ASSERT_TRUE(buffer.admit({0, 1, 0, 1000}));
  EXPECT_EQ(buffer.verdict_on({0, 2, 0, 1000}), Admission::kIngressFull);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(buffer.admit({2, 1, 0, 1000}));
  EXPECT_EQ(buffer.verdict_on({2, 1, 0, 1000}), Admission::kEgressFull);
  EXPECT_EQ(buffer.account({2, 1, 0, 0}).bytes, 4_KB) << "nothing has changed";
  ASSERT_TRUE(buffer.admit({2, 3, 0, 1000})) << "the ingress has room for another egress";
  Buffer plain(lossy(), lossy(), 1'000);
  ASSERT_TRUE(plain.admit({0, 1, 0, 1000}));
  EXPECT_EQ(plain.verdict_on({0, 1, 0, 1}), Admission::kBufferFull);
}

// XOFF above 20 KB, XON below 18 KB: neither at them, on the plain path as on the others.

// MODEL.md 2.2
TEST(SharedBuffer, PausesAboveXoffAndResumesBelowXon) {
  const ClassConstants c(lossless(shared_pfc()));
  const SharedBuffer<PlainPath> buffer;
  const SwitchState sw;
  IngressAccount in;
  in.bytes = 20_KB;
  EXPECT_FALSE(buffer.is_above_xoff(sw, in, c));
  in.bytes += 1_B;
  EXPECT_TRUE(buffer.is_above_xoff(sw, in, c));
  in.bytes = 18_KB;
  EXPECT_FALSE(buffer.is_below_xon(sw, in, c));
  in.bytes -= 1_B;
  EXPECT_TRUE(buffer.is_below_xon(sw, in, c));
}

// The path without partitions gives the same answers where there are none.
TEST(SharedBuffer, IsTheSameOnThePlainPath) {
  const ClassConstants c(lossless(shared_pfc()));
  const SharedBuffer<PlainPath> plain;
  const SharedBuffer<GeneralPath> general;
  SwitchState a;
  SwitchState b;
  a.capacity = b.capacity = a.shared_size = b.shared_size = 60_KB;
  IngressAccount in_a;
  IngressAccount in_b;
  ClassQueue out;
  testing::Draws draws(1);
  std::vector<Bytes> held;
  for (int i = 0; i < 3000; ++i) {
    if (!held.empty() && draws.one_in(2)) {
      plain.release(a, in_a, out, {c, c}, held.back());
      general.release(b, in_b, out, {c, c}, held.back());
      held.pop_back();
    } else {
      const Bytes size(draws.between(64, 9000));
      const Admission verdict = plain.admit(a, in_a, out, {c, c}, size);
      ASSERT_EQ(general.admit(b, in_b, out, {c, c}, size), verdict);
      if (verdict == Admission::kAdmitted) held.push_back(size);
    }
    ASSERT_EQ(a.buffer_used, b.buffer_used);
    ASSERT_EQ(in_a.bytes, in_b.bytes);
    ASSERT_EQ(plain.is_above_xoff(a, in_a, c), general.is_above_xoff(b, in_b, c));
    ASSERT_EQ(plain.is_below_xon(a, in_a, c), general.is_below_xon(b, in_b, c));
  }
}

}  // namespace
}  // namespace weft::protocols
