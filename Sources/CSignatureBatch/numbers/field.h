#ifndef CSIGNATUREBATCH_FIELD_H
#define CSIGNATUREBATCH_FIELD_H

#include "../curves/curve.h"
#include "inversion.h"

/// Returns the low word of left * right, and the high one in *high.
SB_INLINE uint64_t sb_multiply_words(uint64_t left, uint64_t right, uint64_t *high) {
  sb_wide product = (sb_wide)left * right;
  *high = (uint64_t)(product >> 64);
  return (uint64_t)product;
}

/// Computes sum[first...] += left * factor, for the words of left from `first` on; sum[SB_WORDS] is
/// set.
SB_INLINE void sb_multiply_row(uint64_t *sum, const sb_number *left, uint64_t factor, int first) {
  uint64_t low[SB_WORDS], high[SB_WORDS], carry = 0;
  SB_UNROLL
  for (int i = first; i < SB_WORDS; i++) {
    low[i] = sb_multiply_words(left->word[i], factor, &high[i]);
  }
  SB_UNROLL
  for (int i = first + 1; i < SB_WORDS; i++) low[i] = sb_add_carry(low[i], high[i - 1], &carry);
  high[SB_WORDS - 1] += carry;
  carry = 0;
  SB_UNROLL
  for (int i = first; i < SB_WORDS; i++) sum[i] = sb_add_carry(sum[i], low[i], &carry);
  sum[SB_WORDS] = high[SB_WORDS - 1] + carry;
}

/// Computes result = product mod p, for a product of 2 SB_WORDS words below p^2; in Montgomery form
/// product / R mod p.
SB_INLINE void sb_field_reduce(sb_number *result, const uint64_t *product);

SB_INLINE void sb_field_multiply(sb_number *result, const sb_number *left, const sb_number *right) {
  uint64_t product[2 * SB_WORDS] = {0};
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) sb_multiply_row(product + i, left, right->word[i], 0);
  sb_field_reduce(result, product);
}

/// Computes result = number^2: the mixed products once, doubled, and the squares.
SB_INLINE void sb_field_square(sb_number *result, const sb_number *number) {
  uint64_t product[2 * SB_WORDS] = {0}, carry = 0;
  SB_UNROLL
  for (int i = 0; i + 1 < SB_WORDS; i++) {
    sb_multiply_row(product + i, number, number->word[i], i + 1);
  }
  product[2 * SB_WORDS - 1] = product[2 * SB_WORDS - 2] >> 63;
  SB_UNROLL
  for (int i = 2 * SB_WORDS - 2; i > 0; i--) product[i] = product[i] << 1 | product[i - 1] >> 63;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) {
    uint64_t high, low = sb_multiply_words(number->word[i], number->word[i], &high);
    product[2 * i] = sb_add_carry(product[2 * i], low, &carry);
    product[2 * i + 1] = sb_add_carry(product[2 * i + 1], high, &carry);
  }
  sb_field_reduce(result, product);
}

/// Arithmetic mod p on words, in the form that is fastest for p. All numbers given and returned are
/// below p.
#if SB_BITS == 256
#include "field_p256.h"
#else
#include "field_p384.h"
#endif

SB_INLINE void sb_field_add(sb_number *result, const sb_number *left, const sb_number *right) {
  sb_number sum;
  uint64_t carry = sb_number_add(&sum, left, right);
  sb_field_reduce_once(result, &sum, carry);
}

/// Returns whether (x, y), ordinary numbers of any size, is a point of the curve other than the one at
/// infinity (SEC 1, 3.2.2.1): x and y below p, and y^2 = x^3 - 3 x + b.
SB_INLINE bool sb_field_is_on_curve(const sb_number *x, const sb_number *y) {
  if (!sb_number_is_below(x, &SB_PRIME) || !sb_number_is_below(y, &SB_PRIME)) return false;
  sb_number field_x, left, right, triple;
  sb_field_enter(&left, y);
  sb_field_square(&left, &left);
  sb_field_enter(&field_x, x);
  sb_field_square(&right, &field_x);
  sb_field_multiply(&right, &right, &field_x);
  sb_field_add(&triple, &field_x, &field_x);
  sb_field_add(&triple, &triple, &field_x);
  sb_field_subtract(&right, &right, &triple);
  sb_field_add(&right, &right, &SB_FIELD_B);
  return sb_number_equals(&left, &right);
}

#endif
