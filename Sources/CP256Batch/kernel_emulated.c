#define P256_LANES_INLINE static __attribute__((noinline, unused))

#include "lanes_emulated.h"

// lanes_kernel.h is written for what the line above defines.
#include "lanes_kernel.h"

const p256_kernel p256_kernel_emulated = P256_LANES_KERNEL;
