#ifndef ATTEST_AUDIT_TEXT_TABLES_H
#define ATTEST_AUDIT_TEXT_TABLES_H

#include <stdint.h>

// clang-format off
/// The value of each character of either base64 alphabet in the lower six bits; above the 24 bits
/// that four of them make, which alphabet it is of alone, and whether it is of none, or a space.
#define NO UINT32_C(0x04000000)
#define NO8 NO, NO, NO, NO, NO, NO, NO, NO
#define STANDARD UINT32_C(0x01000000)
#define URL UINT32_C(0x02000000)
#define SPACE UINT32_C(0x08000000)
static const uint32_t base64_values[256] = {
    NO8, NO8, NO8, NO8,
    SPACE | STANDARD | 62, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, STANDARD | 62, NO, URL | 62, NO, STANDARD | 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO,
    NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, URL | 63,
    NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO,
    NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8, NO8,
};
#undef NO
#undef NO8
#define NO 255
#define NO8 NO, NO, NO, NO, NO, NO, NO, NO

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

/// The bit of `base64_values` for characters of neither alphabet.
enum { other_character = 0x04000000 };

#endif
