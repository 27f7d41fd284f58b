#ifndef CP256BATCH_RECODE_H
#define CP256BATCH_RECODE_H

#include "curve.h"
#include "kernel.h"

/// Scalars as odd signed digits: no digit is 0, so that no point at infinity occurs and all
/// signatures take the same steps (M. Joye and M. Tunstall, Exponent recoding and regular
/// exponentiation algorithms, 2009).
///
/// For an odd u below 2^(w L) with L = ceil(256 / w), let T = (u - 1) / 2 + 2^(w L - 1). If v_j are
/// the w-bit slices of T, then u is the sum of (2 v_j - (2^w - 1)) 2^(w j). An even u is taken as
/// minus (n - u).

/// L: the digits of a scalar.
P256_INLINE unsigned p256_digit_count(unsigned width) { return (256 + width - 1) / width; }

/// Different absolute values of a digit: 1, 3, ..., 2^w - 1.
P256_INLINE size_t p256_digit_values(unsigned width) { return (size_t)1 << (width - 1); }

/// Sets one lane of `recoded` to T of `scalar`, which is below n.
P256_INLINE void p256_recode(p256_recoded *recoded, size_t lane, const p256_number *scalar,
                             unsigned width) {
  p256_number odd = *scalar;
  bool is_even = (odd.word[0] & 1) == 0;
  if (is_even) p256_number_subtract(&odd, &P256_ORDER, scalar);
  recoded->negated[lane] = is_even;
  uint64_t words[5] = {0};
  for (int i = 0; i < 3; i++) words[i] = odd.word[i] >> 1 | odd.word[i + 1] << 63;
  words[3] = odd.word[3] >> 1;
  unsigned top = width * p256_digit_count(width) - 1;
  words[top / 64] |= (uint64_t)1 << top % 64;
  for (int i = 0; i < 5; i++) recoded->word[i][lane] = words[i];
}

/// The slice v of `width` bits at `bit` in one lane.
P256_INLINE uint64_t p256_slice(const p256_recoded *recoded, size_t lane, unsigned bit,
                                unsigned width) {
  // T has no bits above its highest slice: the last word can follow itself.
  unsigned index = bit / 64, next = index < 4 ? index + 1 : 4, shift = bit % 64;
  uint64_t low = recoded->word[index][lane] >> shift;
  uint64_t high = recoded->word[next][lane] << 1 << (63 - shift);
  return (low | high) & (((uint64_t)1 << width) - 1);
}

/// The digit 2 v - (2^w - 1) of a slice v as (2 e + 1) with a sign: gives e, and 1 in *negative
/// where it is below 0. Its sign is v's highest bit, e the bits below, inverted where negative.
P256_INLINE uint64_t p256_digit(uint64_t slice, unsigned width, uint64_t *negative) {
  *negative = (slice >> (width - 1)) ^ 1;
  return (slice ^ -*negative) & (((uint64_t)1 << (width - 1)) - 1);
}

/// `select` of a kernel, for the eight lanes of one block; see kernel.h. In a form that the
/// compiler makes vector instructions of.
P256_INLINE void p256_select_block(const p256_recoded *restrict recoded, unsigned bit,
                                   unsigned width, const p256_point *const *restrict rows,
                                   size_t row_offset, const p256_point **restrict operands,
                                   uint8_t *restrict negated) {
  uint64_t entries[P256_LANES], signs[P256_LANES];
  for (size_t lane = 0; lane < P256_LANES; lane++) {
    uint64_t negative;
    entries[lane] = p256_digit(p256_slice(recoded, lane, bit, width), width, &negative);
    signs[lane] = negative ^ recoded->negated[lane];
  }
  for (size_t lane = 0; lane < P256_LANES; lane++) {
    operands[lane] = rows[lane] + row_offset + entries[lane];
    negated[lane] = (uint8_t)signs[lane];
  }
}

#endif
