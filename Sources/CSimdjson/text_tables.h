#ifndef ATTEST_AUDIT_TEXT_TABLES_H
#define ATTEST_AUDIT_TEXT_TABLES_H

#include <stdint.h>

#include "attest_signs.h"
#include "attest_text.h"

// clang-format off
/// The values of the characters below 128 of both base64 alphabets, with what a table needs to know of them.
#define BASE64_CHARACTERS \
  NO8, NO8, NO8, NO8, \
  SPACE | STANDARD | 62, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, STANDARD | 62, NO, URL | 62, NO, STANDARD | 63, \
  52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO, \
  NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, \
  15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, URL | 63, \
  NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, \
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO
#define NO8 NO, NO, NO, NO, NO, NO, NO, NO

/// The value of each character of either base64 alphabet in the lower six bits; above the 24 bits
/// that four of them make, which alphabet it is of alone, and whether it is of none, or a space.
#define NO UINT32_C(0x04000000)
#define STANDARD UINT32_C(0x01000000)
#define URL UINT32_C(0x02000000)
#define SPACE UINT32_C(0x08000000)
static const uint32_t base64_values[256] = {
    BASE64_CHARACTERS,
    NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8,
};
#undef NO
#undef STANDARD
#undef URL
#undef SPACE

/// The same in a byte, for vectors: the two highest bits are `standard_sign` and `dash_sign`, both for
/// characters of neither alphabet; a space has what a plus has.
#define NO 0xC0
#define STANDARD 0x40
#define URL 0x80
#define SPACE 0
static const uint8_t base64_bytes[128] = {BASE64_CHARACTERS};
#undef NO
#undef STANDARD
#undef URL
#undef SPACE
#define NO 255

/// The value of each hex digit; 255 for all others.
static const uint8_t hex_values[256] = {
    NO8, NO8, NO8, NO8, NO8, NO8,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, NO, NO, NO, NO, NO, NO,
    NO, 10, 11, 12, 13, 14, 15, NO, NO8, NO8, NO8,
    NO, 10, 11, 12, 13, 14, 15, NO, NO8, NO8, NO8,
    NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8,
};
#undef NO
#undef NO8
// clang-format on

/// The bits by which vectors tell the signs of one alphabet.
enum { standard_sign = 0x40, dash_sign = 0x80 };

/// The bits of `base64_values`: for characters of one alphabet alone, of neither, and for spaces.
enum {
  standard_character = 0x01000000,
  url_character = 0x02000000,
  other_character = 0x04000000,
  space_character = 0x08000000,
};

/// Returns whether a character is one of base64url alone. Some lenient decoders pass over it.
static inline int is_dash(int character) { return character == '-' || character == '_'; }

static inline int is_white(uint8_t byte) { return byte == ' ' || (uint8_t)(byte - '\t') < 5; }

/// Returns the byte of two hex digits, or -1.
static inline int hex_byte(const uint8_t *at, const uint8_t *end) {
  if (end - at < 2) return -1;
  const unsigned high = hex_values[at[0]], low = hex_values[at[1]];
  return ((high | low) & 0x80) == 0 ? (int)(high << 4 | low) : -1;
}

/// The results of `base64_value` for a character that is passed over, and for one of no alphabet.
enum { is_passed = -1, is_other = -2 };

/// Returns the value of a character of base64 in one reading. What decoders read differently is added to `*seen`.
static inline int base64_value(uint8_t character, unsigned reading, unsigned *seen) {
  const uint32_t value = base64_values[character];
  if ((value & other_character) != 0) {
    if (is_white(character)) return is_passed;
    *seen |= ATTEST_SEEN_OTHER;
    return is_other;
  }
  if (character == ' ') {
    *seen |= ATTEST_SEEN_SPACE;
    if ((reading & ATTEST_SPACES_ARE_PLUS) == 0) return is_passed;
  } else if (is_dash(character)) {
    *seen |= ATTEST_SEEN_DASH;
    if ((reading & ATTEST_DASHES_DROPPED) != 0) return is_passed;
  }
  return (int)(value & 63);
}

#endif
