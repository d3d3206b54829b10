#include "simcore/base/digest.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace weft {
namespace {

// The examples NIST publishes with FIPS 180-4 (SHA-256: one block, two blocks, the empty message
// and a million letters).
TEST(Digest, MatchesTheNistVectors) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, IntegersAreSixtyFourBitsLittleEndian) {
  Digest integers;
  integers.add(0x0807060504030201ULL);
  integers.add(std::int8_t{-2});
  const std::string bytes("\x01\x02\x03\x04\x05\x06\x07\x08\xfe\xff\xff\xff\xff\xff\xff\xff", 16);
  EXPECT_EQ(integers.hex(), sha256_hex(bytes));
}

TEST(Digest, TypeOfAnIntegerDoesNotMatter) {
  Digest wide;
  Digest narrow;
  for (int i = -5'000; i < 5'000; ++i) {
    wide.add(std::int64_t{i});
    narrow.add(static_cast<std::int16_t>(i));
  }
  EXPECT_EQ(wide.hex(), narrow.hex());
}

TEST(Digest, OrderMatters) {
  Digest forwards;
  forwards.add(1);
  forwards.add(2);
  Digest backwards;
  backwards.add(2);
  backwards.add(1);
  EXPECT_NE(forwards.hex(), backwards.hex());
}

TEST(Digest, IntegersAndBytesKeepTheirOrder) {
  Digest digest;
  digest.add(0x6867666564636261ULL);
  digest.add_bytes("ij");
  digest.add(0x7271706f6e6d6c6bULL);
  EXPECT_EQ(digest.hex(), sha256_hex("abcdefghijklmnopqr"));
}

TEST(Digest, NeighbouringTextsDoNotRunTogether) {
  Digest one;
  one.add_text("ab");
  one.add_text("c");
  Digest other;
  other.add_text("a");
  other.add_text("bc");
  EXPECT_NE(one.hex(), other.hex());
}

TEST(Digest, MayBeReadOnTheWay) {
  Digest digest;
  digest.add_bytes("a");
  EXPECT_EQ(digest.hex(), sha256_hex("a"));
  EXPECT_EQ(digest.hex(), sha256_hex("a"));
  Digest moved = std::move(digest);
  moved.add_bytes("bc");
  EXPECT_EQ(moved.hex(), sha256_hex("abc"));
}

}  // namespace
}  // namespace weft
