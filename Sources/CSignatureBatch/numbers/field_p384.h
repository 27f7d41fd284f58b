#ifndef CSIGNATUREBATCH_FIELD_P384_H
#define CSIGNATUREBATCH_FIELD_P384_H

#include "field.h"

/// Arithmetic mod p = 2^384 - 2^128 - 2^96 + 2^32 - 1 on ordinary numbers: p is so close to a power
/// of two that folding what lies above it costs less than Montgomery's reduction.

#define SB_FIELD_ONE_WORDS {{1}}
static const sb_number SB_FIELD_ONE = SB_FIELD_ONE_WORDS;

static const sb_number SB_FIELD_B = {{0x2A85C8EDD3EC2AEF, 0xC656398D8A2ED19D, 0x0314088F5013875A,
                                      0x181D9C6EFE814112, 0x988E056BE3F82D19, 0xB3312FA7E23EE7E4}};

/// 2^384 - p = 2^128 + 2^96 - 2^32 + 1: what a carry out of 2^384 is worth.
static const sb_number SB_FIELD_FOLD = {{0xFFFFFFFF00000001, 0x00000000FFFFFFFF, 1}};

/// Computes result = (number + top 2^384) mod p, where top is 0 or 1, for a sum below 2 p. The
/// numbers from p to 2^384 are so few that the branch is foreseen.
SB_INLINE void sb_field_reduce_once(sb_number *result, const sb_number *number, uint64_t top) {
  uint64_t mask = -top;
  sb_number fold = {{mask & SB_FIELD_FOLD.word[0], mask & SB_FIELD_FOLD.word[1], top}};
  sb_number_add(result, number, &fold);
  uint64_t high = result->word[5] & result->word[4] & result->word[3];
  if (__builtin_expect(high == UINT64_MAX, 0)) {
    sb_number reduced;
    if (sb_number_subtract(&reduced, result, &SB_PRIME) == 0) *result = reduced;
  }
}

/// Computes result = left - right: where it borrows, p is added by taking off 2^384 - p.
SB_INLINE void sb_field_subtract(sb_number *result, const sb_number *left, const sb_number *right) {
  sb_number difference;
  uint64_t borrow = sb_number_subtract(&difference, left, right), mask = -borrow;
  sb_number fold = {{mask & SB_FIELD_FOLD.word[0], mask & SB_FIELD_FOLD.word[1], borrow}};
  sb_number_subtract(result, &difference, &fold);
}

/// Computes value[0...4] = top[0...2] (2^128 + 2^96 - 2^32 + 1), where top[2] is 0 or 1.
SB_INLINE void sb_field_fold_top(uint64_t *value, const uint64_t *top) {
  const uint64_t shifted[3] = {top[0] << 32, top[1] << 32 | top[0] >> 32,
                               top[2] << 32 | top[1] >> 32};
  uint64_t carry = 0;
  value[0] = top[0];
  value[1] = sb_add_carry(top[1], shifted[0], &carry);
  value[2] = sb_add_carry(top[2], shifted[1], &carry);
  value[3] = shifted[2] + carry;
  carry = 0;
  value[2] = sb_add_carry(value[2], top[0], &carry);
  value[3] = sb_add_carry(value[3], top[1], &carry);
  value[4] = top[2] + carry;
  uint64_t borrow = 0;
  SB_UNROLL
  for (int i = 0; i < 3; i++) value[i] = sb_subtract_borrow(value[i], shifted[i], &borrow);
  value[3] = sb_subtract_borrow(value[3], 0, &borrow);
  value[4] -= borrow;
}

/// Computes result = product mod p, for a product of twelve words below p^2. The high half H counts
/// H 2^128 + S 2^64 - S + H with S = 2^32 H, as 2^96 H is 2^64 S.
SB_INLINE void sb_field_reduce(sb_number *result, const uint64_t *product) {
  const uint64_t *high = product + 6;
  uint64_t shifted[7], sum[9], value[5], carry = 0, borrow = 0;
  shifted[0] = high[0] << 32;
  SB_UNROLL
  for (int i = 1; i < 6; i++) shifted[i] = high[i] << 32 | high[i - 1] >> 32;
  shifted[6] = high[5] >> 32;
  SB_UNROLL
  for (int i = 0; i < 6; i++) sum[i] = sb_add_carry(product[i], high[i], &carry);
  sum[6] = carry;
  carry = 0;
  SB_UNROLL
  for (int i = 0; i < 5; i++) sum[i + 2] = sb_add_carry(sum[i + 2], high[i], &carry);
  sum[7] = sb_add_carry(high[5], 0, &carry);
  sum[8] = carry;
  carry = 0;
  SB_UNROLL
  for (int i = 0; i < 7; i++) sum[i + 1] = sb_add_carry(sum[i + 1], shifted[i], &carry);
  sum[8] += carry;
  SB_UNROLL
  for (int i = 0; i < 7; i++) sum[i] = sb_subtract_borrow(sum[i], shifted[i], &borrow);
  sum[7] = sb_subtract_borrow(sum[7], 0, &borrow);
  sum[8] -= borrow;
  sb_field_fold_top(value, sum + 6);
  sb_number folded;
  carry = 0;
  SB_UNROLL
  for (int i = 0; i < 5; i++) folded.word[i] = sb_add_carry(sum[i], value[i], &carry);
  folded.word[5] = sb_add_carry(sum[5], 0, &carry);
  sb_field_reduce_once(result, &folded, carry);
}

/// Computes result = 1 / number. `number` is not zero.
SB_INLINE void sb_field_invert(sb_number *result, const sb_number *number) {
  sb_invert(result, number, &SB_INVERSION_PRIME);
}

/// Sets result to number in the form of this field, which is its own.
SB_INLINE void sb_field_enter(sb_number *result, const sb_number *number) { *result = *number; }

/// Sets result to number as an ordinary one.
SB_INLINE void sb_field_leave(sb_number *result, const sb_number *number) { *result = *number; }

#endif
