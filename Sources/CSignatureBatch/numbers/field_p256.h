#ifndef CSIGNATUREBATCH_FIELD_P256_H
#define CSIGNATUREBATCH_FIELD_P256_H

#include "../curves/curve.h"
#include "inversion.h"

/// Arithmetic mod p in Montgomery form with R = 2^256 (P. L. Montgomery, Modular multiplication
/// without trial division, 1985): a stands for a R mod p. All numbers given and returned are below
/// p.

/// R mod p: one in Montgomery form.
#define SB_FIELD_ONE_WORDS \
  {{0x0000000000000001, 0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFF, 0x00000000FFFFFFFE}}
static const sb_number SB_FIELD_ONE = SB_FIELD_ONE_WORDS;

/// R^2 mod p: a product with it brings a number into Montgomery form.
static const sb_number SB_FIELD_R2 = {
    {0x0000000000000003, 0xFFFFFFFBFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0x00000004FFFFFFFD}};

/// R^3 mod p: a product with it brings 1 / (a R) to R / a.
static const sb_number SB_FIELD_R3 = {
    {0xFFFFFFFD0000000A, 0xFFFFFFEDFFFFFFF7, 0x00000005FFFFFFFC, 0x0000001800000001}};

/// The curve's b in Montgomery form.
static const sb_number SB_FIELD_B = {
    {0xD89CDF6229C4BDDF, 0xACF005CD78843090, 0xE5A220ABF7212ED6, 0xDC30061D04874834}};

/// Computes result = (number + top 2^256) mod p, for a sum below 2 p. Where top is 0, the number is
/// below p but for once in 2^32 times: a branch that is foreseen costs less than a choice of four
/// words.
SB_INLINE void sb_field_reduce_once(sb_number *result, const sb_number *number, uint64_t top) {
  uint64_t mask = -top;
  sb_number multiple = {{mask, mask & SB_PRIME.word[1], 0, mask & SB_PRIME.word[3]}};
  sb_number_subtract(result, number, &multiple);
  if (__builtin_expect(result->word[3] >= SB_PRIME.word[3], 0)) {
    sb_number reduced;
    if (sb_number_subtract(&reduced, result, &SB_PRIME) == 0) *result = reduced;
  }
}

SB_INLINE void sb_field_subtract(sb_number *result, const sb_number *left, const sb_number *right) {
  sb_number difference;
  uint64_t mask = -sb_number_subtract(&difference, left, right);
  sb_number correction = {{mask, mask & SB_PRIME.word[1], 0, mask & SB_PRIME.word[3]}};
  sb_number_add(result, &difference, &correction);
}

/// Does one step of Montgomery's reduction. The quotient is the lowest word q itself, since p is -1
/// mod 2^64, and q p + q = q 2^96 + (q 2^64 + q - q 2^32) 2^192. Takes words[0...3] and leaves in
/// words[1...4] what the sum with q p has there; its lowest word is 0.
SB_INLINE void sb_field_reduce_word(uint64_t *words) {
  uint64_t quotient = words[0];
  uint64_t borrow = 0, carry = 0;
  uint64_t low = sb_subtract_borrow(quotient, quotient << 32, &borrow);
  uint64_t high = sb_subtract_borrow(quotient, quotient >> 32, &borrow);
  words[1] = sb_add_carry(words[1], quotient << 32, &carry);
  words[2] = sb_add_carry(words[2], quotient >> 32, &carry);
  words[3] = sb_add_carry(words[3], low, &carry);
  words[4] = high + carry;
}

/// Computes result = product / R mod p, for a product of eight words below p^2.
SB_INLINE void sb_field_reduce(sb_number *result, const uint64_t *product) {
  uint64_t words[8] = {product[0], product[1], product[2], product[3]};
  sb_field_reduce_word(words);
  sb_field_reduce_word(words + 1);
  sb_field_reduce_word(words + 2);
  sb_field_reduce_word(words + 3);
  sb_number low = {{words[4], words[5], words[6], words[7]}};
  sb_number high = {{product[4], product[5], product[6], product[7]}};
  sb_number sum;
  uint64_t carry = sb_number_add(&sum, &low, &high);
  sb_field_reduce_once(result, &sum, carry);
}

/// Computes result = R^2 / number: the inverse, in Montgomery form. `number` is not zero.
SB_INLINE void sb_field_invert(sb_number *result, const sb_number *number) {
  sb_number inverse;
  sb_invert(&inverse, number, &SB_INVERSION_PRIME);
  sb_field_multiply(result, &inverse, &SB_FIELD_R3);
}

/// Computes result = number in Montgomery form.
SB_INLINE void sb_field_enter(sb_number *result, const sb_number *number) {
  sb_field_multiply(result, number, &SB_FIELD_R2);
}

/// Computes result = number / R: out of Montgomery form.
SB_INLINE void sb_field_leave(sb_number *result, const sb_number *number) {
  const uint64_t words[8] = {number->word[0], number->word[1], number->word[2], number->word[3]};
  sb_field_reduce(result, words);
}

#endif
