#ifndef ATTEST_AUDIT_TOKEN_BEGINNING_H
#define ATTEST_AUDIT_TOKEN_BEGINNING_H

#include "text_tables.h"

/// What a lenient look at one place of a line shows.
typedef struct {
  /// An attestation object or an assertion begins there.
  int is_token;
  /// An escaped backslash was met: the string may stand in another, and mean something else there.
  int has_escaped_backslash;
} token_look;

/// Looks whether base64 in a string of JSON begins as a token does, read as the most lenient decoder
/// reads it: behind any tags a map of three with the key `fmt`, `attStmt` or `authData`, a map of two
/// with `signature` or `authenticatorData`, or one of unknown length with any of them, all CBOR in any
/// spelling. The string ends at a quote, or at `end`.
token_look attest_look_for_token(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end);

/// Bits of the values that the second character of a token may have behind each first one: those with
/// which a map's head is followed by a text's, or a tag's by that of a tag or map.
#define VALUE(value) (UINT64_C(1) << (value))
#define EACH_16(low) (VALUE(low) | VALUE(16 + (low)) | VALUE(32 + (low)) | VALUE(48 + (low)))
#define TAG_OR_MAP (EACH_16(10) | EACH_16(11) | EACH_16(12) | EACH_16(13))
static const uint64_t second_values[256] = {
    // A2 and A3; B8 to BB and the first byte of a length; BF.
    ['o'] = VALUE(38) | VALUE(39) | VALUE(54) | VALUE(55),
    ['u'] = EACH_16(0),
    ['v'] = VALUE(54) | VALUE(55),
    // Tags of one byte, and of more.
    ['w'] = TAG_OR_MAP,
    ['x'] = TAG_OR_MAP,
    ['y'] = TAG_OR_MAP,
    ['z'] = TAG_OR_MAP,
    ['0'] = TAG_OR_MAP,
    ['1'] = TAG_OR_MAP,
    ['2'] = ~UINT64_C(0),
};
#undef VALUE
#undef EACH_16
#undef TAG_OR_MAP

/// Whether a token may begin with the character at `at`, to judge by those next to it; the characters
/// must be followed by one that is readable.
static inline int may_begin_token(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end) {
  const uint8_t first = *at++;
  const uint64_t allowed = second_values[first];
  if (allowed == 0) return 0;
  // A tag of nine bytes has another tag or a map behind its twelve characters.
  for (unsigned place = 1; place <= 12; at++) {
    if (at >= end || *at == '"') return 0;
    if (*at == '\\' || *at == '%') return 1;
    const uint32_t value = base64_values[*at];
    if ((value & other_character) != 0) continue;
    if (*at == ' ') {
      // As a plus it can follow but a tag of nine bytes.
      if (first == '2') return 1;
      continue;
    }
    if (place == 1) {
      if ((allowed >> (value & 63) & 1) == 0) return 0;
      if (first != '2' || (value & 63) < 48) return 1;
    } else if (place == 12) {
      return second_values[*at] != 0;
    }
    place++;
  }
  return 1;
}

#endif
