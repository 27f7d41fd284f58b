#ifndef CP256BATCH_INVERSION_H
#define CP256BATCH_INVERSION_H

#include "number.h"

/// A number of up to 62 * 5 bits with a sign, in limbs of 62 bits: the value is the sum of
/// limb[i] 2^(62 i). All limbs but the highest lie in 0 ..< 2^62 where nothing else is said.
typedef struct {
  int64_t limb[5];
} p256_signed62;

/// An odd modulus and what its inversion needs.
typedef struct {
  p256_signed62 modulus;
  /// 1 / modulus mod 2^62.
  uint64_t inverse62;
} p256_inversion;

static const p256_inversion P256_INVERSION_PRIME = {
    {{0x3FFFFFFFFFFFFFFF, 0x3FFFFFFFF, 0, 0x3FFFFFC000000040, 0xFF}}, 0x3FFFFFFFFFFFFFFF};

static const p256_inversion P256_INVERSION_ORDER = {
    {{0x33B9CAC2FC632551, 0x339BEAB69C5E7A13, 0x3FFFFFFFFFFFFFFB, 0x3FFFFFC00000003F, 0xFF}},
    0x332E375511FF43B1};

/// result = 1 / number mod the modulus, for 0 < number < modulus; variable time.
void p256_invert(p256_number *result, const p256_number *number, const p256_inversion *inversion);

#endif
