#ifndef CSIGNATUREBATCH_LANES_EMULATED_H
#define CSIGNATUREBATCH_LANES_EMULATED_H

#include "../../Sources/CSignatureBatch/numbers/elements.h"

/// Eight words of 64 bits in plain C: what the operations of lanes_avx512.h do, so that the code of
/// the eight-lane arithmetic runs, slowly, on every processor.

typedef struct {
  uint64_t lane[SB_LANES];
} sb_lanes;

/// A mask with one bit for each lane.
typedef uint8_t sb_lane_mask;

static const uint64_t SB_LOW_52 = UINT64_MAX >> 12;

#define SB_EACH_LANE(expression)            \
  sb_lanes result;                          \
  for (unsigned i = 0; i < SB_LANES; i++) { \
    result.lane[i] = (expression);          \
  }                                         \
  return result

SB_INLINE sb_lanes sb_lanes_all(uint64_t word) { SB_EACH_LANE(word); }

SB_INLINE sb_lanes sb_lanes_load(const uint64_t *words) { SB_EACH_LANE(words[i]); }

SB_INLINE void sb_lanes_store(uint64_t *words, sb_lanes lanes) {
  for (unsigned i = 0; i < SB_LANES; i++) words[i] = lanes.lane[i];
}

SB_INLINE sb_lanes sb_lanes_add(sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(left.lane[i] + right.lane[i]);
}

SB_INLINE sb_lanes sb_lanes_subtract(sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(left.lane[i] - right.lane[i]);
}

SB_INLINE sb_lanes sb_lanes_and(sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(left.lane[i] & right.lane[i]);
}

SB_INLINE sb_lanes sb_lanes_or(sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(left.lane[i] | right.lane[i]);
}

SB_INLINE sb_lanes sb_lanes_shift_left(sb_lanes lanes, unsigned bits) {
  SB_EACH_LANE(lanes.lane[i] << bits);
}

SB_INLINE sb_lanes sb_lanes_shift_right(sb_lanes lanes, unsigned bits) {
  SB_EACH_LANE(lanes.lane[i] >> bits);
}

/// Shifts to the right. The sign bit fills up.
SB_INLINE sb_lanes sb_lanes_shift_right_signed(sb_lanes lanes, unsigned bits) {
  SB_EACH_LANE((uint64_t)((int64_t)lanes.lane[i] >> bits));
}

SB_INLINE sb_wide sb_product_52(uint64_t left, uint64_t right) {
  return (sb_wide)(left & SB_LOW_52) * (right & SB_LOW_52);
}

/// Returns what VPMADD52LUQ does: sum plus the low 52 bits of the product of the low 52 bits of the
/// factors.
SB_INLINE sb_lanes sb_lanes_multiply_low(sb_lanes sum, sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(sum.lane[i] + ((uint64_t)sb_product_52(left.lane[i], right.lane[i]) & SB_LOW_52));
}

/// Returns what VPMADD52HUQ does: sum plus the high 52 bits of that product.
SB_INLINE sb_lanes sb_lanes_multiply_high(sb_lanes sum, sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(sum.lane[i] + (uint64_t)(sb_product_52(left.lane[i], right.lane[i]) >> 52));
}

/// Returns left[0], right[0], left[2], right[2], ...
SB_INLINE sb_lanes sb_lanes_interleave_even(sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(i % 2 == 0 ? left.lane[i] : right.lane[i - 1]);
}

/// Returns left[1], right[1], left[3], right[3], ...
SB_INLINE sb_lanes sb_lanes_interleave_odd(sb_lanes left, sb_lanes right) {
  SB_EACH_LANE(i % 2 == 0 ? left.lane[i + 1] : right.lane[i]);
}

/// Picks as VPERMT2Q does: index 0 to 7 picks from left, 8 to 15 from right.
SB_INLINE sb_lanes sb_lanes_pick(sb_lanes left, sb_lanes index, sb_lanes right) {
  SB_EACH_LANE(index.lane[i] % 16 < 8 ? left.lane[index.lane[i] % 8]
                                      : right.lane[index.lane[i] % 8]);
}

/// Returns the lanes that are negative as signed words.
SB_INLINE sb_lane_mask sb_lanes_are_negative(sb_lanes lanes) {
  unsigned mask = 0;
  for (unsigned i = 0; i < SB_LANES; i++) mask |= (unsigned)(lanes.lane[i] >> 63) << i;
  return (sb_lane_mask)mask;
}

/// Returns the lanes whose byte is not 0.
SB_INLINE sb_lane_mask sb_lanes_mask_of_bytes(const uint8_t *bytes) {
  unsigned mask = 0;
  for (unsigned i = 0; i < SB_LANES; i++) mask |= (unsigned)(bytes[i] != 0) << i;
  return (sb_lane_mask)mask;
}

/// Returns `first` in the lanes of the mask, `second` in the others.
SB_INLINE sb_lanes sb_lanes_select(sb_lane_mask mask, sb_lanes first, sb_lanes second) {
  SB_EACH_LANE((mask >> i & 1) != 0 ? first.lane[i] : second.lane[i]);
}

#endif
