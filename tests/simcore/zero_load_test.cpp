#include "simcore/fabric/zero_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace weft {
namespace {

using Hops = std::vector<PathHop>;

Hops alike(std::size_t links, BitsPerSecond rate, Picoseconds latency) {
  return Hops(links, PathHop{rate, latency});
}

/// What a test needs of one message: everything `zero_load` takes.
struct Case {
  Bytes size;
  Framing framing;
  Hops forward;
  Hops reverse;
  [[nodiscard]] ZeroLoad closed() const { return zero_load(size, framing, forward, reverse); }
  [[nodiscard]] ZeroLoad stepped() const {
    return zero_load_by_packets(size, framing, forward, reverse);
  }
};

/// An independent tandem of FIFO links, as the textbook's recursion over the full matrix: packet k
/// ends on link i at C(k,i) = max(C(k-1,i), C(k,i-1) + latency(i-1)) + t(k,i).
std::vector<Picoseconds> tandem(const std::vector<Picoseconds>& ready,
                                const std::vector<Bytes>& sizes, const Hops& path) {
  std::vector<Picoseconds> arrival = ready;
  for (const PathHop& hop : path) {
    Picoseconds previous_end;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      previous_end = std::max(previous_end, arrival[k]) + transmission_time(sizes[k], hop.rate);
      arrival[k] = previous_end + hop.latency;
    }
  }
  return arrival;
}

/// Brute force over whole matrices, with the window by iteration: start times are raised until no
/// packet starts before the ACK that lets it.
ZeroLoad brute_force(const Case& c) {
  std::vector<Bytes> sizes;
  for (Bytes left = c.size; left.count() > 0; left -= std::min(left, c.framing.payload)) {
    sizes.push_back(std::min(left, c.framing.payload) + c.framing.header);
  }
  std::vector<Picoseconds> ready(sizes.size());
  while (true) {
    const std::vector<Picoseconds> delivered = tandem(ready, sizes, c.forward);
    if (c.framing.ack_size.count() == 0) return {delivered.back(), delivered.back()};
    std::vector<Picoseconds> released;
    std::vector<std::size_t> covers;  // packets that each ACK answers, counted from the first
    for (std::size_t k = 1; k <= sizes.size(); ++k) {
      if (k % c.framing.ack_every != 0 && k != sizes.size()) continue;
      released.push_back(delivered[k - 1]);
      covers.push_back(k);
    }
    const std::vector<Bytes> acks(released.size(), c.framing.ack_size);
    const std::vector<Picoseconds> back = tandem(released, acks, c.reverse);
    std::vector<Picoseconds> next(sizes.size());
    for (std::size_t k = c.framing.window; c.framing.window > 0 && k < sizes.size(); ++k) {
      const std::size_t needed = k - c.framing.window + 1;
      const auto ack = std::ranges::lower_bound(covers, needed) - covers.begin();
      next[k] = back[static_cast<std::size_t>(ack)];
    }
    if (next == ready) return {delivered.back(), back.back()};
    ready = next;
  }
}

BitsPerSecond random_rate(std::mt19937_64& random) {
  const std::int64_t choices[] = {10'000'000'000,  25'000'000'000,  40'000'000'000, 100'000'000'000,
                                  400'000'000'000, 333'333'333'333, 77'777'777'777};
  return BitsPerSecond(choices[random() % std::size(choices)]);
}

Case random_case(std::mt19937_64& random) {
  Case c;
  c.framing.payload = Bytes(static_cast<std::int64_t>(random() % 4096 + 1));
  c.framing.header = Bytes(static_cast<std::int64_t>(random() % 100));
  c.framing.ack_size =
      Bytes(static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 2000 + 1));
  c.framing.ack_every = static_cast<std::uint32_t>(random() % 4 + 1);
  c.size = Bytes(static_cast<std::int64_t>(random() % (40 * c.framing.payload.count()) + 1));
  const std::size_t links = random() % 6 + 1;
  for (std::size_t i = 0; i < links; ++i) {
    const auto latency = [&] {
      return Picoseconds(static_cast<std::int64_t>(random() % 2'000'000));
    };
    c.forward.push_back({random_rate(random), latency()});
    c.reverse.push_back({random_rate(random), latency()});
  }
  return c;
}

// T = P tp + (h-1) tp + h d + h (d + ta) for P whole packets over h alike links with propagation d:
// the pipeline fills once, then the last ACK comes back alone. Figures are csg-htsim's RoCE (commit
// 841d9e7): payload 4000 B, 64 B header, 100 Gbps, 1 us per link, a 64 B ACK per packet.
// 6 links, 500 packets: 500*325.12 + 5*325.12 + 6000 + 6*1005.12 ns = 176,216.32 ns. Exact.
TEST(ZeroLoad, MatchesHtsimRoceOverOneMessage) {
  const Framing framing{4000_B, 64_B, 64_B};
  const Hops six = alike(6, 100_Gbps, 1_us);
  EXPECT_EQ(zero_load(2'000'000_B, framing, six, six).completed, 176'216'320_ps);
  const Hops two = alike(2, 100_Gbps, 1_us);
  EXPECT_EQ(zero_load(1'000'000_B, framing, two, two).completed, 85'615'360_ps);
}

// The HPCC paper's ns-3 (commit 9f4be2a) with exact instead of truncated transmission times:
// payload 1000 B, 1048 B on the wire (83.84 ns), ACK 60 B (4.8 ns), 100 Gbps, 1 us, two links.
// 1,000,000 B: 1001*83.84 + 2*1000 + 2*1004.8 = 87,933.44 ns; one packet: 2*83.84 + 4009.6 ns.
TEST(ZeroLoad, MatchesHpccNs3WithExactTime) {
  const Framing framing{1000_B, 48_B, 60_B};
  const Hops two = alike(2, 100_Gbps, 1_us);
  EXPECT_EQ(zero_load(1'000'000_B, framing, two, two).completed, 87'933'440_ps);
  EXPECT_EQ(zero_load(1000_B, framing, two, two).completed, 4'177'280_ps);
}

// One packet has no pipeline: sum of transmissions and latencies, there and back.
TEST(ZeroLoad, OfOnePacketIsTheSumOverItsLinks) {
  for (const std::size_t links : {1U, 2U, 4U, 6U}) {
    const Hops path = alike(links, 400_Gbps, 500_ns);
    const ZeroLoad result = zero_load(4096_B, {4096_B, 82_B, 86_B}, path, path);
    const auto n = static_cast<std::int64_t>(links);
    EXPECT_EQ(result.delivered, n * (83'560_ps + 500_ns));
    EXPECT_EQ(result.completed, result.delivered + n * (1'720_ps + 500_ns));
  }
}

TEST(ZeroLoad, WithoutAcksCompletesWhenDelivered) {
  const Hops path = alike(4, 100_Gbps, 1_us);
  const ZeroLoad result = zero_load(1'000'000_B, {4096_B, 82_B, 0_B}, path, path);
  EXPECT_EQ(result.delivered, result.completed);
}

// Any rates, sizes and ACK frequencies, no window: the critical path of the flow shop is the
// recursion's result to the picosecond, whether ACKs queue or not.
TEST(ZeroLoad, ClosedFormEqualsTandemQueuesExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    const Case c = random_case(random);
    const ZeroLoad expected = brute_force(c);
    ASSERT_EQ(c.closed(), expected) << "case " << i;
    ASSERT_EQ(c.stepped(), expected) << "case " << i;
  }
}

// With windows from binding at once to never; the shortcut for windows that do not bind included.
TEST(ZeroLoad, WindowedSendersEqualTandemQueuesExactly) {
  std::mt19937_64 random(2);
  int waits = 0;
  for (int i = 0; i < 3000; ++i) {
    Case c = random_case(random);
    const ZeroLoad unlimited = c.closed();
    c.framing.window = c.framing.ack_every + static_cast<std::uint32_t>(random() % 30);
    const ZeroLoad expected = brute_force(c);
    ASSERT_EQ(c.closed(), expected) << "case " << i;
    ASSERT_EQ(c.stepped(), expected) << "case " << i;
    waits += expected != unlimited ? 1 : 0;
  }
  EXPECT_GT(waits, 300);  // or the test would not test windows
}

// Stop and wait: a window of one packet makes every packet a round trip of its own.
TEST(ZeroLoad, WindowOfOneIsARoundTripPerPacket) {
  const Hops path = alike(2, 100_Gbps, 1_us);
  const ZeroLoad one = zero_load(4000_B, {4000_B, 64_B, 64_B}, path, path);
  const ZeroLoad ten = zero_load(40'000_B, {4000_B, 64_B, 64_B, 1, 1}, path, path);
  EXPECT_EQ(ten.completed, 10 * one.completed);
}

/// Which of a step's links the packet of this number takes.
using Choice = std::function<std::size_t(std::size_t number, std::size_t links)>;

std::size_t in_turn(std::size_t number, std::size_t links) { return number % links; }

/// Packets of one message over layers of parallel links, FIFO on each link, and ACKs of all back:
/// feed-forward, so layer by layer.
struct Sprayed {
  struct Packet {
    Picoseconds arrival;
    std::size_t sequence;
    Bytes wire;
    auto operator<=>(const Packet&) const = default;
  };

  static void cross(std::vector<Packet>& packets, const Hops& path, const Choice& choose) {
    for (const PathHop& hop : path) {
      std::ranges::sort(packets);
      std::vector<Picoseconds> free(hop.links);
      for (Packet& packet : packets) {
        Picoseconds& end = free[choose(packet.sequence, hop.links)];
        end = std::max(end, packet.arrival) + transmission_time(packet.wire, hop.rate);
        packet.arrival = end + hop.latency;
      }
    }
    std::ranges::sort(packets);
  }

  static ZeroLoad send(const Case& c, const Choice& choose) {
    std::vector<Packet> packets;
    for (Bytes left = c.size; left.count() > 0; left -= std::min(left, c.framing.payload)) {
      const Bytes wire = std::min(left, c.framing.payload) + c.framing.header;
      packets.push_back({{}, packets.size(), wire});
    }
    cross(packets, c.forward, choose);
    const Picoseconds delivered = packets.back().arrival;
    if (c.framing.ack_size == 0_B) return {delivered, delivered};
    std::vector<Packet> acks;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      if ((i + 1) % c.framing.ack_every != 0 && i + 1 != packets.size()) continue;
      acks.push_back({packets[i].arrival, acks.size(), c.framing.ack_size});
    }
    cross(acks, c.reverse, choose);
    return {delivered, std::ranges::max(acks, {}, &Packet::sequence).arrival};
  }
};

Hops random_sprayed_path(std::mt19937_64& random, std::size_t middle, std::uint32_t max) {
  Hops path;
  for (std::size_t i = 0; i < middle + 2; ++i) {
    const bool is_single = random() % 4 == 0;
    path.push_back({random_rate(random),
                    Picoseconds(static_cast<std::int64_t>(random() % 1'000'000)),
                    is_single ? 1 : 1 + static_cast<std::uint32_t>(random() % max)});
  }
  return path;
}

// Any rates, numbers of parallel links and sizes, short messages and such as skip most of their
// packets: what packets that take the links in turn do, to the picosecond, ACKs included. A short
// last packet where no step is slower than the source, and all but the last are wide.
TEST(ZeroLoad, OfPacketsThatTakeLinksInTurnIsExact) {
  std::mt19937_64 random(5);
  int long_messages = 0;
  for (int i = 0; i < 4'000; ++i) {
    Case c = random_case(random);
    const std::uint32_t max = random() % 2 == 0 ? 4 : 40;
    c.forward = random_sprayed_path(random, random() % 4, max);
    c.reverse = random_sprayed_path(random, random() % 4, max);
    if (random() % 2 == 0) {
      c.size = (c.size.count() / c.framing.payload.count() + 1) * c.framing.payload;
    } else {
      const PathHop& source = c.forward.front();
      for (std::size_t h = 1; h < c.forward.size(); ++h) {
        c.forward[h].rate = std::max(c.forward[h].rate, source.rate);
        c.forward[h].links *= source.links * static_cast<std::uint32_t>(h);
      }
    }
    if (random() % 4 == 0) {
      c.size = c.size + static_cast<std::int64_t>(random() % 3'000) * c.framing.payload;
      ++long_messages;
    }
    ASSERT_EQ(c.closed(), Sprayed::send(c, in_turn)) << "case " << i;
  }
  EXPECT_GT(long_messages, 500);
}

// A window that never makes the sender wait changes nothing; one that does gives the time that
// packet after packet needs.
TEST(ZeroLoad, OfSpreadPacketsKeepsToTheWindow) {
  const Hops path{{400_Gbps, 1_us, 2}, {400_Gbps, 1_us, 16}, {400_Gbps, 1_us, 2}};
  Case c{1'000 * 4096_B, {4096_B, 82_B, 86_B}, path, path};
  const ZeroLoad unlimited = c.closed();
  // A round trip of 6.26 us holds 150 packets of 41.8 ns each.
  c.framing.window = 152;
  EXPECT_EQ(c.closed(), unlimited);
  c.framing.window = 100;
  EXPECT_GT(c.closed().completed, unlimited.completed);
  EXPECT_EQ(c.closed(), c.stepped());
}

// A lower bound must hold whatever the choices: short last packets that overtake, slow uplinks.
TEST(ZeroLoad, OfSprayedPacketsIsNeverAboveWhatTheyAchieve) {
  std::mt19937_64 random(3);
  int exact = 0;
  for (int i = 0; i < 20'000; ++i) {
    Case c;
    c.framing = {Bytes(static_cast<std::int64_t>(random() % 4096 + 64)), 64_B, 0_B};
    c.framing.is_round_robin = false;
    c.size = Bytes(static_cast<std::int64_t>(random() % (12 * c.framing.payload.count()) + 1));
    c.forward = random_sprayed_path(random, random() % 4 + 1, 8);
    const auto any = [&](std::size_t, std::size_t links) { return random() % links; };
    const Picoseconds achieved = Sprayed::send(c, any).delivered;
    ASSERT_LE(c.closed().delivered, achieved) << "case " << i;
    ASSERT_LE(c.stepped().delivered, achieved) << "case " << i;
    exact += c.closed().delivered == achieved ? 1 : 0;
  }
  EXPECT_GT(exact, 2'000);  // or the bound would be idle
}

// Three packets in a fat tree of four ports: where the first two take one way and the short last
// one the other, that is through the last link before the first one comes. By turns it follows the
// first one, and the last link is never idle from then on: a transmission of the short one later.
TEST(ZeroLoad, OfSprayedPacketsIsThatOfTheLuckiestChoice) {
  std::mt19937_64 random(6);
  Case c{9'117_B, {4096_B, 82_B, 0_B}, alike(4, 400_Gbps, 1_us), {}};
  c.forward[1].links = c.forward[2].links = 2;
  EXPECT_EQ(c.closed(), Sprayed::send(c, in_turn));
  const Picoseconds by_turns = c.closed().delivered;
  c.framing.is_round_robin = false;
  Picoseconds min = Picoseconds::max();
  for (int i = 0; i < 1'000; ++i) {
    std::vector<std::size_t> way(3);
    for (std::size_t& w : way) w = random() % 2;
    const auto keeps = [&](std::size_t number, std::size_t links) { return way[number] % links; };
    min = std::min(min, Sprayed::send(c, keeps).delivered);
  }
  EXPECT_EQ(c.closed().delivered, min);
  EXPECT_EQ(by_turns - min, transmission_time(Bytes(9'117 - 2 * 4'096 + 82), 400_Gbps));
}

// Behind links that packets took in turn, a switch with two links per ingress port takes turns of
// its own: the short third packet need not follow the first one there, so that only luck bounds it.
TEST(ZeroLoad, OfTurnsThatBeginAnewIsThatOfTheLuckiestChoice) {
  Case c{9'117_B, {4096_B, 82_B, 0_B}, alike(4, 400_Gbps, 1_us), {}};
  c.forward[1].links = c.forward[2].links = 2;
  const Picoseconds in_turn_all_along = c.closed().delivered;
  c.forward[2].turns_anew = true;
  const Picoseconds anew = c.closed().delivered;
  c.framing.is_round_robin = false;
  EXPECT_EQ(anew, c.closed().delivered);
  EXPECT_LT(anew, in_turn_all_along);
}

// Alike links no slower than the source's: nothing queues in the middle, so any choice gives the
// bound. Whole packets; and a short last one behind enough full ones that it cannot get ahead at
// the destination's link (equal rates, P >= 4).
TEST(ZeroLoad, OfSprayedPacketsIsExactOnAlikePaths) {
  std::mt19937_64 random(4);
  Case c{1_B, {4096_B, 82_B, 0_B}, alike(6, 400_Gbps, 700_ns), {}};
  for (std::size_t i = 1; i < 5; ++i) c.forward[i].links = 8;
  const auto any = [&](std::size_t, std::size_t links) { return random() % links; };
  for (const Bytes size : {4096_B, 8192_B, 1'048'576_B}) {
    c.size = size;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(Sprayed::send(c, any).delivered, c.closed().delivered);
  }
}

}  // namespace
}  // namespace weft
