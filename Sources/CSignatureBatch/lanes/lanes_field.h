#ifndef CSIGNATUREBATCH_LANES_FIELD_H
#define CSIGNATUREBATCH_LANES_FIELD_H

#include "../numbers/field.h"
#include "lanes_number.h"

/// Arithmetic mod p in eight lanes, in Montgomery form with R = 2^(52 SB_LIMBS), on limbs of 52
/// bits (S. Gueron and V. Krasnov, Accelerating big integer arithmetic using Intel IFMA extensions,
/// 2016). Sums and differences are uncarried and get enough multiples of p not to be negative.
#if SB_BITS == 256
#include "lanes_field_p256.h"
#else
#include "lanes_field_p384.h"
#endif

/// Returns left - right + times p, not carried. It is not negative if right is below left + times
/// p.
SB_LANES_INLINE sb_number8 sb_field8_subtract(sb_number8 left, sb_number8 right, uint64_t times) {
  return sb_field8_add_primes(sb_number8_subtract(left, right), times);
}

/// Returns number^2 / R, not carried: the mixed products once, doubled, and the squares.
SB_LANES_INLINE sb_number8 sb_field8_square_product(sb_number8 number) {
  const sb_lanes *limb = number.limb;
  sb_lanes column[2 * SB_LIMBS + 1];
  SB_UNROLL
  for (int i = 0; i <= 2 * SB_LIMBS; i++) column[i] = sb_lanes_all(0);
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) {
    SB_UNROLL
    for (int j = i + 1; j < SB_LIMBS; j++) {
      column[i + j] = sb_lanes_multiply_low(column[i + j], limb[i], limb[j]);
      column[i + j + 1] = sb_lanes_multiply_high(column[i + j + 1], limb[i], limb[j]);
    }
  }
  SB_UNROLL
  for (int i = 1; i < 2 * SB_LIMBS - 1; i++) column[i] = sb_lanes_add(column[i], column[i]);
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) {
    column[2 * i] = sb_lanes_multiply_low(column[2 * i], limb[i], limb[i]);
    column[2 * i + 1] = sb_lanes_multiply_high(column[2 * i + 1], limb[i], limb[i]);
  }
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) sb_field8_reduce_limb(column + i);
  sb_number8 result;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS; i++) result.limb[i] = column[i + SB_LIMBS];
  return result;
}

/// Returns left * right / R, not carried.
SB_LANES_INLINE sb_number8 sb_field8_product(sb_number8 left, sb_number8 right) {
  sb_number8 zero;
  for (int i = 0; i < SB_LIMBS; i++) zero.limb[i] = sb_lanes_all(0);
  return sb_field8_product_plus(left, right, zero);
}

/// Returns left * right / R, carried.
SB_LANES_INLINE sb_number8 sb_field8_multiply(sb_number8 left, sb_number8 right) {
  return sb_number8_carry(sb_field8_product(left, right));
}

/// Returns left * right / R as a factor.
SB_LANES_INLINE sb_number8 sb_field8_multiply_factor(sb_number8 left, sb_number8 right) {
  return sb_number8_factor(sb_field8_product(left, right));
}

/// Returns times p - number, not carried. It is not negative if number is not above times p.
SB_LANES_INLINE sb_number8 sb_field8_negate(sb_number8 number, uint64_t times) {
  sb_number8 zero;
  for (int i = 0; i < SB_LIMBS; i++) zero.limb[i] = sb_lanes_all(0);
  return sb_field8_subtract(zero, number, times);
}

/// Returns the lanes of `number`, exchanged as `index` says.
SB_LANES_INLINE sb_number8 sb_number8_permute(sb_number8 number, const uint64_t index[8]) {
  const sb_lanes lanes = sb_lanes_load(index);
  for (int i = 0; i < SB_LIMBS; i++) {
    number.limb[i] = sb_lanes_pick(number.limb[i], lanes, number.limb[i]);
  }
  return number;
}

/// Inverts eight field numbers with one inversion: the product of all lanes takes three products
/// with exchanged lanes, and each is taken back in turn. Returns false if a lane is 0.
SB_FUNCTION bool sb_field8_invert(sb_number8 *number) {
  static const uint64_t neighbours[8] = {1, 0, 3, 2, 5, 4, 7, 6};
  static const uint64_t pairs[8] = {2, 3, 0, 1, 6, 7, 4, 5};
  static const uint64_t halves[8] = {4, 5, 6, 7, 0, 1, 2, 3};
  sb_number8 other1 = sb_number8_permute(*number, neighbours);
  sb_number8 product2 = sb_field8_multiply(*number, other1);
  sb_number8 other2 = sb_number8_permute(product2, pairs);
  sb_number8 product4 = sb_field8_multiply(product2, other2);
  sb_number8 other4 = sb_number8_permute(product4, halves);
  sb_number8 product8 = sb_field8_multiply(product4, other4);
  sb_number total = sb_number8_lane(&product8, 0, &SB_PRIME);
  if (sb_number_is_zero(&total)) return false;
  sb_number inverse;
  sb_invert(&inverse, &total, &SB_INVERSION_PRIME);
  sb_field_multiply(&inverse, &inverse, &SB_LANES_INVERSION_FACTOR);
  sb_number8 result = sb_number8_all(&inverse);
  result = sb_field8_multiply(result, other4);
  result = sb_field8_multiply(result, other2);
  *number = sb_field8_multiply(result, other1);
  return true;
}

#endif
