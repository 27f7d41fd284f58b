#ifndef CSIGNATUREBATCH_LANES_FIELD_P384_H
#define CSIGNATUREBATCH_LANES_FIELD_P384_H

#include "lanes_field.h"

/// Arithmetic mod the p of P-384 in eight lanes, with R = 2^416.
///
/// A "field number" is carried and lies between 0 and 2^385 + 2^384 / 2^20; it need not be below p.
/// There are 32 bits of slack, so that sums and differences are only carried, and not reduced,
/// before a product: products take factors a and b below 2^400 and are below p + a b / R.

/// R mod p: one in this form.
static const sb_number SB_LANES_ONE = {
    {0x0000000100000000, 0xFFFFFFFFFFFFFFFF, 0x0000000100000000, 0, 0, 0}};

/// R^2 mod p: by sb_field_multiply, it brings 1 / (a R) to R / a.
static const sb_number SB_LANES_INVERSION_FACTOR = {{0x0000000000000000, 0xFFFFFFFE00000001,
                                                     0x0000000200000000, 0xFFFFFFFE00000000,
                                                     0x0000000200000000, 0x0000000000000001}};

/// R and 1 / R mod p: by sb_field_multiply, they bring an ordinary number into this form, and out
/// of it.
static const sb_number SB_LANES_ENTERING_FACTOR = {
    {0x0000000100000000, 0xFFFFFFFFFFFFFFFF, 0x0000000100000000, 0, 0, 0}};
static const sb_number SB_LANES_LEAVING_FACTOR = {{0xFFFFFFD8FFFFFFE7, 0xFFFFFFF7FFFFFFE5,
                                                   0xFFFFFFFAFFFFFFFB, 0x00000002FFFFFFFC,
                                                   0x000000140000000C, 0x0000000600000014}};

/// The numbers of p that are added to differences so that they are not negative: above any field
/// number, two of them that are equal, and three.
enum { SB_PRIMES_ABOVE = 4, SB_PRIMES_ABOVE_TWICE = 8, SB_PRIMES_ABOVE_SUM = 12 };

/// Returns number + times p, not carried. In limbs of 52 bits with signs, p is 2^32 - 1, -2^44,
/// -2^24, 0, 0, 0, 0, 2^20.
SB_LANES_INLINE sb_number8 sb_field8_add_primes(sb_number8 number, uint64_t times) {
  sb_lanes *limb = number.limb;
  limb[0] = sb_lanes_add(limb[0], sb_lanes_all(times * (((uint64_t)1 << 32) - 1)));
  limb[1] = sb_lanes_subtract(limb[1], sb_lanes_all(times << 44));
  limb[2] = sb_lanes_subtract(limb[2], sb_lanes_all(times << 24));
  limb[7] = sb_lanes_add(limb[7], sb_lanes_all(times << 20));
  return number;
}

/// Returns an uncarried number from p to 2^400 as a field number. The part above 2^384 is folded,
/// as 2^384 = p + 2^128 + 2^96 - 2^32 + 1. All of it but 1 is folded, since limbs that are not yet
/// carried may take one away.
SB_LANES_INLINE sb_number8 sb_field8_carry(sb_number8 number) {
  sb_lanes *limb = number.limb;
  sb_lanes above = sb_lanes_shift_right_signed(limb[7], 20);
  above = sb_lanes_subtract(above, sb_lanes_all(1));
  limb[7] = sb_lanes_subtract(limb[7], sb_lanes_shift_left(above, 20));
  limb[0] = sb_lanes_add(limb[0], above);
  limb[0] = sb_lanes_subtract(limb[0], sb_lanes_shift_left(above, 32));
  limb[1] = sb_lanes_add(limb[1], sb_lanes_shift_left(above, 44));
  limb[2] = sb_lanes_add(limb[2], sb_lanes_shift_left(above, 24));
  return sb_number8_carry(number);
}

/// Does one step of Montgomery's reduction: adds q p to column[0...8], where q = -column[0] / p =
/// column[0] (1 + 2^32) mod 2^52. p is 2^32 - 1, 2^52 - 2^44, 2^52 - 2^24 - 1, -1, 0, 0, 0, 2^20 in
/// limbs. column[0] becomes a multiple of 2^52, of which only the carry is wanted: that of
/// column[0] and q (2^32 - 1), whose low 52 bits cancel each other, so that it need not wait for q.
SB_LANES_INLINE void sb_field8_reduce_limb(sb_lanes *column) {
  const sb_lanes inverse = sb_lanes_all(1 + ((uint64_t)1 << 32));
  const sb_lanes limb0 = sb_lanes_all(((uint64_t)1 << 32) - 1);
  const sb_lanes limb1 = sb_lanes_all(((uint64_t)1 << 52) - ((uint64_t)1 << 44));
  const sb_lanes limb2 = sb_lanes_all(((uint64_t)1 << 52) - ((uint64_t)1 << 24) - 1);
  const sb_lanes limb7 = sb_lanes_all((uint64_t)1 << 20);
  sb_lanes quotient = sb_lanes_multiply_low(sb_lanes_all(0), column[0], inverse);
  sb_lanes carry = sb_lanes_add(column[0], sb_lanes_all(SB_LIMB_MASK));
  column[1] = sb_lanes_add(column[1], sb_lanes_shift_right_signed(carry, 52));
  column[1] = sb_lanes_multiply_high(column[1], quotient, limb0);
  column[2] = sb_lanes_multiply_high(column[2], quotient, limb1);
  column[3] = sb_lanes_subtract(column[3], quotient);
  column[1] = sb_lanes_multiply_low(column[1], quotient, limb1);
  column[2] = sb_lanes_multiply_low(column[2], quotient, limb2);
  column[3] = sb_lanes_multiply_high(column[3], quotient, limb2);
  column[7] = sb_lanes_multiply_low(column[7], quotient, limb7);
  column[8] = sb_lanes_multiply_high(column[8], quotient, limb7);
}

/// Returns left * right / R + addend, not carried. Each row is reduced as it comes.
SB_LANES_INLINE sb_number8 sb_field8_product_plus(sb_number8 left, sb_number8 right,
                                                  sb_number8 addend) {
  sb_lanes column[17];
  SB_UNROLL
  for (int i = 0; i < 8; i++) {
    column[i] = sb_lanes_all(0);
    column[i + 8] = addend.limb[i];
  }
  column[16] = sb_lanes_all(0);
  SB_UNROLL
  for (int i = 0; i < 8; i++) {
    SB_UNROLL
    for (int j = 0; j < 8; j++) {
      column[i + j] = sb_lanes_multiply_low(column[i + j], left.limb[j], right.limb[i]);
    }
    SB_UNROLL
    for (int j = 0; j < 8; j++) {
      column[i + j + 1] = sb_lanes_multiply_high(column[i + j + 1], left.limb[j], right.limb[i]);
    }
    sb_field8_reduce_limb(column + i);
  }
  sb_number8 result;
  SB_UNROLL
  for (int i = 0; i < 8; i++) result.limb[i] = column[i + 8];
  return result;
}

/// Returns a field number, or a product, as the number below p.
SB_LANES_INLINE sb_number8 sb_field8_canonical(sb_number8 number) {
  const sb_number8 prime = sb_number8_all(&SB_PRIME);
  for (int i = 0; i < 3; i++) number = sb_number8_reduce_once(number, prime);
  return number;
}

#endif
