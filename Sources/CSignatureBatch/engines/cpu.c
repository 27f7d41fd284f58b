#include "engine.h"

#if defined(__x86_64__)
#include <cpuid.h>

/// Returns the state components that the operating system saves (Intel 64 and IA-32 Architectures
/// Software Developer's Manual, volume 1, 13.3): XGETBV of register 0.
static uint64_t saved_state(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

bool sb_cpu_has_ifma(void) {
  // Vector registers, and those of AVX-512: SSE, AVX, opmask, upper halves, upper sixteen.
  const uint64_t needed_state = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7;
  const uint32_t avx512f = 1U << 16, avx512ifma = 1U << 21;
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0) return false;
  if ((saved_state() & needed_state) != needed_state) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  return (b & avx512f) != 0 && (b & avx512ifma) != 0;
}

#else

bool sb_cpu_has_ifma(void) { return false; }

#endif
