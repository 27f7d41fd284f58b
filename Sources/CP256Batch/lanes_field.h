#ifndef CP256BATCH_LANES_FIELD_H
#define CP256BATCH_LANES_FIELD_H

#include "field.h"
#include "lanes_number.h"

/// Arithmetic mod p in eight lanes, in Montgomery form with R = 2^260, on limbs of 52 bits (S.
/// Gueron and V. Krasnov, Accelerating big integer arithmetic using Intel IFMA extensions, 2016).
///
/// A "field number" is carried and below 2^257; it need not be below p. Sums and differences are
/// uncarried and get enough multiples of p not to be negative. Products take carried numbers a and
/// b below 2^260 and are below p + a b / R, so that field numbers stay field numbers.

/// R mod p: one in this form.
static const p256_number P256_LANES_ONE = {
    {0x0000000000000010, 0xFFFFFFF000000000, 0xFFFFFFFFFFFFFFFF, 0x0000000FFFFFFFEF}};

/// 2^776 mod p = R^2 2^256: by p256_field_multiply, it brings 1 / (a R) to R / a.
static const p256_number P256_LANES_INVERSION_FACTOR = {
    {0xFFFFFD0000000A00, 0xFFFFEDFFFFFFF7FF, 0x000005FFFFFFFCFF, 0x0000180000000100}};

/// The limbs of p = 2^256 - 2^224 + 2^192 + 2^96 - 1; limb 2 is 0.
static const uint64_t P256_PRIME_LIMB_0 = 0xFFFFFFFFFFFFF;
static const uint64_t P256_PRIME_LIMB_1 = 0x00FFFFFFFFFFF;
static const uint64_t P256_PRIME_LIMB_3 = 0x0001000000000;
static const uint64_t P256_PRIME_LIMB_4 = 0x0FFFFFFFF0000;

/// number + times p, not carried.
P256_LANES_INLINE p256_number8 p256_field8_add_primes(p256_number8 number, uint64_t times) {
  p256_lanes *limb = number.limb;
  limb[0] = p256_lanes_add(limb[0], p256_lanes_all(times * P256_PRIME_LIMB_0));
  limb[1] = p256_lanes_add(limb[1], p256_lanes_all(times * P256_PRIME_LIMB_1));
  limb[3] = p256_lanes_add(limb[3], p256_lanes_all(times * P256_PRIME_LIMB_3));
  limb[4] = p256_lanes_add(limb[4], p256_lanes_all(times * P256_PRIME_LIMB_4));
  return number;
}

/// left - right + times p, not carried; not negative if right is below left + times p.
P256_LANES_INLINE p256_number8 p256_field8_subtract(p256_number8 left, p256_number8 right,
                                                    uint64_t times) {
  return p256_field8_add_primes(p256_number8_subtract(left, right), times);
}

/// An uncarried number in 0 ..< 16 p as a field number: less q p, where q is about number / 2^256,
/// as p = 2^256 - (2^224 - 2^192 - 2^96 + 1).
P256_LANES_INLINE p256_number8 p256_field8_carry(p256_number8 number) {
  p256_lanes *limb = number.limb;
  p256_lanes quotient = p256_lanes_shift_right_signed(limb[4], 48);
  limb[4] = p256_lanes_and(limb[4], p256_lanes_all(UINT64_MAX >> 16));
  limb[0] = p256_lanes_add(limb[0], quotient);
  limb[1] = p256_lanes_subtract(limb[1], p256_lanes_shift_left(quotient, 44));
  limb[3] = p256_lanes_subtract(limb[3], p256_lanes_shift_left(quotient, 36));
  limb[4] = p256_lanes_add(limb[4], p256_lanes_shift_left(quotient, 16));
  return p256_number8_carry(number);
}

/// One step of Montgomery's reduction: adds q p to column[0...5], where q = column[0] mod 2^52,
/// since p is -1 mod 2^52; column[0] becomes a multiple of 2^52 and is carried. Above -1, p is
/// 2^(52 + 44) + 2^(3 * 52 + 36) + P256_PRIME_LIMB_4 2^(4 * 52).
P256_LANES_INLINE void p256_field8_reduce_limb(p256_lanes *column) {
  const p256_lanes power44 = p256_lanes_all((uint64_t)1 << 44);
  const p256_lanes power36 = p256_lanes_all((uint64_t)1 << 36);
  const p256_lanes limb4 = p256_lanes_all(P256_PRIME_LIMB_4);
  p256_lanes quotient = p256_lanes_and(column[0], p256_lanes_all(P256_LIMB_MASK));
  column[1] = p256_lanes_add(column[1], p256_lanes_shift_right(column[0], 52));
  column[1] = p256_lanes_multiply_low(column[1], quotient, power44);
  column[2] = p256_lanes_multiply_high(column[2], quotient, power44);
  column[3] = p256_lanes_multiply_low(column[3], quotient, power36);
  column[4] = p256_lanes_multiply_high(column[4], quotient, power36);
  column[4] = p256_lanes_multiply_low(column[4], quotient, limb4);
  column[5] = p256_lanes_multiply_high(column[5], quotient, limb4);
}

/// Ten columns of a product / R mod p, not carried.
P256_LANES_INLINE p256_number8 p256_field8_reduce(p256_lanes column[10]) {
  p256_field8_reduce_limb(column);
  p256_field8_reduce_limb(column + 1);
  p256_field8_reduce_limb(column + 2);
  p256_field8_reduce_limb(column + 3);
  p256_field8_reduce_limb(column + 4);
  p256_number8 result = {{column[5], column[6], column[7], column[8], column[9]}};
  return result;
}

/// low[0...4] and high[1...5] += number * factor: the low and high halves of the limbs' products.
P256_LANES_INLINE void p256_lanes_multiply_row(p256_lanes *low, p256_lanes *high,
                                               p256_number8 number, p256_lanes factor) {
  for (int i = 0; i < 5; i++) {
    low[i] = p256_lanes_multiply_low(low[i], number.limb[i], factor);
    high[i + 1] = p256_lanes_multiply_high(high[i + 1], number.limb[i], factor);
  }
}

/// left * right / R, not carried. The two halves of the products have sums of their own, so that
/// fewer additions wait for each other.
P256_LANES_INLINE p256_number8 p256_field8_product(p256_number8 left, p256_number8 right) {
  const p256_lanes zero = p256_lanes_all(0);
  p256_lanes low[10], high[10];
  for (int i = 0; i < 10; i++) low[i] = high[i] = zero;
  p256_lanes_multiply_row(low, high, left, right.limb[0]);
  p256_lanes_multiply_row(low + 1, high + 1, left, right.limb[1]);
  p256_lanes_multiply_row(low + 2, high + 2, left, right.limb[2]);
  p256_lanes_multiply_row(low + 3, high + 3, left, right.limb[3]);
  p256_lanes_multiply_row(low + 4, high + 4, left, right.limb[4]);
  for (int i = 1; i < 10; i++) low[i] = p256_lanes_add(low[i], high[i]);
  return p256_field8_reduce(low);
}

/// number^2 / R, not carried: the mixed products once, doubled, and the squares.
P256_LANES_INLINE p256_number8 p256_field8_square_product(p256_number8 number) {
  const p256_lanes *limb = number.limb;
  p256_lanes column[10];
  for (int i = 0; i < 10; i++) column[i] = p256_lanes_all(0);
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) {
#pragma clang loop unroll(full)
    for (int j = i + 1; j < 5; j++) {
      column[i + j] = p256_lanes_multiply_low(column[i + j], limb[i], limb[j]);
      column[i + j + 1] = p256_lanes_multiply_high(column[i + j + 1], limb[i], limb[j]);
    }
  }
  for (int i = 1; i < 9; i++) column[i] = p256_lanes_add(column[i], column[i]);
  for (int i = 0; i < 5; i++) {
    column[2 * i] = p256_lanes_multiply_low(column[2 * i], limb[i], limb[i]);
    column[2 * i + 1] = p256_lanes_multiply_high(column[2 * i + 1], limb[i], limb[i]);
  }
  return p256_field8_reduce(column);
}

/// left * right / R, carried.
P256_LANES_INLINE p256_number8 p256_field8_multiply(p256_number8 left, p256_number8 right) {
  return p256_number8_carry(p256_field8_product(left, right));
}

/// A field number as the number below p.
P256_LANES_INLINE p256_number8 p256_field8_canonical(p256_number8 number) {
  return p256_number8_reduce_once(number, p256_number8_all(&P256_PRIME));
}

/// The lanes of `number`, exchanged as `index` says.
P256_LANES_INLINE p256_number8 p256_number8_permute(p256_number8 number, const uint64_t index[8]) {
  const p256_lanes lanes = p256_lanes_load(index);
  for (int i = 0; i < 5; i++) {
    number.limb[i] = p256_lanes_pick(number.limb[i], lanes, number.limb[i]);
  }
  return number;
}

/// The inverses of eight field numbers with one inversion: the product of all lanes takes three
/// products with exchanged lanes, and each is taken back in turn. False where a lane is 0.
static inline __attribute__((unused)) bool p256_field8_invert(p256_number8 *number) {
  static const uint64_t neighbours[8] = {1, 0, 3, 2, 5, 4, 7, 6};
  static const uint64_t pairs[8] = {2, 3, 0, 1, 6, 7, 4, 5};
  static const uint64_t halves[8] = {4, 5, 6, 7, 0, 1, 2, 3};
  p256_number8 other1 = p256_number8_permute(*number, neighbours);
  p256_number8 product2 = p256_field8_multiply(*number, other1);
  p256_number8 other2 = p256_number8_permute(product2, pairs);
  p256_number8 product4 = p256_field8_multiply(product2, other2);
  p256_number8 other4 = p256_number8_permute(product4, halves);
  p256_number8 product8 = p256_field8_multiply(product4, other4);
  p256_number total = p256_number8_lane(&product8, 0, &P256_PRIME);
  if (p256_number_is_zero(&total)) return false;
  p256_number inverse;
  p256_invert(&inverse, &total, &P256_INVERSION_PRIME);
  p256_field_multiply(&inverse, &inverse, &P256_LANES_INVERSION_FACTOR);
  p256_number8 result = p256_number8_all(&inverse);
  result = p256_field8_multiply(result, other4);
  result = p256_field8_multiply(result, other2);
  *number = p256_field8_multiply(result, other1);
  return true;
}

#endif
