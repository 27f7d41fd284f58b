#ifndef CP256BATCH_NUMBER_H
#define CP256BATCH_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Numbers of 256 bits and the carries they are made with. All functions are variable in time where
/// that is faster: nothing here is secret.

#define P256_INLINE static inline __attribute__((always_inline, unused))

/// The same for code of the eight-lane kernel, which the emulated one compiles as functions:
/// inlined they would take a minute to compile and a megabyte.
#ifndef P256_LANES_INLINE
#define P256_LANES_INLINE P256_INLINE
#endif

typedef unsigned __int128 p256_wide;
typedef __int128 p256_signed_wide;

/// A number below 2^256, the least significant word first.
typedef struct {
  uint64_t word[4];
} p256_number;

/// left + right + *carry; the carry out, 0 or 1, is left in *carry.
P256_INLINE uint64_t p256_add_carry(uint64_t left, uint64_t right, uint64_t *carry) {
  unsigned long long carry_out;
  uint64_t sum = __builtin_addcll(left, right, *carry, &carry_out);
  *carry = carry_out;
  return sum;
}

/// left - right - *borrow; the borrow out, 0 or 1, is left in *borrow.
P256_INLINE uint64_t p256_subtract_borrow(uint64_t left, uint64_t right, uint64_t *borrow) {
  unsigned long long borrow_out;
  uint64_t difference = __builtin_subcll(left, right, *borrow, &borrow_out);
  *borrow = borrow_out;
  return difference;
}

/// result = left + right mod 2^256; returns the carry.
P256_INLINE uint64_t p256_number_add(p256_number *result, const p256_number *left,
                                     const p256_number *right) {
  uint64_t carry = 0;
  result->word[0] = p256_add_carry(left->word[0], right->word[0], &carry);
  result->word[1] = p256_add_carry(left->word[1], right->word[1], &carry);
  result->word[2] = p256_add_carry(left->word[2], right->word[2], &carry);
  result->word[3] = p256_add_carry(left->word[3], right->word[3], &carry);
  return carry;
}

/// result = left - right mod 2^256; returns the borrow.
P256_INLINE uint64_t p256_number_subtract(p256_number *result, const p256_number *left,
                                          const p256_number *right) {
  uint64_t borrow = 0;
  result->word[0] = p256_subtract_borrow(left->word[0], right->word[0], &borrow);
  result->word[1] = p256_subtract_borrow(left->word[1], right->word[1], &borrow);
  result->word[2] = p256_subtract_borrow(left->word[2], right->word[2], &borrow);
  result->word[3] = p256_subtract_borrow(left->word[3], right->word[3], &borrow);
  return borrow;
}

P256_INLINE bool p256_number_is_zero(const p256_number *number) {
  return (number->word[0] | number->word[1] | number->word[2] | number->word[3]) == 0;
}

P256_INLINE bool p256_number_equals(const p256_number *left, const p256_number *right) {
  return ((left->word[0] ^ right->word[0]) | (left->word[1] ^ right->word[1]) |
          (left->word[2] ^ right->word[2]) | (left->word[3] ^ right->word[3])) == 0;
}

P256_INLINE bool p256_number_is_below(const p256_number *left, const p256_number *right) {
  p256_number difference;
  return p256_number_subtract(&difference, left, right) != 0;
}

/// The number of 32 bytes, the most significant first.
P256_INLINE p256_number p256_number_from_bytes(const uint8_t *bytes) {
  p256_number number;
  for (int i = 0; i < 4; i++) {
    uint64_t word = 0;
    for (int j = 0; j < 8; j++) word = word << 8 | bytes[8 * (3 - i) + j];
    number.word[i] = word;
  }
  return number;
}

/// result = `first` where `flag`, else `second`; without a branch, which would be mispredicted.
P256_INLINE void p256_number_select(p256_number *result, bool flag, const p256_number *first,
                                    const p256_number *second) {
  result->word[0] = flag ? first->word[0] : second->word[0];
  result->word[1] = flag ? first->word[1] : second->word[1];
  result->word[2] = flag ? first->word[2] : second->word[2];
  result->word[3] = flag ? first->word[3] : second->word[3];
}

#endif
