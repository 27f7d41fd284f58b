#ifndef CSIGNATUREBATCH_RECODE_H
#define CSIGNATUREBATCH_RECODE_H

#include <string.h>

#include "../numbers/elements.h"

/// Scalars as odd signed digits: no digit is 0, so that no point at infinity occurs and all
/// signatures take the same steps (M. Joye and M. Tunstall, Exponent recoding and regular
/// exponentiation algorithms, 2009).
///
/// For an odd u below 2^(w L) with L = ceil(SB_BITS / w), let T = (u - 1) / 2 + 2^(w L - 1). If v_j
/// are the w-bit slices of T, then u is the sum of (2 v_j - (2^w - 1)) 2^(w j). An even u is taken
/// as minus (n - u).

/// The recoded scalars of eight signatures.
typedef struct {
  _Alignas(64) uint64_t word[SB_WORDS + 1][SB_LANES];
  /// 1 where the digits stand for minus the scalar.
  uint64_t negated[SB_LANES];
} sb_recoded;

/// Returns L, the number of digits of a scalar.
SB_INLINE unsigned sb_digit_count(unsigned width) { return (SB_BITS + width - 1) / width; }

/// Returns the number of different absolute values of a digit: 1, 3, ..., 2^w - 1.
SB_INLINE size_t sb_digit_values(unsigned width) { return (size_t)1 << (width - 1); }

/// Sets one lane of `recoded` to T of `scalar`, which is below n.
SB_INLINE void sb_recode(sb_recoded *recoded, size_t lane, const sb_number *scalar,
                         unsigned width) {
  sb_number odd = *scalar;
  bool is_even = (odd.word[0] & 1) == 0;
  if (is_even) sb_number_subtract(&odd, &SB_ORDER, scalar);
  recoded->negated[lane] = is_even;
  uint64_t words[SB_WORDS + 1] = {0};
  SB_UNROLL
  for (int i = 0; i + 1 < SB_WORDS; i++) words[i] = odd.word[i] >> 1 | odd.word[i + 1] << 63;
  words[SB_WORDS - 1] = odd.word[SB_WORDS - 1] >> 1;
  unsigned top = width * sb_digit_count(width) - 1;
  words[top / 64] |= (uint64_t)1 << top % 64;
  for (int i = 0; i <= SB_WORDS; i++) recoded->word[i][lane] = words[i];
}

/// Returns the slice v of `width` bits at `bit` in one lane.
SB_INLINE uint64_t sb_slice(const sb_recoded *recoded, size_t lane, unsigned bit, unsigned width) {
  // T has no bits above its highest slice: the last word can follow itself.
  unsigned index = bit / 64, next = index < SB_WORDS ? index + 1 : SB_WORDS, shift = bit % 64;
  uint64_t low = recoded->word[index][lane] >> shift;
  uint64_t high = recoded->word[next][lane] << 1 << (63 - shift);
  return (low | high) & (((uint64_t)1 << width) - 1);
}

/// Returns e of the digit 2 v - (2^w - 1) of a slice v, taken as (2 e + 1) with a sign. Sets
/// *negative to 1 if the digit is below 0, else to 0. Its sign is v's highest bit, e the bits
/// below, inverted where negative.
SB_INLINE uint64_t sb_digit(uint64_t slice, unsigned width, uint64_t *negative) {
  *negative = (slice >> (width - 1)) ^ 1;
  return (slice ^ -*negative) & (((uint64_t)1 << (width - 1)) - 1);
}

/// A word for each lane. The compiler makes of it what registers there are.
typedef uint64_t sb_words __attribute__((vector_size(8 * SB_LANES)));
typedef uint8_t sb_word_bytes __attribute__((vector_size(SB_LANES)));

/// Sets operands[i] and negated[i] to the entry, in the table row that starts `row_offset` points
/// behind rows[i], that the digit of recoded scalar i at `bit`, `width` bits long, stands for. Does
/// so for the eight lanes of one block, as `sb_slice` and `sb_digit` do for one lane.
SB_INLINE void sb_select_block(const sb_recoded *recoded, unsigned bit, unsigned width,
                               const sb_point *const *rows, size_t row_offset,
                               const sb_point **operands, uint8_t *negated) {
  unsigned index = bit / 64, next = index < SB_WORDS ? index + 1 : SB_WORDS, shift = bit % 64;
  sb_words low, high, scalar_negated, addresses;
  memcpy(&low, recoded->word[index], sizeof low);
  memcpy(&high, recoded->word[next], sizeof high);
  memcpy(&scalar_negated, recoded->negated, sizeof scalar_negated);
  memcpy(&addresses, rows, sizeof addresses);
  sb_words slice = low >> shift | (high + high) << (63 - shift);
  sb_words negative = (slice >> (width - 1) & 1) ^ 1;
  sb_words entry = (slice ^ -negative) & (((uint64_t)1 << (width - 1)) - 1);
  addresses += (row_offset + entry) * sizeof(sb_point);
  memcpy(operands, &addresses, sizeof addresses);
  sb_word_bytes signs = __builtin_convertvector(negative ^ scalar_negated, sb_word_bytes);
  memcpy(negated, &signs, sizeof signs);
}

/// Does the same for `count` scalars, rounded up to whole blocks.
SB_INLINE void sb_select(const sb_recoded *recoded, unsigned bit, unsigned width,
                         const sb_point *const *rows, size_t row_offset, size_t count,
                         const sb_point **operands, uint8_t *negated) {
  for (size_t i = 0; i < count; i += SB_LANES) {
    sb_select_block(&recoded[i / SB_LANES], bit, width, rows + i, row_offset, operands + i,
                    negated + i);
  }
}

#endif
