#ifndef CP256BATCH_LANES_EMULATED_H
#define CP256BATCH_LANES_EMULATED_H

#include "kernel.h"

/// Eight words of 64 bits in plain C: what the operations of lanes_avx512.h do, so that the code of
/// the eight-lane kernel runs, slowly, on every processor.

typedef struct {
  uint64_t lane[P256_LANES];
} p256_lanes;

/// One bit for each lane.
typedef uint8_t p256_lane_mask;

static const uint64_t P256_LOW_52 = UINT64_MAX >> 12;

#define P256_EACH_LANE(expression)            \
  p256_lanes result;                          \
  for (unsigned i = 0; i < P256_LANES; i++) { \
    result.lane[i] = (expression);            \
  }                                           \
  return result

P256_INLINE p256_lanes p256_lanes_all(uint64_t word) { P256_EACH_LANE(word); }

P256_INLINE p256_lanes p256_lanes_load(const uint64_t *words) { P256_EACH_LANE(words[i]); }

P256_INLINE void p256_lanes_store(uint64_t *words, p256_lanes lanes) {
  for (unsigned i = 0; i < P256_LANES; i++) words[i] = lanes.lane[i];
}

P256_INLINE p256_lanes p256_lanes_add(p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(left.lane[i] + right.lane[i]);
}

P256_INLINE p256_lanes p256_lanes_subtract(p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(left.lane[i] - right.lane[i]);
}

P256_INLINE p256_lanes p256_lanes_and(p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(left.lane[i] & right.lane[i]);
}

P256_INLINE p256_lanes p256_lanes_or(p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(left.lane[i] | right.lane[i]);
}

P256_INLINE p256_lanes p256_lanes_shift_left(p256_lanes lanes, unsigned bits) {
  P256_EACH_LANE(lanes.lane[i] << bits);
}

P256_INLINE p256_lanes p256_lanes_shift_right(p256_lanes lanes, unsigned bits) {
  P256_EACH_LANE(lanes.lane[i] >> bits);
}

/// The sign bit fills up.
P256_INLINE p256_lanes p256_lanes_shift_right_signed(p256_lanes lanes, unsigned bits) {
  P256_EACH_LANE((uint64_t)((int64_t)lanes.lane[i] >> bits));
}

P256_INLINE p256_wide p256_product_52(uint64_t left, uint64_t right) {
  return (p256_wide)(left & P256_LOW_52) * (right & P256_LOW_52);
}

/// VPMADD52LUQ: sum plus the low 52 bits of the product of the low 52 bits of the factors.
P256_INLINE p256_lanes p256_lanes_multiply_low(p256_lanes sum, p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(sum.lane[i] +
                 ((uint64_t)p256_product_52(left.lane[i], right.lane[i]) & P256_LOW_52));
}

/// VPMADD52HUQ: sum plus the high 52 bits of that product.
P256_INLINE p256_lanes p256_lanes_multiply_high(p256_lanes sum, p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(sum.lane[i] + (uint64_t)(p256_product_52(left.lane[i], right.lane[i]) >> 52));
}

/// left[0], right[0], left[2], right[2], ...
P256_INLINE p256_lanes p256_lanes_interleave_even(p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(i % 2 == 0 ? left.lane[i] : right.lane[i - 1]);
}

/// left[1], right[1], left[3], right[3], ...
P256_INLINE p256_lanes p256_lanes_interleave_odd(p256_lanes left, p256_lanes right) {
  P256_EACH_LANE(i % 2 == 0 ? left.lane[i + 1] : right.lane[i]);
}

/// VPERMT2Q: index 0 to 7 picks from left, 8 to 15 from right.
P256_INLINE p256_lanes p256_lanes_pick(p256_lanes left, p256_lanes index, p256_lanes right) {
  P256_EACH_LANE(index.lane[i] % 16 < 8 ? left.lane[index.lane[i] % 8]
                                        : right.lane[index.lane[i] % 8]);
}

/// The lanes that are negative as signed words.
P256_INLINE p256_lane_mask p256_lanes_are_negative(p256_lanes lanes) {
  unsigned mask = 0;
  for (unsigned i = 0; i < P256_LANES; i++) mask |= (unsigned)(lanes.lane[i] >> 63) << i;
  return (p256_lane_mask)mask;
}

/// The lanes whose byte is not 0.
P256_INLINE p256_lane_mask p256_lanes_mask_of_bytes(const uint8_t *bytes) {
  unsigned mask = 0;
  for (unsigned i = 0; i < P256_LANES; i++) mask |= (unsigned)(bytes[i] != 0) << i;
  return (p256_lane_mask)mask;
}

/// `first` in the lanes of the mask, `second` in the others.
P256_INLINE p256_lanes p256_lanes_select(p256_lane_mask mask, p256_lanes first, p256_lanes second) {
  P256_EACH_LANE((mask >> i & 1) != 0 ? first.lane[i] : second.lane[i]);
}

#endif
