#ifndef ATTEST_AUDIT_TEXT_H
#define ATTEST_AUDIT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attest_base64_form {
  /// A character of neither alphabet, characters of both, or bits set that no byte holds.
  ATTEST_BASE64_NONE,
  ATTEST_BASE64_PLAIN,
  /// Characters of one alphabet, among them a space, which stands for a plus.
  ATTEST_BASE64_WITH_SPACES,
} attest_base64_form;

/// Decodes `length` characters of base64 or base64url (RFC 4648), a space for a plus, without their
/// padding; `length` must not leave the remainder 1 when divided by 4.
///
/// Writes `length / 4 * 3` bytes, and what two or three characters more hold, to `out`, and nothing
/// behind them: with `ATTEST_BASE64_NONE`, what was written is void.
attest_base64_form attest_base64_decode(const uint8_t *_Nonnull text, size_t length,
                                        uint8_t *_Nonnull out);

/// The most characters that are decoded at a time: as many as the processor can.
typedef enum attest_base64_width {
  ATTEST_BASE64_FOUR,
  /// 32, with AVX2.
  ATTEST_BASE64_HALF_LINE,
  /// 64, with AVX-512 VBMI.
  ATTEST_BASE64_LINE,
} attest_base64_width;

/// Does what `attest_base64_decode` does, no wider than told: all widths give the same.
attest_base64_form attest_base64_decode_narrowly(attest_base64_width widest,
                                                 const uint8_t *_Nonnull text, size_t length,
                                                 uint8_t *_Nonnull out);

/// The way in which a lenient decoder of base64 takes what decoders differ in.
enum attest_base64_reading {
  /// A space is a plus; else it is passed over.
  ATTEST_SPACES_ARE_PLUS = 1,
  /// A percent sign and two hex digits are one character; else the sign alone is passed over.
  ATTEST_PERCENTS_DECODED = 2,
  /// `-` and `_` are passed over; else they are characters.
  ATTEST_DASHES_DROPPED = 4,
};

/// Decodes base64 as lenient decoders do, all characters passed over that are none, up to the first
/// padding that completes a group. `reading` holds members of `attest_base64_reading`.
///
/// Writes up to `length / 4 * 3 + 2` bytes to `out` and tells how many. `*left_over` is 1 where a
/// single character is left over, which holds no byte, else 0.
size_t attest_base64_decode_loosely(const uint8_t *_Nonnull text, size_t length, unsigned reading,
                                    uint8_t *_Nonnull out, size_t *_Nonnull left_over);

/// Decodes `2 * count` hex digits to `count` bytes. Returns 0, with void bytes, for other characters.
int attest_hex_decode(const uint8_t *_Nonnull text, size_t count, uint8_t *_Nonnull out);

#ifdef __cplusplus
}
#endif

#endif
