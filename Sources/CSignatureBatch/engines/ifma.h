#ifndef CSIGNATUREBATCH_IFMA_H
#define CSIGNATUREBATCH_IFMA_H

#include "engine.h"

#if defined(__x86_64__) && defined(__clang__)
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

// All functions in between may use AVX-512; sb_cpu_has_ifma says where they may run.
#pragma clang attribute push(__attribute__((target("avx512f,avx512ifma"))), apply_to = function)

// The lanes and their arithmetic come first: what verifies is written for what they define.
#include "../lanes/lanes_avx512.h"
#include "../lanes/lanes_kernel.h"

#include "../batch/verifier.h"

SB_DEFINE_ENGINE(SB_ENGINE);

#pragma clang attribute pop

const sb_engine *const SB_ENGINE_IF_ANY = &SB_ENGINE;

#else

const sb_engine *const SB_ENGINE_IF_ANY = NULL;

#endif

#endif
