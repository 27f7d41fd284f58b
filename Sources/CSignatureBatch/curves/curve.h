#ifndef CSIGNATUREBATCH_CURVE_H
#define CSIGNATUREBATCH_CURVE_H

#include "../numbers/number.h"

/// The curve that is compiled: y^2 = x^3 - 3x + b over the integers mod p, with the base point G of
/// prime order n.

#if SB_BITS == 256
#include "curve_p256.h"
#else
#include "curve_p384.h"
#endif

#endif
