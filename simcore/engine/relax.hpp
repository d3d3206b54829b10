#pragma once

namespace weft {

/// A moment of waiting for another thread, which leaves the core to whoever shares it.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace weft
