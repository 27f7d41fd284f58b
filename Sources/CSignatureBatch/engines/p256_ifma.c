#define SB_BITS 256
#define SB_IFMA sb_p256_ifma
#define SB_IFMA_ENGINE sb_p256_ifma_engine

#include "ifma.h"
