#include "simcore/engine/huge_pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdint>

namespace weft {

#ifdef __linux__
namespace {

struct HugeRange {
  void* start = nullptr;
  std::size_t bytes = 0;  ///< 0: no whole huge page
};

HugeRange huge_pages_in(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kHuge = std::uintptr_t{2} << 20U;
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (from + kHuge - 1) / kHuge * kHuge;
  const std::uintptr_t last = (from + bytes) / kHuge * kHuge;
  if (first >= last) return {};
  return {static_cast<char*>(memory) + (first - from), last - first};
}

}  // namespace

void expect_huge_pages(void* memory, std::size_t bytes) {
  const HugeRange range = huge_pages_in(memory, bytes);
  if (range.bytes > 0) ::madvise(range.start, range.bytes, MADV_HUGEPAGE);
}

void prefer_huge_pages(void* memory, std::size_t bytes) {
  constexpr int kCollapse = 25;  // MADV_COLLAPSE of Linux 6.1, unknown to glibc 2.36
  const HugeRange range = huge_pages_in(memory, bytes);
  if (range.bytes > 0 && ::madvise(range.start, range.bytes, MADV_HUGEPAGE) == 0) {
    ::madvise(range.start, range.bytes, kCollapse);
  }
}
#else
void expect_huge_pages(void*, std::size_t) {}
void prefer_huge_pages(void*, std::size_t) {}
#endif

}  // namespace weft
