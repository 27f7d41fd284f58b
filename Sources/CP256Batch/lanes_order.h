#ifndef CP256BATCH_LANES_ORDER_H
#define CP256BATCH_LANES_ORDER_H

#include "lanes_number.h"
#include "order.h"

/// Arithmetic mod n in eight lanes, in Montgomery form with R = 2^260; see lanes_field.h.

/// R mod n.
static const p256_number P256_LANES_ORDER_ONE = {
    {0xC46353D039CDAAF0, 0x319055258E8617B0, 0x0000000000000004, 0x0000000FFFFFFFF0}};

/// -1 / n mod 2^52.
static const uint64_t P256_ORDER_NEGATED_INVERSE_52 = 0x1C8AAEE00BC4F;

/// column[0...5] += left * right, where `right` is one limb.
P256_LANES_INLINE void p256_lanes_multiply_columns(p256_lanes *column, p256_number8 left,
                                                   p256_lanes right) {
  for (int i = 0; i < 5; i++) {
    column[i] = p256_lanes_multiply_low(column[i], left.limb[i], right);
    column[i + 1] = p256_lanes_multiply_high(column[i + 1], left.limb[i], right);
  }
}

/// left * right / R, carried and below n + left * right / R (Montgomery, 1985).
static inline __attribute__((unused)) p256_number8 p256_order8_multiply(p256_number8 left,
                                                                        p256_number8 right) {
  const p256_lanes zero = p256_lanes_all(0);
  const p256_lanes negated_inverse = p256_lanes_all(P256_ORDER_NEGATED_INVERSE_52);
  const p256_number8 order = p256_number8_all(&P256_ORDER);
  p256_lanes column[10];
  for (int i = 0; i < 10; i++) column[i] = zero;
#pragma clang loop unroll(full)
  for (int i = 0; i < 5; i++) {
    p256_lanes_multiply_columns(column + i, left, right.limb[i]);
    p256_lanes quotient = p256_lanes_multiply_low(zero, column[i], negated_inverse);
    p256_lanes_multiply_columns(column + i, order, quotient);
    column[i + 1] = p256_lanes_add(column[i + 1], p256_lanes_shift_right(column[i], 52));
  }
  p256_number8 result = {{column[5], column[6], column[7], column[8], column[9]}};
  return p256_number8_carry(result);
}

/// Replaces eight carried numbers, none of them 0 mod n, by R / number.
static inline __attribute__((unused)) void p256_order8_invert(p256_number8 *numbers) {
  p256_number each[P256_LANES];
  for (unsigned i = 0; i < P256_LANES; i++) each[i] = p256_number8_lane(numbers, i, &P256_ORDER);
  p256_order_invert_each(each, P256_LANES);
  for (unsigned i = 0; i < P256_LANES; i++) {
    // From 2^256 / number to 2^260 / number.
    p256_order_multiply(&each[i], &each[i], &P256_LANES_ORDER_ONE);
    p256_number8_set_lane(numbers, i, &each[i]);
  }
}

#endif
