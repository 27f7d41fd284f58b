#define SB_BITS 384
#define SB_LANES_INLINE static __attribute__((noinline, unused))

// The lanes and their arithmetic come first: what verifies is written for what they define.
#include "lanes_emulated.h"
#include "../../Sources/CSignatureBatch/lanes/lanes_kernel.h"

#include "../../Sources/CSignatureBatch/batch/verifier.h"

SB_DEFINE_ENGINE(sb_p384_emulated);
