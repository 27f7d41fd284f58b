#define SB_BITS 384
#define SB_ENGINE_IF_ANY sb_p384_ifma
#define SB_ENGINE sb_p384_ifma_engine

#include "ifma.h"
