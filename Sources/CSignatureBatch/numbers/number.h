#ifndef CSIGNATUREBATCH_NUMBER_H
#define CSIGNATUREBATCH_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Numbers of SB_BITS bits, 256 or 384, and the carries they are made with. Everything from here on
/// is compiled once for each curve and each arithmetic: a source file defines SB_BITS and includes
/// what it is made of. All functions are variable in time where that is faster: nothing here is
/// secret.

#ifndef SB_BITS
#error "SB_BITS is 256 or 384"
#endif

enum { SB_WORDS = SB_BITS / 64, SB_BYTES = SB_BITS / 8 };

#define SB_INLINE static inline __attribute__((always_inline, unused))
/// The attributes of functions that are called rarely.
#define SB_FUNCTION static inline __attribute__((unused))
#define SB_UNROLL _Pragma("clang loop unroll(full)")

/// The same for code of the eight-lane arithmetic, which the emulated one compiles as functions:
/// inlined they would take a minute to compile and a megabyte.
#ifndef SB_LANES_INLINE
#define SB_LANES_INLINE SB_INLINE
#endif

typedef unsigned __int128 sb_wide;
typedef __int128 sb_signed_wide;

/// A number below 2^SB_BITS, the least significant word first.
typedef struct {
  uint64_t word[SB_WORDS];
} sb_number;

/// Returns left + right + *carry. The carry out, 0 or 1, is left in *carry.
SB_INLINE uint64_t sb_add_carry(uint64_t left, uint64_t right, uint64_t *carry) {
  unsigned long long carry_out;
  uint64_t sum = __builtin_addcll(left, right, *carry, &carry_out);
  *carry = carry_out;
  return sum;
}

/// Returns left - right - *borrow. The borrow out, 0 or 1, is left in *borrow.
SB_INLINE uint64_t sb_subtract_borrow(uint64_t left, uint64_t right, uint64_t *borrow) {
  unsigned long long borrow_out;
  uint64_t difference = __builtin_subcll(left, right, *borrow, &borrow_out);
  *borrow = borrow_out;
  return difference;
}

/// Computes result = left + right mod 2^SB_BITS. Returns the carry.
SB_INLINE uint64_t sb_number_add(sb_number *result, const sb_number *left, const sb_number *right) {
  uint64_t carry = 0;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) {
    result->word[i] = sb_add_carry(left->word[i], right->word[i], &carry);
  }
  return carry;
}

/// Computes result = left - right mod 2^SB_BITS. Returns the borrow.
SB_INLINE uint64_t sb_number_subtract(sb_number *result, const sb_number *left,
                                      const sb_number *right) {
  uint64_t borrow = 0;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) {
    result->word[i] = sb_subtract_borrow(left->word[i], right->word[i], &borrow);
  }
  return borrow;
}

SB_INLINE bool sb_number_is_zero(const sb_number *number) {
  uint64_t bits = 0;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) bits |= number->word[i];
  return bits == 0;
}

SB_INLINE bool sb_number_equals(const sb_number *left, const sb_number *right) {
  uint64_t bits = 0;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) bits |= left->word[i] ^ right->word[i];
  return bits == 0;
}

SB_INLINE bool sb_number_is_below(const sb_number *left, const sb_number *right) {
  sb_number difference;
  return sb_number_subtract(&difference, left, right) != 0;
}

/// Returns the number of SB_BYTES bytes, the most significant first.
SB_INLINE sb_number sb_number_from_bytes(const uint8_t *bytes) {
  sb_number number;
  for (int i = 0; i < SB_WORDS; i++) {
    uint64_t word = 0;
    for (int j = 0; j < 8; j++) word = word << 8 | bytes[8 * (SB_WORDS - 1 - i) + j];
    number.word[i] = word;
  }
  return number;
}

/// Sets result to `first` where `flag`, else to `second`. Takes no branch, which would be
/// mispredicted.
SB_INLINE void sb_number_select(sb_number *result, bool flag, const sb_number *first,
                                const sb_number *second) {
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) result->word[i] = flag ? first->word[i] : second->word[i];
}

#endif
