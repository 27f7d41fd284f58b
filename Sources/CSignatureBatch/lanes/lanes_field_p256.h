#ifndef CSIGNATUREBATCH_LANES_FIELD_P256_H
#define CSIGNATUREBATCH_LANES_FIELD_P256_H

#include "lanes_field.h"

/// Arithmetic mod the p of P-256 in eight lanes, with R = 2^260.
///
/// A "field number" is carried and below 2^257; it need not be below p. Sums and differences are
/// uncarried and get enough multiples of p not to be negative. Products take factors a and b below
/// 2^260 and are below p + a b / R, so that field numbers stay field numbers.

/// R mod p: one in this form.
static const sb_number SB_LANES_ONE = {
    {0x0000000000000010, 0xFFFFFFF000000000, 0xFFFFFFFFFFFFFFFF, 0x0000000FFFFFFFEF}};

/// 2^776 mod p = R^2 2^256: by sb_field_multiply, it brings 1 / (a R) to R / a.
static const sb_number SB_LANES_INVERSION_FACTOR = {
    {0xFFFFFD0000000A00, 0xFFFFEDFFFFFFF7FF, 0x000005FFFFFFFCFF, 0x0000180000000100}};

/// R 2^256 and 2^256 / R mod p: by sb_field_multiply, they bring an ordinary number into this
/// form, and out of it.
static const sb_number SB_LANES_ENTERING_FACTOR = {
    {0x0000000000000030, 0xFFFFFFBFFFFFFFF0, 0xFFFFFFFFFFFFFFEF, 0x0000004FFFFFFFDF}};
static const sb_number SB_LANES_LEAVING_FACTOR = {
    {0x0000000000000000, 0x0000000010000000, 0x1000000000000000, 0x0FFFFFFFF0000000}};

/// The numbers of p that are added to differences so that they are not negative: above any field
/// number, two of them that are equal, and three.
enum { SB_PRIMES_ABOVE = 2, SB_PRIMES_ABOVE_TWICE = 3, SB_PRIMES_ABOVE_SUM = 6 };

/// The limbs of p = 2^256 - 2^224 + 2^192 + 2^96 - 1; limb 2 is 0.
static const uint64_t SB_PRIME_LIMB_0 = 0xFFFFFFFFFFFFF;
static const uint64_t SB_PRIME_LIMB_1 = 0x00FFFFFFFFFFF;
static const uint64_t SB_PRIME_LIMB_3 = 0x0001000000000;
static const uint64_t SB_PRIME_LIMB_4 = 0x0FFFFFFFF0000;

/// Returns number + times p, not carried.
SB_LANES_INLINE sb_number8 sb_field8_add_primes(sb_number8 number, uint64_t times) {
  sb_lanes *limb = number.limb;
  limb[0] = sb_lanes_add(limb[0], sb_lanes_all(times * SB_PRIME_LIMB_0));
  limb[1] = sb_lanes_add(limb[1], sb_lanes_all(times * SB_PRIME_LIMB_1));
  limb[3] = sb_lanes_add(limb[3], sb_lanes_all(times * SB_PRIME_LIMB_3));
  limb[4] = sb_lanes_add(limb[4], sb_lanes_all(times * SB_PRIME_LIMB_4));
  return number;
}

/// Returns an uncarried number in 0 ..< 16 p as a field number: less q p, where q is about number /
/// 2^256, as p = 2^256 - (2^224 - 2^192 - 2^96 + 1).
SB_LANES_INLINE sb_number8 sb_field8_carry(sb_number8 number) {
  sb_lanes *limb = number.limb;
  sb_lanes quotient = sb_lanes_shift_right_signed(limb[4], 48);
  limb[4] = sb_lanes_and(limb[4], sb_lanes_all(UINT64_MAX >> 16));
  limb[0] = sb_lanes_add(limb[0], quotient);
  limb[1] = sb_lanes_subtract(limb[1], sb_lanes_shift_left(quotient, 44));
  limb[3] = sb_lanes_subtract(limb[3], sb_lanes_shift_left(quotient, 36));
  limb[4] = sb_lanes_add(limb[4], sb_lanes_shift_left(quotient, 16));
  return sb_number8_carry(number);
}

/// Does one step of Montgomery's reduction: adds q p to column[0...5], where q = column[0] mod
/// 2^52, since p is -1 mod 2^52; column[0] becomes a multiple of 2^52 and is carried. Above -1, p
/// is 2^(52 + 44) + 2^(3 * 52 + 36) + SB_PRIME_LIMB_4 2^(4 * 52). Multiplications read the low 52
/// bits of column[0] alone.
SB_LANES_INLINE void sb_field8_reduce_limb(sb_lanes *column) {
  const sb_lanes power44 = sb_lanes_all((uint64_t)1 << 44);
  const sb_lanes power36 = sb_lanes_all((uint64_t)1 << 36);
  const sb_lanes limb4 = sb_lanes_all(SB_PRIME_LIMB_4);
  const sb_lanes quotient = column[0];
  column[1] = sb_lanes_add(column[1], sb_lanes_shift_right(column[0], 52));
  column[1] = sb_lanes_multiply_low(column[1], quotient, power44);
  column[2] = sb_lanes_multiply_high(column[2], quotient, power44);
  column[3] = sb_lanes_multiply_low(column[3], quotient, power36);
  column[4] = sb_lanes_multiply_high(column[4], quotient, power36);
  column[4] = sb_lanes_multiply_low(column[4], quotient, limb4);
  column[5] = sb_lanes_multiply_high(column[5], quotient, limb4);
}

/// Returns a product / R mod p, from its ten columns, not carried.
SB_LANES_INLINE sb_number8 sb_field8_reduce(sb_lanes column[10]) {
  sb_field8_reduce_limb(column);
  sb_field8_reduce_limb(column + 1);
  sb_field8_reduce_limb(column + 2);
  sb_field8_reduce_limb(column + 3);
  sb_field8_reduce_limb(column + 4);
  sb_number8 result = {{column[5], column[6], column[7], column[8], column[9]}};
  return result;
}

/// Returns left * right / R + addend, not carried.
SB_LANES_INLINE sb_number8 sb_field8_product_plus(sb_number8 left, sb_number8 right,
                                                  sb_number8 addend) {
  sb_lanes column[10];
  for (int i = 0; i < 5; i++) {
    column[i] = sb_lanes_all(0);
    column[i + 5] = addend.limb[i];
  }
  sb_lanes_multiply_columns(column, left, right.limb[0]);
  sb_lanes_multiply_columns(column + 1, left, right.limb[1]);
  sb_lanes_multiply_columns(column + 2, left, right.limb[2]);
  sb_lanes_multiply_columns(column + 3, left, right.limb[3]);
  sb_lanes_multiply_columns(column + 4, left, right.limb[4]);
  return sb_field8_reduce(column);
}

/// Returns a field number as the number below p.
SB_LANES_INLINE sb_number8 sb_field8_canonical(sb_number8 number) {
  return sb_number8_reduce_once(number, sb_number8_all(&SB_PRIME));
}

#endif
