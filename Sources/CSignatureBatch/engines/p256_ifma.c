#define SB_BITS 256
#define SB_ENGINE_IF_ANY sb_p256_ifma
#define SB_ENGINE sb_p256_ifma_engine

#include "ifma.h"
