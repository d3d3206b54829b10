#include "simcore/engine/huge_pages.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdint>

namespace weft {

#ifdef __linux__
void prefer_huge_pages(void* memory, std::size_t bytes) {
  constexpr std::uintptr_t kHuge = std::uintptr_t{2} << 20U;
  constexpr int kCollapse = 25;  // MADV_COLLAPSE of Linux 6.1, unknown to glibc 2.36
  const auto from = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (from + kHuge - 1) / kHuge * kHuge;
  const std::uintptr_t last = (from + bytes) / kHuge * kHuge;
  if (first >= last) return;
  void* const start = static_cast<char*>(memory) + (first - from);
  if (::madvise(start, last - first, MADV_HUGEPAGE) == 0) {
    ::madvise(start, last - first, kCollapse);
  }
}
#else
void prefer_huge_pages(void*, std::size_t) {}
#endif

}  // namespace weft
