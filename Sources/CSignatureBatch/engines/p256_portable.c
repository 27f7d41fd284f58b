#define SB_BITS 256

// The arithmetic comes first: what verifies is written for what it defines.
#include "kernel_portable.h"

#include "../batch/verifier.h"

SB_DEFINE_ENGINE(sb_p256_portable);
