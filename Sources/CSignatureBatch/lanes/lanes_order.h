#ifndef CSIGNATUREBATCH_LANES_ORDER_H
#define CSIGNATUREBATCH_LANES_ORDER_H

#include "lanes_number.h"
#include "../numbers/order.h"

/// Arithmetic mod n in eight lanes, in Montgomery form with R = 2^(52 SB_LIMBS); see lanes_field.h.

#if SB_BITS == 256
/// R mod n.
static const sb_number SB_LANES_ORDER_ONE = {
    {0xC46353D039CDAAF0, 0x319055258E8617B0, 0x0000000000000004, 0x0000000FFFFFFFF0}};
/// -1 / n mod 2^52.
static const uint64_t SB_ORDER_NEGATED_INVERSE_52 = 0x1C8AAEE00BC4F;
#else
static const sb_number SB_LANES_ORDER_ONE = {
    {0x333AD68D00000000, 0xB74F58851313E695, 0x0BC8D220A7E5F24D, 0x00000000389CB27E, 0, 0}};
static const uint64_t SB_ORDER_NEGATED_INVERSE_52 = 0x46089E88FDC45;
#endif

/// Returns left * right / R, carried and below n + left * right / R (Montgomery, 1985).
SB_FUNCTION sb_number8 sb_order8_multiply(sb_number8 left, sb_number8 right) {
  const sb_lanes zero = sb_lanes_all(0);
  const sb_lanes negated_inverse = sb_lanes_all(SB_ORDER_NEGATED_INVERSE_52);
  const sb_number8 order = sb_number8_all(&SB_ORDER);
  sb_lanes column[2 * SB_LIMBS];
  for (int i = 0; i < 2 * SB_LIMBS; i++) column[i] = zero;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) {
    sb_lanes_multiply_columns(column + i, left, right.limb[i]);
    sb_lanes quotient = sb_lanes_multiply_low(zero, column[i], negated_inverse);
    sb_lanes_multiply_columns(column + i, order, quotient);
    column[i + 1] = sb_lanes_add(column[i + 1], sb_lanes_shift_right(column[i], 52));
  }
  sb_number8 result;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) result.limb[i] = column[SB_LIMBS + i];
  return sb_number8_carry(result);
}

/// Replaces eight carried numbers, none of them 0 mod n, by R / number.
SB_FUNCTION void sb_order8_invert(sb_number8 *numbers) {
  sb_number each[SB_LANES];
  for (unsigned i = 0; i < SB_LANES; i++) each[i] = sb_number8_lane(numbers, i, &SB_ORDER);
  sb_order_invert_each(each, SB_LANES);
  for (unsigned i = 0; i < SB_LANES; i++) {
    // From 2^SB_BITS / number to R / number.
    sb_order_multiply(&each[i], &each[i], &SB_LANES_ORDER_ONE);
    sb_number8_set_lane(numbers, i, &each[i]);
  }
}

#endif
