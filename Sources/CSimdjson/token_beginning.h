#ifndef ATTEST_AUDIT_TOKEN_BEGINNING_H
#define ATTEST_AUDIT_TOKEN_BEGINNING_H

#include "text_tables.h"

/// What a lenient look at one place of a line shows.
typedef struct {
  /// An attestation object or an assertion begins there.
  int is_token;
  /// An escaped backslash was met: the string may stand in another, and mean something else there.
  int has_escaped_backslash;
  /// Everything up to `end` was read and may be the beginning of a token.
  int is_undecided;
} token_look;

/// Looks whether base64 in a string of JSON begins as a token does, read as the most lenient decoder
/// reads it: behind any tags a map of three with the key `fmt`, `attStmt` or `authData`, a map of two
/// with `signature` or `authenticatorData`, or one of unknown length with any of them, all CBOR in any
/// spelling. Tags are those that say no more than that CBOR follows (RFC 8949, section 3.4.6). The
/// string ends at a quote, or at `end`.
token_look attest_look_for_token(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end);

/// Bits of the values that the second character of a token may have behind each first one: those with
/// which a map's head is followed by a text's, or a tag's by its number.
#define VALUE(value) (UINT64_C(1) << (value))
#define EACH_16(low) (VALUE(low) | VALUE(16 + (low)) | VALUE(32 + (low)) | VALUE(48 + (low)))
static const uint64_t second_values[256] = {
    // A2 and A3; B8 to BB and the first byte of a length; BF.
    ['o'] = VALUE(38) | VALUE(39) | VALUE(54) | VALUE(55),
    ['u'] = EACH_16(0),
    ['v'] = VALUE(54) | VALUE(55),
    // D9 D9, DA 00 and DB 00: the tag 55799 in three lengths.
    ['2'] = VALUE(29) | VALUE(32) | VALUE(48),
};
#undef VALUE
#undef EACH_16

/// Whether a token may begin with the character at `at`, to judge by those next to it; the characters
/// must be followed by one that is readable.
static inline int may_begin_token(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end) {
  const uint64_t allowed = second_values[*at++];
  if (allowed == 0) return 0;
  for (; at < end && *at != '"'; at++) {
    if (*at == '\\' || *at == '%') return 1;
    const uint32_t value = base64_values[*at];
    if ((value & other_character) == 0 && *at != ' ') return (int)(allowed >> (value & 63) & 1);
  }
  return 0;
}

#endif
