#include "field.h"
#include "kernel.h"
#include "order.h"
#include "recode.h"

#if defined(__x86_64__) && defined(__clang__)
#include <immintrin.h>

// All functions in between may use AVX-512; p256_cpu_has_ifma says where they may run.
#pragma clang attribute push(__attribute__((target("avx512f,avx512ifma"))), apply_to = function)

#include "lanes_avx512.h"

// lanes_kernel.h is written for what the line above defines.
#include "lanes_kernel.h"

#pragma clang attribute pop

static const p256_kernel ifma = P256_LANES_KERNEL;

const p256_kernel *p256_kernel_ifma(void) { return &ifma; }

#else

const p256_kernel *p256_kernel_ifma(void) { return NULL; }

#endif
