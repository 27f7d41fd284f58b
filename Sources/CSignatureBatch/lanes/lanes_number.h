#ifndef CSIGNATUREBATCH_LANES_NUMBER_H
#define CSIGNATUREBATCH_LANES_NUMBER_H

#include "../numbers/elements.h"

/// Eight numbers at once, for the eight-lane arithmetic; included after one of the lanes_...
/// headers.

enum { SB_LIMBS = SB_BITS / 52 + 1, SB_TOP_LIMB = SB_LIMBS - 1 };
/// Bits of the highest limb below 2^SB_BITS.
enum { SB_TOP_BITS = SB_BITS - 52 * SB_TOP_LIMB };

/// Eight numbers in limbs of 52 bits: the sum of limb[i] 2^(52 i). "Carried" means that all limbs
/// are in 0 ..< 2^52; else the limbs are signed and of up to 63 bits. A "factor" has the limbs of a
/// carried number in the low 52 bits of its own, and anything above them: multiplications read no
/// other bits. A carried number is a factor.
typedef struct {
  sb_lanes limb[SB_LIMBS];
} sb_number8;

/// Eight numbers in words of 64 bits, below 2^SB_BITS.
typedef struct {
  sb_lanes word[SB_WORDS];
} sb_words8;

static const uint64_t SB_LIMB_MASK = UINT64_MAX >> 12;

/// Writes `number` in limbs.
SB_LANES_INLINE void sb_limbs_of_number(uint64_t limbs[SB_LIMBS], const sb_number *number) {
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) {
    int bit = 52 * i, index = bit / 64, shift = bit % 64;
    uint64_t limb = number->word[index] >> shift;
    if (shift > 12 && index + 1 < SB_WORDS) limb |= number->word[index + 1] << (64 - shift);
    limbs[i] = limb & SB_LIMB_MASK;
  }
}

/// Returns the words of carried limbs. The bits above them are left in *top.
SB_LANES_INLINE sb_number sb_number_of_limbs(const uint64_t limbs[SB_LIMBS], uint64_t *top) {
  sb_number result;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) {
    int index = 64 * i / 52, shift = 64 * i - 52 * index;
    uint64_t word = limbs[index] >> shift | limbs[index + 1] << (52 - shift);
    if (shift > 40) word |= limbs[index + 2] << (104 - shift);
    result.word[i] = word;
  }
  *top = limbs[SB_TOP_LIMB] >> SB_TOP_BITS;
  return result;
}

/// Returns the same number in all lanes.
SB_LANES_INLINE sb_number8 sb_number8_all(const sb_number *number) {
  uint64_t limbs[SB_LIMBS];
  sb_limbs_of_number(limbs, number);
  sb_number8 result;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) result.limb[i] = sb_lanes_all(limbs[i]);
  return result;
}

/// Returns one lane of a carried number, less as many moduli as it takes to be below the modulus.
SB_FUNCTION sb_number sb_number8_lane(const sb_number8 *number, unsigned lane,
                                      const sb_number *modulus) {
  uint64_t limbs[SB_LIMBS], words[SB_LANES], top;
  for (int i = 0; i < SB_LIMBS; i++) {
    sb_lanes_store(words, number->limb[i]);
    limbs[i] = words[lane];
  }
  sb_number result = sb_number_of_limbs(limbs, &top);
  while (top > 0 || !sb_number_is_below(&result, modulus)) {
    top -= sb_number_subtract(&result, &result, modulus);
  }
  return result;
}

/// Sets one lane.
SB_FUNCTION void sb_number8_set_lane(sb_number8 *number, unsigned lane, const sb_number *value) {
  uint64_t limbs[SB_LIMBS], words[SB_LANES];
  sb_limbs_of_number(limbs, value);
  for (int i = 0; i < SB_LIMBS; i++) {
    sb_lanes_store(words, number->limb[i]);
    words[lane] = limbs[i];
    number->limb[i] = sb_lanes_load(words);
  }
}

/// Returns left + right, not carried.
SB_LANES_INLINE sb_number8 sb_number8_add(sb_number8 left, sb_number8 right) {
  for (int i = 0; i < SB_LIMBS; i++) left.limb[i] = sb_lanes_add(left.limb[i], right.limb[i]);
  return left;
}

/// Returns left - right, not carried.
SB_LANES_INLINE sb_number8 sb_number8_subtract(sb_number8 left, sb_number8 right) {
  for (int i = 0; i < SB_LIMBS; i++) left.limb[i] = sb_lanes_subtract(left.limb[i], right.limb[i]);
  return left;
}

/// Returns `first` in the lanes of the mask, `second` in the others.
SB_LANES_INLINE sb_number8 sb_number8_select(sb_lane_mask mask, sb_number8 first,
                                             sb_number8 second) {
  for (int i = 0; i < SB_LIMBS; i++) {
    first.limb[i] = sb_lanes_select(mask, first.limb[i], second.limb[i]);
  }
  return first;
}

/// Adds what each limb has above 52 bits to the next one, and leaves it in its place too: an
/// uncarried number in 0 ..< 2^(52 SB_LIMBS) is a factor then.
SB_LANES_INLINE sb_number8 sb_number8_factor(sb_number8 number) {
  for (int i = 0; i < SB_TOP_LIMB; i++) {
    sb_lanes carry = sb_lanes_shift_right_signed(number.limb[i], 52);
    number.limb[i + 1] = sb_lanes_add(number.limb[i + 1], carry);
  }
  return number;
}

/// Carries all limbs but the highest; the number is carried then if it is in 0 ..< 2^(52 SB_LIMBS).
SB_LANES_INLINE sb_number8 sb_number8_carry(sb_number8 number) {
  const sb_lanes mask = sb_lanes_all(SB_LIMB_MASK);
  number = sb_number8_factor(number);
  for (int i = 0; i < SB_TOP_LIMB; i++) number.limb[i] = sb_lanes_and(number.limb[i], mask);
  return number;
}

/// Adds left * right to column[0...SB_LIMBS], where `right` is one limb.
SB_LANES_INLINE void sb_lanes_multiply_columns(sb_lanes *column, sb_number8 left, sb_lanes right) {
  for (int i = 0; i < SB_LIMBS; i++) {
    column[i] = sb_lanes_multiply_low(column[i], left.limb[i], right);
    column[i + 1] = sb_lanes_multiply_high(column[i + 1], left.limb[i], right);
  }
}

/// Brings a carried number below 2 moduli below one. `modulus` is in all lanes.
SB_LANES_INLINE sb_number8 sb_number8_reduce_once(sb_number8 number, sb_number8 modulus) {
  sb_number8 reduced = sb_number8_carry(sb_number8_subtract(number, modulus));
  return sb_number8_select(sb_lanes_are_negative(reduced.limb[SB_TOP_LIMB]), number, reduced);
}

/// The bits from `low_bits` of `low` on, and above them those of `high`.
#define SB_FUNNEL(low, high, low_bits) \
  sb_lanes_or(sb_lanes_shift_right(low, low_bits), sb_lanes_shift_left(high, 64 - (low_bits)))

SB_LANES_INLINE sb_number8 sb_number8_from_words(sb_words8 words) {
  const sb_lanes mask = sb_lanes_all(SB_LIMB_MASK);
  sb_number8 result;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) {
    int index = 52 * i / 64, shift = 52 * i % 64;
    sb_lanes limb = shift > 12 && index + 1 < SB_WORDS
                        ? SB_FUNNEL(words.word[index], words.word[index + 1], shift)
                        : sb_lanes_shift_right(words.word[index], shift);
    result.limb[i] = i < SB_TOP_LIMB ? sb_lanes_and(limb, mask) : limb;
  }
  return result;
}

/// Returns the words of a carried number below 2^SB_BITS.
SB_LANES_INLINE sb_words8 sb_words8_from_number(sb_number8 number) {
  sb_words8 result;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) {
    int index = 64 * i / 52, shift = 64 * i - 52 * index;
    sb_lanes word = sb_lanes_or(sb_lanes_shift_right(number.limb[index], shift),
                                sb_lanes_shift_left(number.limb[index + 1], 52 - shift));
    if (shift > 40) {
      word = sb_lanes_or(word, sb_lanes_shift_left(number.limb[index + 2], 104 - shift));
    }
    result.word[i] = word;
  }
  return result;
}

/// Exchanges rows and columns of eight vectors of eight words, in three steps: pairs of lanes,
/// pairs of pairs, halves.
SB_LANES_INLINE void sb_lanes_transpose(sb_lanes row[SB_LANES]) {
  static const uint64_t low_pairs[8] = {0, 1, 8, 9, 4, 5, 12, 13};
  static const uint64_t high_pairs[8] = {2, 3, 10, 11, 6, 7, 14, 15};
  static const uint64_t low_halves[8] = {0, 1, 2, 3, 8, 9, 10, 11};
  static const uint64_t high_halves[8] = {4, 5, 6, 7, 12, 13, 14, 15};
  const sb_lanes low_pair = sb_lanes_load(low_pairs), high_pair = sb_lanes_load(high_pairs);
  const sb_lanes low_half = sb_lanes_load(low_halves);
  const sb_lanes high_half = sb_lanes_load(high_halves);
  sb_lanes ones[8], twos[8];
  for (int i = 0; i < 8; i += 2) {
    ones[i] = sb_lanes_interleave_even(row[i], row[i + 1]);
    ones[i + 1] = sb_lanes_interleave_odd(row[i], row[i + 1]);
  }
  for (int half = 0; half < 8; half += 4) {
    for (int i = half; i < half + 2; i++) {
      twos[i] = sb_lanes_pick(ones[i], low_pair, ones[i + 2]);
      twos[i + 2] = sb_lanes_pick(ones[i], high_pair, ones[i + 2]);
    }
  }
  for (int i = 0; i < 4; i++) {
    row[i] = sb_lanes_pick(twos[i], low_half, twos[i + 4]);
    row[i + 4] = sb_lanes_pick(twos[i], high_half, twos[i + 4]);
  }
}

#endif
