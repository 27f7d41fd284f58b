#ifndef CP256BATCH_ORDER_H
#define CP256BATCH_ORDER_H

#include "curve.h"
#include "inversion.h"

/// Arithmetic mod n, the order of the base point, in Montgomery form with R = 2^256. All numbers
/// given and returned are below n.

/// R^2 mod n.
static const p256_number P256_ORDER_R2 = {
    {0x83244C95BE79EEA2, 0x4699799C49BD6FA6, 0x2845B2392B6BEC59, 0x66E12D94F3D95620}};

/// -1 / n mod 2^64.
static const uint64_t P256_ORDER_NEGATED_INVERSE = 0xCCD1C8AAEE00BC4F;

/// result = left * right / R (Montgomery, 1985; the word-by-word form of C. K. Koc, T. Acar and
/// B. S. Kaliski, Analyzing and comparing Montgomery multiplication algorithms, 1996, "CIOS").
P256_INLINE void p256_order_multiply(p256_number *result, const p256_number *left,
                                     const p256_number *right) {
  uint64_t sum[5] = {0};
  for (int i = 0; i < 4; i++) {
    p256_wide carry = 0;
    for (int j = 0; j < 4; j++) {
      carry += (p256_wide)left->word[j] * right->word[i] + sum[j];
      sum[j] = (uint64_t)carry;
      carry >>= 64;
    }
    carry += sum[4];
    uint64_t fourth = (uint64_t)carry, fifth = (uint64_t)(carry >> 64);
    uint64_t quotient = sum[0] * P256_ORDER_NEGATED_INVERSE;
    carry = ((p256_wide)quotient * P256_ORDER.word[0] + sum[0]) >> 64;
    for (int j = 1; j < 4; j++) {
      carry += (p256_wide)quotient * P256_ORDER.word[j] + sum[j];
      sum[j - 1] = (uint64_t)carry;
      carry >>= 64;
    }
    carry += fourth;
    sum[3] = (uint64_t)carry;
    sum[4] = fifth + (uint64_t)(carry >> 64);
  }
  p256_number low = {{sum[0], sum[1], sum[2], sum[3]}}, reduced;
  uint64_t borrow = p256_number_subtract(&reduced, &low, &P256_ORDER);
  p256_number_select(result, sum[4] < borrow, &low, &reduced);
}

/// result = R / number. `number` is not zero.
P256_INLINE void p256_order_invert(p256_number *result, const p256_number *number) {
  p256_number inverse;
  p256_invert(&inverse, number, &P256_INVERSION_ORDER);
  p256_order_multiply(result, &inverse, &P256_ORDER_R2);
}

/// Replaces each of at most eight numbers, none of them 0, by R / number, with one inversion. For
/// the product P of all up to number i, R / number i and R / P without it follow from R / P.
static inline __attribute__((unused)) void p256_order_invert_each(p256_number *numbers,
                                                                  size_t count) {
  p256_number prefixes[8], product = {{1}}, inverse;
  for (size_t i = 0; i < count; i++) {
    prefixes[i] = product;
    p256_order_multiply(&product, &product, &numbers[i]);
  }
  p256_order_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    p256_number number = numbers[i];
    p256_order_multiply(&numbers[i], &inverse, &prefixes[i]);
    p256_order_multiply(&inverse, &inverse, &number);
  }
}

/// result = number mod n, for any number of 256 bits: n is above 2^255.
P256_INLINE void p256_order_reduce(p256_number *result, const p256_number *number) {
  p256_number reduced;
  uint64_t borrow = p256_number_subtract(&reduced, number, &P256_ORDER);
  p256_number_select(result, borrow, number, &reduced);
}

/// Whether 0 < number < n, as r and s have to be (FIPS 186-5, 6.4.2, step 1).
P256_INLINE bool p256_order_is_in_range(const p256_number *number) {
  return !p256_number_is_zero(number) && p256_number_is_below(number, &P256_ORDER);
}

#endif
