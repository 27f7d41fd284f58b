#ifndef CP256BATCH_LANES_NUMBER_H
#define CP256BATCH_LANES_NUMBER_H

#include "kernel.h"

/// Eight numbers at once, for the eight-lane kernel; included after one of the lanes_... headers.

/// Eight numbers in limbs of 52 bits: the sum of limb[i] 2^(52 i). "Carried" means that all limbs
/// lie in 0 ..< 2^52, as the multiplications need; else the limbs are signed and of up to 63 bits.
typedef struct {
  p256_lanes limb[5];
} p256_number8;

/// Eight numbers in words of 64 bits, below 2^256.
typedef struct {
  p256_lanes word[4];
} p256_words8;

static const uint64_t P256_LIMB_MASK = UINT64_MAX >> 12;

/// `number`, below 2^260, in limbs.
P256_LANES_INLINE void p256_limbs_of_number(uint64_t limbs[5], const p256_number *number) {
  const uint64_t *word = number->word;
  limbs[0] = word[0] & P256_LIMB_MASK;
  limbs[1] = (word[0] >> 52 | word[1] << 12) & P256_LIMB_MASK;
  limbs[2] = (word[1] >> 40 | word[2] << 24) & P256_LIMB_MASK;
  limbs[3] = (word[2] >> 28 | word[3] << 36) & P256_LIMB_MASK;
  limbs[4] = word[3] >> 16;
}

/// The same number in all lanes.
P256_LANES_INLINE p256_number8 p256_number8_all(const p256_number *number) {
  uint64_t limbs[5];
  p256_limbs_of_number(limbs, number);
  p256_number8 result;
  for (int i = 0; i < 5; i++) result.limb[i] = p256_lanes_all(limbs[i]);
  return result;
}

/// One lane of a carried number, less as many moduli as it takes to be below the modulus.
static inline __attribute__((unused)) p256_number p256_number8_lane(const p256_number8 *number,
                                                                    unsigned lane,
                                                                    const p256_number *modulus) {
  uint64_t limb[5], words[P256_LANES];
  for (int i = 0; i < 5; i++) {
    p256_lanes_store(words, number->limb[i]);
    limb[i] = words[lane];
  }
  p256_number result = {{limb[0] | limb[1] << 52, limb[1] >> 12 | limb[2] << 40,
                         limb[2] >> 24 | limb[3] << 28, limb[3] >> 36 | limb[4] << 16}};
  uint64_t top = limb[4] >> 48;
  while (top > 0 || !p256_number_is_below(&result, modulus)) {
    top -= p256_number_subtract(&result, &result, modulus);
  }
  return result;
}

/// Sets one lane.
static inline __attribute__((unused)) void p256_number8_set_lane(p256_number8 *number,
                                                                 unsigned lane,
                                                                 const p256_number *value) {
  uint64_t limbs[5], words[P256_LANES];
  p256_limbs_of_number(limbs, value);
  for (int i = 0; i < 5; i++) {
    p256_lanes_store(words, number->limb[i]);
    words[lane] = limbs[i];
    number->limb[i] = p256_lanes_load(words);
  }
}

/// left + right, not carried.
P256_LANES_INLINE p256_number8 p256_number8_add(p256_number8 left, p256_number8 right) {
  for (int i = 0; i < 5; i++) left.limb[i] = p256_lanes_add(left.limb[i], right.limb[i]);
  return left;
}

/// left - right, not carried.
P256_LANES_INLINE p256_number8 p256_number8_subtract(p256_number8 left, p256_number8 right) {
  for (int i = 0; i < 5; i++) left.limb[i] = p256_lanes_subtract(left.limb[i], right.limb[i]);
  return left;
}

/// `first` in the lanes of the mask, `second` in the others.
P256_LANES_INLINE p256_number8 p256_number8_select(p256_lane_mask mask, p256_number8 first,
                                                   p256_number8 second) {
  for (int i = 0; i < 5; i++) {
    first.limb[i] = p256_lanes_select(mask, first.limb[i], second.limb[i]);
  }
  return first;
}

/// Carries all limbs but the highest; the number is carried then if it lies in 0 ..< 2^260.
P256_LANES_INLINE p256_number8 p256_number8_carry(p256_number8 number) {
  const p256_lanes mask = p256_lanes_all(P256_LIMB_MASK);
  for (int i = 0; i < 4; i++) {
    p256_lanes carry = p256_lanes_shift_right_signed(number.limb[i], 52);
    number.limb[i + 1] = p256_lanes_add(number.limb[i + 1], carry);
    number.limb[i] = p256_lanes_and(number.limb[i], mask);
  }
  return number;
}

/// A carried number below 2 moduli, brought below one; `modulus` in all lanes.
P256_LANES_INLINE p256_number8 p256_number8_reduce_once(p256_number8 number, p256_number8 modulus) {
  p256_number8 reduced = p256_number8_carry(p256_number8_subtract(number, modulus));
  return p256_number8_select(p256_lanes_are_negative(reduced.limb[4]), number, reduced);
}

/// The bits from `low_bits` of `low` on, and above them those of `high`.
#define P256_FUNNEL(low, high, low_bits) \
  p256_lanes_or(p256_lanes_shift_right(low, low_bits), p256_lanes_shift_left(high, 64 - (low_bits)))

P256_LANES_INLINE p256_number8 p256_number8_from_words(p256_words8 words) {
  const p256_lanes mask = p256_lanes_all(P256_LIMB_MASK);
  const p256_lanes *word = words.word;
  p256_number8 result = {{
      p256_lanes_and(word[0], mask),
      p256_lanes_and(P256_FUNNEL(word[0], word[1], 52), mask),
      p256_lanes_and(P256_FUNNEL(word[1], word[2], 40), mask),
      p256_lanes_and(P256_FUNNEL(word[2], word[3], 28), mask),
      p256_lanes_shift_right(word[3], 16),
  }};
  return result;
}

/// The words of a carried number below 2^256.
P256_LANES_INLINE p256_words8 p256_words8_from_number(p256_number8 number) {
  const p256_lanes *limb = number.limb;
  p256_words8 result = {{
      p256_lanes_or(limb[0], p256_lanes_shift_left(limb[1], 52)),
      p256_lanes_or(p256_lanes_shift_right(limb[1], 12), p256_lanes_shift_left(limb[2], 40)),
      p256_lanes_or(p256_lanes_shift_right(limb[2], 24), p256_lanes_shift_left(limb[3], 28)),
      p256_lanes_or(p256_lanes_shift_right(limb[3], 36), p256_lanes_shift_left(limb[4], 16)),
  }};
  return result;
}

/// Exchanges rows and columns of eight vectors of eight words, in three steps: pairs of lanes,
/// pairs of pairs, halves.
P256_LANES_INLINE void p256_lanes_transpose(p256_lanes row[P256_LANES]) {
  static const uint64_t low_pairs[8] = {0, 1, 8, 9, 4, 5, 12, 13};
  static const uint64_t high_pairs[8] = {2, 3, 10, 11, 6, 7, 14, 15};
  static const uint64_t low_halves[8] = {0, 1, 2, 3, 8, 9, 10, 11};
  static const uint64_t high_halves[8] = {4, 5, 6, 7, 12, 13, 14, 15};
  const p256_lanes low_pair = p256_lanes_load(low_pairs), high_pair = p256_lanes_load(high_pairs);
  const p256_lanes low_half = p256_lanes_load(low_halves);
  const p256_lanes high_half = p256_lanes_load(high_halves);
  p256_lanes ones[8], twos[8];
  for (int i = 0; i < 8; i += 2) {
    ones[i] = p256_lanes_interleave_even(row[i], row[i + 1]);
    ones[i + 1] = p256_lanes_interleave_odd(row[i], row[i + 1]);
  }
  for (int half = 0; half < 8; half += 4) {
    for (int i = half; i < half + 2; i++) {
      twos[i] = p256_lanes_pick(ones[i], low_pair, ones[i + 2]);
      twos[i + 2] = p256_lanes_pick(ones[i], high_pair, ones[i + 2]);
    }
  }
  for (int i = 0; i < 4; i++) {
    row[i] = p256_lanes_pick(twos[i], low_half, twos[i + 4]);
    row[i + 4] = p256_lanes_pick(twos[i], high_half, twos[i + 4]);
  }
}

#endif
