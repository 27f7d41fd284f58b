#define SB_BITS 384
#define SB_IFMA sb_p384_ifma
#define SB_IFMA_ENGINE sb_p384_ifma_engine

#include "ifma.h"
