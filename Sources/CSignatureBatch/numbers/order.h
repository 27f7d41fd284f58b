#ifndef CSIGNATUREBATCH_ORDER_H
#define CSIGNATUREBATCH_ORDER_H

#include "../curves/curve.h"
#include "inversion.h"

/// Arithmetic mod n, the order of the base point, in Montgomery form with R = 2^SB_BITS. All
/// numbers given and returned are below n.

#if SB_BITS == 256
/// R^2 mod n.
static const sb_number SB_ORDER_R2 = {
    {0x83244C95BE79EEA2, 0x4699799C49BD6FA6, 0x2845B2392B6BEC59, 0x66E12D94F3D95620}};
/// -1 / n mod 2^64.
static const uint64_t SB_ORDER_NEGATED_INVERSE = 0xCCD1C8AAEE00BC4F;
#else
static const sb_number SB_ORDER_R2 = {{0x2D319B2419B409A9, 0xFF3D81E5DF1AA419, 0xBC3E483AFCB82947,
                                       0xD40D49174AAB1CC5, 0x3FB05B7A28266895, 0x0C84EE012B39BF21}};
static const uint64_t SB_ORDER_NEGATED_INVERSE = 0x6ED46089E88FDC45;
#endif

/// Computes result = left * right / R (Montgomery, 1985; the word-by-word form of C. K. Koc, T.
/// Acar and B. S. Kaliski, Analyzing and comparing Montgomery multiplication algorithms, 1996,
/// "CIOS").
SB_INLINE void sb_order_multiply(sb_number *result, const sb_number *left, const sb_number *right) {
  uint64_t sum[SB_WORDS + 1] = {0};
  for (int i = 0; i < SB_WORDS; i++) {
    sb_wide carry = 0;
    SB_UNROLL
    for (int j = 0; j < SB_WORDS; j++) {
      carry += (sb_wide)left->word[j] * right->word[i] + sum[j];
      sum[j] = (uint64_t)carry;
      carry >>= 64;
    }
    carry += sum[SB_WORDS];
    uint64_t low_top = (uint64_t)carry, high_top = (uint64_t)(carry >> 64);
    uint64_t quotient = sum[0] * SB_ORDER_NEGATED_INVERSE;
    carry = ((sb_wide)quotient * SB_ORDER.word[0] + sum[0]) >> 64;
    SB_UNROLL
    for (int j = 1; j < SB_WORDS; j++) {
      carry += (sb_wide)quotient * SB_ORDER.word[j] + sum[j];
      sum[j - 1] = (uint64_t)carry;
      carry >>= 64;
    }
    carry += low_top;
    sum[SB_WORDS - 1] = (uint64_t)carry;
    sum[SB_WORDS] = high_top + (uint64_t)(carry >> 64);
  }
  sb_number low, reduced;
  for (int i = 0; i < SB_WORDS; i++) low.word[i] = sum[i];
  uint64_t borrow = sb_number_subtract(&reduced, &low, &SB_ORDER);
  sb_number_select(result, sum[SB_WORDS] < borrow, &low, &reduced);
}

/// Computes result = R / number. `number` is not zero.
SB_INLINE void sb_order_invert(sb_number *result, const sb_number *number) {
  sb_number inverse;
  sb_invert(&inverse, number, &SB_INVERSION_ORDER);
  sb_order_multiply(result, &inverse, &SB_ORDER_R2);
}

/// Replaces each of at most eight numbers, none of them 0, by R / number, with one inversion. For
/// the product P of all up to number i, R / number i and R / P without it follow from R / P.
SB_FUNCTION void sb_order_invert_each(sb_number *numbers, size_t count) {
  sb_number prefixes[8], product = {{1}}, inverse;
  for (size_t i = 0; i < count; i++) {
    prefixes[i] = product;
    sb_order_multiply(&product, &product, &numbers[i]);
  }
  sb_order_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    sb_number number = numbers[i];
    sb_order_multiply(&numbers[i], &inverse, &prefixes[i]);
    sb_order_multiply(&inverse, &inverse, &number);
  }
}

/// Computes result = number mod n, for any number of SB_BITS bits: n is above half of 2^SB_BITS.
SB_INLINE void sb_order_reduce(sb_number *result, const sb_number *number) {
  sb_number reduced;
  uint64_t borrow = sb_number_subtract(&reduced, number, &SB_ORDER);
  sb_number_select(result, borrow, number, &reduced);
}

/// Returns whether 0 < number < n, as r and s have to be (FIPS 186-5, 6.4.2, step 1).
SB_INLINE bool sb_order_is_in_range(const sb_number *number) {
  return !sb_number_is_zero(number) && sb_number_is_below(number, &SB_ORDER);
}

#endif
