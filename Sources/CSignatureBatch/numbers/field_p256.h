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

/// Computes result = left - right.
SB_INLINE void sb_field_subtract(sb_number *result, const sb_number *left, const sb_number *right) {
  sb_number difference;
  uint64_t mask = -sb_number_subtract(&difference, left, right);
  sb_number correction = {{mask, mask & SB_PRIME.word[1], 0, mask & SB_PRIME.word[3]}};
  sb_number_add(result, &difference, &correction);
}

/// Computes sum[0...4] = sum[0...3] + left * factor.
SB_INLINE void sb_field_multiply_row(uint64_t *sum, const sb_number *left, uint64_t factor) {
  uint64_t high0, high1, high2, high3;
  uint64_t product0 = sb_multiply_words(left->word[0], factor, &high0);
  uint64_t product1 = sb_multiply_words(left->word[1], factor, &high1);
  uint64_t product2 = sb_multiply_words(left->word[2], factor, &high2);
  uint64_t product3 = sb_multiply_words(left->word[3], factor, &high3);
  uint64_t carry = 0;
  product1 = sb_add_carry(product1, high0, &carry);
  product2 = sb_add_carry(product2, high1, &carry);
  product3 = sb_add_carry(product3, high2, &carry);
  high3 += carry;
  carry = 0;
  sum[0] = sb_add_carry(sum[0], product0, &carry);
  sum[1] = sb_add_carry(sum[1], product1, &carry);
  sum[2] = sb_add_carry(sum[2], product2, &carry);
  sum[3] = sb_add_carry(sum[3], product3, &carry);
  sum[4] = high3 + carry;
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

/// Computes result = left * right / R.
SB_INLINE void sb_field_multiply(sb_number *result, const sb_number *left, const sb_number *right) {
  uint64_t product[8] = {0};
  sb_field_multiply_row(product, left, right->word[0]);
  sb_field_multiply_row(product + 1, left, right->word[1]);
  sb_field_multiply_row(product + 2, left, right->word[2]);
  sb_field_multiply_row(product + 3, left, right->word[3]);
  sb_field_reduce(result, product);
}

/// Computes sum[0...1] = word^2 + low + high 2^64 + *carry, the carry left in *carry.
SB_INLINE void sb_field_square_word(uint64_t *sum, uint64_t word, uint64_t low, uint64_t high,
                                    uint64_t *carry) {
  uint64_t square_high;
  uint64_t square_low = sb_multiply_words(word, word, &square_high);
  sum[0] = sb_add_carry(square_low, low, carry);
  sum[1] = sb_add_carry(square_high, high, carry);
}

/// Computes product[0...7] = number^2: the six mixed products once, doubled, and the four squares.
SB_INLINE void sb_number_square(uint64_t *product, const sb_number *number) {
  const uint64_t *word = number->word;
  uint64_t mixed[7];
  uint64_t high01, high02, high03, high12, high13, high23, carry = 0;
  mixed[1] = sb_multiply_words(word[0], word[1], &high01);
  mixed[2] = sb_multiply_words(word[0], word[2], &high02);
  mixed[3] = sb_multiply_words(word[0], word[3], &high03);
  uint64_t low12 = sb_multiply_words(word[1], word[2], &high12);
  uint64_t low13 = sb_multiply_words(word[1], word[3], &high13);
  mixed[5] = sb_multiply_words(word[2], word[3], &high23);
  mixed[2] = sb_add_carry(mixed[2], high01, &carry);
  mixed[3] = sb_add_carry(mixed[3], high02, &carry);
  mixed[4] = sb_add_carry(high03, low13, &carry);
  mixed[5] = sb_add_carry(mixed[5], high13, &carry);
  mixed[6] = high23 + carry;
  carry = 0;
  mixed[3] = sb_add_carry(mixed[3], low12, &carry);
  mixed[4] = sb_add_carry(mixed[4], high12, &carry);
  mixed[5] = sb_add_carry(mixed[5], 0, &carry);
  mixed[6] += carry;
  carry = 0;
  sb_field_square_word(product, word[0], 0, mixed[1] << 1, &carry);
  sb_field_square_word(product + 2, word[1], mixed[2] << 1 | mixed[1] >> 63,
                       mixed[3] << 1 | mixed[2] >> 63, &carry);
  sb_field_square_word(product + 4, word[2], mixed[4] << 1 | mixed[3] >> 63,
                       mixed[5] << 1 | mixed[4] >> 63, &carry);
  sb_field_square_word(product + 6, word[3], mixed[6] << 1 | mixed[5] >> 63, mixed[6] >> 63,
                       &carry);
}

/// Computes result = number^2 / R.
SB_INLINE void sb_field_square(sb_number *result, const sb_number *number) {
  uint64_t product[8];
  sb_number_square(product, number);
  sb_field_reduce(result, product);
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
